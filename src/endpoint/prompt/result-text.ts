import { textOfData } from '../../core/recipients/builtin-tools.js'
import { linesOf } from '../../core/recipients/shell-text.js'
import type { CallResult } from '../../core/responses/call-result.js'

/**
 * Returns the text of a result for the model. An error follows the tool's earlier output. The descriptors of built-in tools
 * format fresh results and the items that clients send back with the same code, so that the next prompt contains exactly the
 * text that the model saw.
 *
 * @param callId - the id of the call's item
 */
export function textOfResult(result: CallResult, callId: string): string {
  const { output, error } = result
  const given = output ?? textOfData(result, callId) ?? ''
  return error === undefined ? given : linesOf(given, error.message)
}
