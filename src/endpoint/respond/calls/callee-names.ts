import { builtinCalled } from '../../../core/recipients/builtin-tools.js'
import type { Classifier } from '../../../core/recipients/classify.js'
import type { Recipient } from '../../../core/recipients/recipient.js'
import { recipientKey } from '../../../core/recipients/recipient.js'
import type { OutputItem } from '../../../core/responses/items.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { readTranscript } from '../../prompt/transcript.js'

/**
 * Returns the recipients of calls as the model wrote them: a tool answers under the name by which it was called. Calls
 * outside the transcript, such as approved ones, have none.
 */
export function calleeNames(
  calls: readonly OutputItem[],
  transcript: readonly number[],
  { tokenTable, classify }: { readonly tokenTable: TokenTable; readonly classify: Classifier },
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { message, isRepaired } of readTranscript(transcript, { tokenTable })) {
    if (isRepaired || message.role !== 'assistant' || message.recipient === undefined) continue
    const key = recipientKey(classify(message.recipient, message.channel))
    const call = calls.find((call) => !names.has(call.id) && keyOf(call) === key)
    if (call !== undefined) names.set(call.id, message.recipient)
  }
  return names
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
