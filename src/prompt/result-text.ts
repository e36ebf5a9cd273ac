import { textOfData } from '../recipients/builtin-tools.js'
import { linesOf } from '../recipients/shell-text.js'
import type { CallResult } from '../responses/call-result.js'

/**
 * How the result of a call reads to the model. The descriptors of built-in tools write their data here and in what clients
 * send back alike, so that the next prompt has the very text that the model saw. An error follows what the tool had written
 * before it.
 *
 * @param callId - the id of the call's item
 */
export function textOfResult(result: CallResult, callId: string): string {
  const { output, error } = result
  const given = output ?? textOfData(result, callId) ?? ''
  return error === undefined ? given : linesOf(given, error.message)
}
