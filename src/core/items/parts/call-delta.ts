import { appendText } from '../../text/text-buffer.js'
import type { ItemContext } from '../item-context.js'
import type { ItemState } from '../item-state.js'

/** Event names of the call parts that are streamed as the model writes them. */
type CallPart =
  | 'function_call_arguments'
  | 'custom_tool_call_input'
  | 'mcp_call_arguments'
  | 'code_interpreter_call_code'

/** Creates the `delta` of a call whose text is streamed. */
export function callDelta(part: CallPart): (item: ItemState, delta: string, context: ItemContext) => void {
  const type = `response.${part}.delta` as const
  // One literal for all calls: deltas are frequent, and objects of one shape keep V8's call sites monomorphic.
  return (item, delta, context) => {
    appendText(item.text, delta)
    context.emit({
      type,
      sequence_number: context.nextSequenceNumber(),
      item_id: item.id,
      output_index: item.outputIndex,
      delta,
    })
  }
}
