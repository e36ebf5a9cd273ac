import { isFields } from '../../shared/fields.js'
import { invalidType, missingParameter, RequestError } from '../../shared/request-error.js'
import { fieldOf } from '../../shared/request-fields.js'
import type { Slices } from '../../shared/slices.js'
import type { BodyDraft } from './draft.js'
import type { BodyField } from './field.js'

/**
 * Reads a body of an API whose conversation is in `messages`, by the table of its parameters.
 *
 * @param body - the parsed JSON
 * @throws RequestError with the path in the body
 */
export function* readBody<Draft extends BodyDraft>(
  body: unknown,
  fields: { readonly [name: string]: BodyField<Draft> },
  draft: Draft,
): Slices<void> {
  if (!isFields(body)) {
    const { message, code } = invalidType('body', 'an object', body)
    throw new RequestError(message, { code })
  }
  if (fieldOf(body, 'messages') === undefined) throw missingParameter('messages')
  for (const [name, { read, readInSlices }] of Object.entries(fields)) {
    const value = fieldOf(body, name)
    if (value === undefined) continue
    if (readInSlices !== undefined) yield* readInSlices(value, draft)
    else read?.(value, draft)
  }
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(fields, name) && fieldOf(body, name) !== undefined) draft.skipParameter(name)
  }
}
