import { Thrown } from '../thrown.js'
import type { Item } from './item.js'

/**
 * The identity of an item, which must be unique: its id, and the call_id of a call.
 *
 * @throws Thrown if one of them is missing or has the wrong type
 */
export function identitiesOf({ type, fields, id, callId, isRouted }: Item): string[] {
  const identities: string[] = []
  if (Object.hasOwn(fields, 'id')) {
    if (typeof id !== 'string' || (id === '' && type !== 'computer_call')) {
      throw new Thrown('openai-item-fields', `an id of the ${type}`, id)
    }
    identities.push(`id ${id}`)
  } else if (!OWN_ID_OPTIONAL.test(type)) throw new Thrown('openai-item-fields', `an id of the ${type}`, undefined)
  if (isRouted) {
    if (typeof callId !== 'string' || (callId === '' && type !== 'function_call')) {
      throw new Thrown('openai-item-fields', `a call_id of the ${type}`, callId)
    }
    identities.push(`call_id ${callId} of a ${type}`)
  }
  return identities
}

const OWN_ID_OPTIONAL = /^(function_call|custom_tool_call)$/

/** Requires that an item that replaces another has the same type, id and call_id. */
export function requireSame(item: Item, next: Item): void {
  identitiesOf(item)
  identitiesOf(next)
  if (item.type !== next.type) throw new Thrown('openai-item-constant', `type ${JSON.stringify(item.type)}`, next.type)
  const isAdded = item.id === undefined && OWN_ID_OPTIONAL.test(item.type)
  if (item.id !== next.id && !isAdded) {
    throw new Thrown('openai-item-constant', `id ${JSON.stringify(item.id)}`, next.id)
  }
  if (item.isRouted && item.callId !== next.callId) {
    throw new Thrown('openai-item-constant', `call_id ${JSON.stringify(item.callId)}`, next.callId)
  }
}
