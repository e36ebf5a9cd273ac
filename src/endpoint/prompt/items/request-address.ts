import { ROLES } from '../../../core/harmony/vocabulary.js'
import type { Fields } from '../../../shared/fields.js'
import { nameIn } from '../../../shared/request-fields.js'

/**
 * Matches characters that would end a recipient in a header or that string-based parsers take for a marker, and names
 * of roles.
 */
const UNSAFE: RegExp = new RegExp(`[\\s\\x85<]|(?<=^(?:${ROLES.join('|')})):`, 'g')

/**
 * Returns a part of a recipient: the name of a called tool, or of its namespace. A model may have made it up, so
 * characters that no header can hold become `_`: a misspelled tool must not end the conversation.
 *
 * @throws RequestError if it is missing, empty or not a string
 */
export function addressIn(fields: Fields, name: string, param: string): string {
  return nameIn(fields, name, param).replace(UNSAFE, '_')
}
