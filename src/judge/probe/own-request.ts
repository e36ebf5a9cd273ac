import { type Fields, isFields } from '../../shared/fields.js'
import { parseJson } from '../conformance/read/parse-json.js'

/* Requests without what the server has written, for a report that is passed on. The probe itself wrote all that is left. */

/** Fields that repeat the server's texts, or name its model. */
const FROM_SERVER: ReadonlySet<string> = new Set([
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'previous_response_id',
  'model',
])

/** @param received - the items that the server has sent */
export function ownBody(body: Fields, received: WeakSet<object>): string {
  return JSON.stringify(body, (key, value: unknown) => {
    if (typeof value === 'object' && value !== null && received.has(value)) return '[an item of the server]'
    return FROM_SERVER.has(key) ? '[of the server]' : value
  })
}

/** The body of another API, or one that need not be JSON. Of a conversation it keeps the first message, which is the probe's. */
export function ownText(text: string, model: string): string {
  const body = parseJson(text)?.value
  if (!isFields(body)) return text.replaceAll(JSON.stringify(model).slice(1, -1), '[of the server]')
  const { messages } = body
  if (!Array.isArray(messages) || messages.length < 2) return ownBody(body, new WeakSet())
  const rest = `[${messages.length - 1} more, some of the server]`
  return ownBody({ ...body, messages: [messages[0], rest] }, new WeakSet())
}
