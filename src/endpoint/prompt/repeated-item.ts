import { isSameJson } from '../../core/recipients/same-json.js'
import { type Fields, isFields } from '../../shared/fields.js'
import { fieldOf } from '../../shared/request-fields.js'
import type { Conversation } from './conversation.js'

/**
 * Whether an item is one that the conversation already has: a call with its id, an output of the same call, or an item
 * with its id, and the same content. Clients send items again beside `previous_response_id`, or beside themselves;
 * LiveKit's and Semantic Kernel's agents do so at each call.
 */
export function isRepeat(item: Fields, type: string, items: readonly Fields[], conversation: Conversation): boolean {
  const known = items[knownPlace(item, type, conversation) ?? -1]
  return known !== undefined && typeOf(known, type) === type && hasSameFields(item, known, type)
}

function knownPlace(item: Fields, type: string, conversation: Conversation): number | undefined {
  const id = fieldOf(item, 'id')
  // The output of a local shell call may name its call by its id.
  const callId = fieldOf(item, 'call_id') ?? (type === 'local_shell_call_output' ? id : undefined)
  const byCall = typeof callId === 'string' ? byCallId(callId, type, conversation) : undefined
  return byCall ?? (typeof id === 'string' ? conversation.itemOf(id) : undefined)
}

function byCallId(callId: string, type: string, conversation: Conversation): number | undefined {
  return type.endsWith('_output') ? conversation.outputOf(callId) : conversation.repeatedCall(callId)
}

/** A message may lack its type. */
function typeOf(item: Fields, type: string): unknown {
  return fieldOf(item, 'type') ?? (type === 'message' ? type : undefined)
}

/** Fields that say nothing about the content: clients drop them, or make their own. */
const OTHER: ReadonlySet<string> = new Set(['id', 'status', 'type', 'created_by'])

/** Reasoning that comes back sealed lacks these. */
const TEXTS: ReadonlySet<string> = new Set(['content', 'summary'])

function hasSameFields(one: Fields, other: Fields, type: string): boolean {
  return Object.keys(one).every((name) => {
    // The status of a patch is its result.
    const isOther = OTHER.has(name) && !(name === 'status' && type === 'apply_patch_call_output')
    const isSealed = type === 'reasoning' && TEXTS.has(name) && (isEmpty(one[name]) || isEmpty(other[name]))
    return isOther || isSealed || isAlike(one[name], other[name], name)
  })
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Whether two values are alike where both have something: a client's copy may lack fields of ours, and have others. */
function isAlike(one: unknown, other: unknown, name?: string): boolean {
  if (one == null || other == null || one === other) return true
  if (name === 'arguments' && typeof one === 'string' && typeof other === 'string') return isSameText(one, other)
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, at) => isAlike(each, other[at]))
  }
  return isFields(one) && isFields(other) && Object.keys(one).every((field) => isAlike(one[field], other[field]))
}

/** Whether two texts are the same JSON. */
function isSameText(one: string, other: string): boolean {
  try {
    return isSameJson(JSON.parse(one), JSON.parse(other))
  } catch {
    return false
  }
}
