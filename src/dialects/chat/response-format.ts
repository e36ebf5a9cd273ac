import { objectAt, textIn } from '../../shared/request-fields.js'
import { objectIn, renamed } from '../body/read.js'
import type { Draft } from './draft.js'

const JSON_SCHEMA = { name: 'name', description: 'description', schema: 'schema', strict: 'strict' } as const

/**
 * Reads `response_format`. If the answer has to be JSON, preambles join the reasoning, because clients parse all of
 * `content`.
 *
 * @throws RequestError
 */
export function readResponseFormat(value: unknown, draft: Draft): void {
  const format = objectAt(value, 'response_format')
  const type = textIn(format, 'type', 'response_format')
  if (type !== 'text') draft.answer = { ...draft.answer, preambles: 'reasoning' }
  if (type !== 'json_schema') {
    draft.putIn('text', 'format', { type }, 'response_format')
    return
  }
  const json = renamed(objectIn(format, 'json_schema', 'response_format'), JSON_SCHEMA)
  // A missing schema accepts any JSON.
  draft.putIn('text', 'format', { type, schema: {}, ...json }, 'response_format.json_schema')
}
