import { asFields, asString } from '../../conformance/stream-event.js'
import { jsonPreview, preview } from '../finding.js'
import { objectIn, type Refusal } from '../judge-answer.js'

/** Reads the body of an error status, in Anthropic's format: `{"type": "error", "error": {"type", "message"}}`. */
export function readMessagesRefusal(contentType: string, text: string): Refusal {
  const body = objectIn(text)
  const error = asFields(body?.['error'])
  const message = asString(error['message'])
  const shownMessage = message === '' ? preview(text) || 'an empty body' : preview(message)
  const isWhole = body?.['type'] === 'error' && message !== '' && typeof error['type'] === 'string'
  if (isWhole) return { message: shownMessage, faults: [] }
  const expected = 'an error as JSON: {"type": "error", "error": {"type", "message"}}'
  const got = body === undefined ? `${contentType || 'no type'}: ${shownMessage}` : jsonPreview(body)
  // The SDK shows the whole body where it finds no message.
  return {
    message: shownMessage,
    faults: [{ rule: 'error-body', severity: message === '' ? 'error' : 'warning', expected, got }],
  }
}
