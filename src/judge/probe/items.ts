import type { Fields } from '../../shared/fields.js'
import { asFields, asList, asString } from '../conformance/stream-event.js'

/** A function call, with its item as received. */
export interface Call {
  readonly name: string
  readonly callId: string
  readonly item: Fields
}

/** The function calls in the items of an answer. */
export function callsIn(items: readonly Fields[]): Call[] {
  return items
    .filter(({ type }) => type === 'function_call')
    .map((item) => ({ name: asString(item['name']), callId: asString(item['call_id']), item }))
}

/** The joined text of all messages in the items. */
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

/** A user message, in the form that all clients send. */
export function userMessage(text: string): Fields {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
}

/** The item with the output of a call. */
export function callOutput({ callId }: Call, output: string): Fields {
  return { type: 'function_call_output', call_id: callId, output }
}
