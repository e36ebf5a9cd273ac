import { type Fields, isFields } from '../../../../shared/fields.js'
import { asList } from '../../stream-event.js'
import { Thrown } from '../thrown.js'

/** An item that was added, as far as the SDK reads it again. */
export interface OpenItem {
  readonly type: unknown
  readonly id: unknown
  readonly callId: unknown
  /** The parts of its content: their types, and whether their text is one. Undefined if the content is no list. */
  readonly parts: { readonly type: unknown; hasText: boolean }[] | undefined
  /** Whether its arguments are a text. */
  readonly hasArguments: boolean
}

/** An item as an object: the SDK reads its type. */
export function fieldsOfItem(item: unknown): Fields {
  if (!isFields(item)) throw new Thrown('openai-python-item', 'an item as an object', item)
  return item
}

export const itemOf = (given: unknown): OpenItem => {
  const { type, id, call_id, content, arguments: text } = fieldsOfItem(given)
  const isList = Array.isArray(content)
  return {
    type,
    id: id ?? null,
    callId: call_id ?? null,
    parts: isList ? content.map(partOf) : undefined,
    hasArguments: typeof text === 'string',
  }
}

export const partOf = (part: unknown): { readonly type: unknown; hasText: boolean } => {
  const { type, text } = isFields(part) ? part : ({} as Fields)
  return { type, hasText: typeof text === 'string' }
}

const BY_CALL_ID: ReadonlySet<unknown> = new Set([
  'function_call',
  'custom_tool_call',
  'shell_call',
  'shell_call_output',
])

/** By which the SDK takes two items for one. */
export function identityOf({ type, id, callId }: OpenItem): string {
  const identity = BY_CALL_ID.has(type) ? [type, null, callId] : [type, id, callId]
  // It is a key for the SDK.
  const wrong = identity.find((one) => typeof one === 'object' && one !== null)
  if (wrong !== undefined)
    throw new Thrown('openai-python-identity', 'a type, id and call_id that are no object or list', wrong)
  return JSON.stringify(identity)
}

/** Whether an item may be the one before: only calls may have had no id. */
export const isCompatible = (before: OpenItem, item: OpenItem): boolean =>
  before.id === item.id ||
  (before.id === null && (before.type === 'function_call' || before.type === 'custom_tool_call'))

/** The items of a response; an exception if one of them is none. */
export const itemsIn = (output: unknown): readonly OpenItem[] => asList(output).map(itemOf)
