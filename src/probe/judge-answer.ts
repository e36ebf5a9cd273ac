import { parseEvent, responseSchema } from '../conformance/index.js'
import { asFields, asString, type Fields, isFields } from '../conformance/stream-event.js'
import { type Fault, type Finding, findingOf, jsonPreview, preview } from './finding.js'

/** Holds a response that was not streamed against its schema: the first problem leads, the others are counted. */
export function judgeResponse(request: string, response: unknown): Finding[] {
  // As the event that would have ended a stream, which names the sharpest of several problems.
  const { problem } = parseEvent({ type: 'response.completed', sequence_number: 0, response })
  if (problem === undefined) return []
  const all = responseSchema.safeParse(response).error?.issues.length ?? 1
  const { path, expected, got } = problem
  const finding = findingOf(request, { rule: 'response-shape', expected: `${path}: ${expected}`, got })
  return [{ ...finding, more: Math.max(all - 1, 0) }]
}

/** A refusal as clients read it, and what is wrong with its form. */
export interface Refusal {
  readonly message: string
  readonly faults: readonly Fault[]
}

/** Reads the body of a status from 400 on, as OpenAI words it: `{"error": {"message", "type", "param", "code"}}`. */
export function readRefusal(contentType: string, text: string): Refusal {
  const body = parsed(text)
  const error = asFields(asFields(body)['error'])
  const message = asString(error['message'])
  const told = message === '' ? preview(text) || 'an empty body' : preview(message)
  const fault = (expected: string, got: string, severity: Fault['severity'] = 'error'): Refusal => ({
    message: told,
    faults: [{ rule: 'error-body', severity, expected, got }],
  })
  if (!isFields(body))
    return fault('an error as JSON: {"error": {"message", ...}}', `${contentType || 'no type'}: ${told}`)
  if (message === '') return fault('error.message, which clients show', told)
  const missing = ['type', 'param', 'code'].filter((name) => !(name in error))
  if (missing.length === 0 && typeof error['type'] === 'string') return { message: told, faults: [] }
  // The AI SDK takes an error without a type for one that it cannot read; nobody misses the other two.
  const isTyped = typeof error['type'] === 'string'
  return fault('error.type, error.param and error.code', jsonPreview(body), isTyped ? 'warning' : 'error')
}

/** The JSON object that a text is, if it is one. */
export function objectIn(text: string): Fields | undefined {
  const value = parsed(text)
  return isFields(value) ? value : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
