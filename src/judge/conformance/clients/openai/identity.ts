import { Thrown } from '../thrown.js'
import type { Item } from './item.js'

/**
 * The identity of an item, which must be unique: its id, and the call_id of a call.
 *
 * @throws Thrown if one of them is missing or has the wrong type
 */
export function identitiesOf(item: Item): string[] {
  requireIdentities(item)
  const { type, id, callId, isRouted } = item
  const identities: string[] = []
  if (id !== undefined) identities.push(`id ${id}`)
  if (isRouted) identities.push(`call_id ${callId} of a ${type}`)
  return identities
}

function requireIdentities({ type, fields, id, callId, isRouted }: Item): void {
  if (typeof id !== 'string') {
    const mayLack = OWN_ID_OPTIONAL.has(type) && !Object.hasOwn(fields, 'id')
    if (!mayLack) throw new Thrown('openai-item-fields', `an id of the ${type}`, id)
  } else if (id === '' && type !== 'computer_call') {
    throw new Thrown('openai-item-fields', `an id of the ${type}`, id)
  }
  if (isRouted && (typeof callId !== 'string' || (callId === '' && type !== 'function_call'))) {
    throw new Thrown('openai-item-fields', `a call_id of the ${type}`, callId)
  }
}

const OWN_ID_OPTIONAL: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call'])

/** Requires that an item that replaces another has the same type, id and call_id. */
export function requireSame(item: Item, next: Item): void {
  requireIdentities(item)
  requireIdentities(next)
  if (item.type !== next.type) throw new Thrown('openai-item-constant', `type ${JSON.stringify(item.type)}`, next.type)
  const isAdded = item.id === undefined && OWN_ID_OPTIONAL.has(item.type)
  if (item.id !== next.id && !isAdded) {
    throw new Thrown('openai-item-constant', `id ${JSON.stringify(item.id)}`, next.id)
  }
  if (item.isRouted && item.callId !== next.callId) {
    throw new Thrown('openai-item-constant', `call_id ${JSON.stringify(item.callId)}`, next.callId)
  }
}
