import { type Fields, isFields } from '../../shared/fields.js'
import { parseEvent, responseSchema } from '../conformance/index.js'
import { parseJson } from '../conformance/read/parse-json.js'
import { asFields, asString } from '../conformance/stream-event.js'
import { type Fault, type Finding, findingOf, jsonPreview, preview } from './finding.js'

/** Validates a response that was not streamed. Reports the first problem, and counts the others. */
export function judgeResponse(request: string, response: unknown): Finding[] {
  // Wrapped in an event, because `parseEvent` reports the most specific problem.
  const { problem } = parseEvent({ type: 'response.completed', sequence_number: 0, response })
  if (problem === undefined) return []
  const all = responseSchema.safeParse(response).error?.issues.length ?? 1
  const { path, expected, got } = problem
  const finding = findingOf(request, { rule: 'response-shape', expected: `${path}: ${expected}`, got })
  return [{ ...finding, more: Math.max(all - 1, 0) }]
}

/** The message of a refusal, with the faults of its body. */
export interface Refusal {
  readonly message: string
  readonly faults: readonly Fault[]
}

/** Reads the body of an error status, in OpenAI's format: `{"error": {"message", "type", "param", "code"}}`. */
export function readRefusal(contentType: string, text: string): Refusal {
  const body = parseJson(text)?.value
  const error = asFields(asFields(body)['error'])
  const message = asString(error['message'])
  const shownMessage = message === '' ? preview(text) || 'an empty body' : preview(message)
  const fault = (expected: string, got: string, severity: Fault['severity'] = 'error'): Refusal => ({
    message: shownMessage,
    faults: [{ rule: 'error-body', severity, expected, got }],
  })
  if (!isFields(body))
    return fault('an error as JSON: {"error": {"message", ...}}', `${contentType || 'no type'}: ${shownMessage}`)
  if (message === '') return fault('error.message, which clients show', shownMessage)
  const missing = ['type', 'param', 'code'].filter((name) => !(name in error))
  if (missing.length === 0 && typeof error['type'] === 'string') return { message: shownMessage, faults: [] }
  // The AI SDK cannot read an error without a type; no client needs the other two fields.
  const isTyped = typeof error['type'] === 'string'
  return fault('error.type, error.param and error.code', jsonPreview(body), isTyped ? 'warning' : 'error')
}

/** The JSON object in a text; undefined if the text is anything else. */
export function objectIn(text: string): Fields | undefined {
  const value = parseJson(text)?.value
  return isFields(value) ? value : undefined
}
