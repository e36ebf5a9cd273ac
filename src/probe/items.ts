import { asFields, asList, asString, type Fields } from '../conformance/stream-event.js'

/** A function call as it came. */
export interface Call {
  readonly name: string
  readonly callId: string
  readonly item: Fields
}

/** The function calls among the items of an answer. */
export function callsIn(items: readonly Fields[]): Call[] {
  return items
    .filter(({ type }) => type === 'function_call')
    .map((item) => ({ name: asString(item['name']), callId: asString(item['call_id']), item }))
}

/** The text of all messages among the items, joined. */
export function textIn(items: readonly Fields[]): string {
  return partsIn(items)
    .map(({ text }) => asString(text))
    .join('')
}

/** Whether the model refused. */
export function hasRefusal(items: readonly Fields[]): boolean {
  return partsIn(items).some(({ type }) => type === 'refusal')
}

function partsIn(items: readonly Fields[]): Fields[] {
  return items.filter(({ type }) => type === 'message').flatMap(({ content }) => asList(content).map(asFields))
}

/** A message of the user's, in the form that all clients send. */
export function userMessage(text: string): Fields {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
}

/** What the client's tool answers. */
export function callOutput({ callId }: Call, output: string): Fields {
  return { type: 'function_call_output', call_id: callId, output }
}
