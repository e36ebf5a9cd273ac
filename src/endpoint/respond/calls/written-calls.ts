import { builtinCalled } from '../../../core/recipients/builtin-tools.js'
import type { Classifier } from '../../../core/recipients/classify.js'
import type { Recipient } from '../../../core/recipients/recipient.js'
import { recipientKey } from '../../../core/recipients/recipient.js'
import type { OutputItem } from '../../../core/responses/items.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { readTranscript } from '../../prompt/transcript.js'

/** A call as the model wrote it. */
export interface WrittenCall {
  /** A tool answers under the name by which it was called. */
  readonly recipient: string
  readonly text: string
}

/**
 * Returns the latest calls of a transcript as the model wrote them. Calls outside of it, such as approved ones, are missing.
 *
 * @param calls - in their order: those that wait, behind all that have their results
 */
export function writtenCalls(
  calls: readonly OutputItem[],
  transcript: readonly number[],
  { tokenTable, classify }: { readonly tokenTable: TokenTable; readonly classify: Classifier },
): ReadonlyMap<string, WrittenCall> {
  const written = new Map<string, WrittenCall>()
  // From the end: earlier turns have made calls of the same name.
  for (const { message, isRepaired } of [...readTranscript(transcript, { tokenTable })].reverse()) {
    if (isRepaired || message.role !== 'assistant' || message.recipient === undefined) continue
    const key = recipientKey(classify(message.recipient, message.channel))
    const call = calls.findLast((call) => !written.has(call.id) && keyOf(call) === key)
    if (call !== undefined) written.set(call.id, { recipient: message.recipient, text: message.content })
  }
  return written
}

/** Returns the fields of a recipient that its key needs. */
function keyOf(call: OutputItem): string {
  if (call.type === 'mcp_call') {
    // A key needs only the fields that distinguish recipients of a kind.
    return recipientKey({ kind: call.type, name: call.name, serverLabel: call.server_label } as Recipient)
  }
  const action = builtinCalled(call)?.actionOf(call)
  // A key needs only the fields that distinguish recipients of a kind.
  return recipientKey({ kind: call.type, action } as Recipient)
}
