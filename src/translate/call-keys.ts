import { type Recipient, recipientKey } from '../recipients/recipient.js'
import { calleeOf } from './items/callee-of.js'
import type { Item } from './items/item.js'

/** The key that every hosted call answers to: a tool message may name no tool. */
const ANYBODY = ''

/** What a hosted call answers to. */
export function keysOfCall(call: Item): string[] {
  const keys = [ANYBODY, call.callee]
  // An approved call need not be to a declared server: it answers to its name as well.
  if (call.type === 'mcp_call') keys.push(nameKey(calleeOf(call)))
  return keys
}

/**
 * The keys of the calls that a tool message may answer; a call that answers to any of them will do.
 *
 * @param callee - what the author is as a recipient
 */
export function keysOfAuthor(author: string, callee: Recipient): string[] {
  return author === 'tool' ? [ANYBODY] : [recipientKey(callee), nameKey(author.replace(/^mcp\./, ''))]
}

/** Unlike any key of a recipient, whatever the name. */
function nameKey(name: string): string {
  return `.${name}`
}
