import { appendText, textOf } from '../../text/text-buffer.js'
import type { ItemContext } from '../item-context.js'
import type { ItemBase } from '../item-state.js'

/** Event names of the call parts that are streamed as the model writes them. */
type CallPart =
  | 'function_call_arguments'
  | 'custom_tool_call_input'
  | 'mcp_call_arguments'
  | 'code_interpreter_call_code'

/** Creates the streaming of a call's text: deltas, then the complete text in a `.done` event, in the given field. */
export function callText(part: CallPart, field: 'arguments' | 'input' | 'code') {
  const type = `response.${part}.delta` as const
  return {
    // One literal for all calls: deltas are frequent, and objects of one shape keep V8's call sites monomorphic.
    delta(item: ItemBase, delta: string, context: ItemContext): void {
      appendText(item.text, delta)
      context.emit({
        type,
        sequence_number: context.nextSequenceNumber(),
        item_id: item.id,
        output_index: item.outputIndex,
        delta,
      })
    },

    close(item: ItemBase, _outcome: unknown, context: ItemContext): void {
      context.emitFor(item, `response.${part}.done`, { [field]: textOf(item.text) })
    },
  }
}
