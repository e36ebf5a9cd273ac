import { appendText } from '../text-buffer.js'
import type { Effects, ItemBase } from './item.js'

type CallDelta =
  | 'response.function_call_arguments.delta'
  | 'response.custom_tool_call_input.delta'
  | 'response.mcp_call_arguments.delta'
  | 'response.code_interpreter_call_code.delta'

/** More of what a call is made of. One literal for all calls: deltas are many, and of one shape they are cheap. */
export function writeDelta(item: ItemBase, type: CallDelta, delta: string, effects: Effects): void {
  appendText(item.text, delta)
  effects.write({
    type,
    sequence_number: effects.sequencer.sequenceNumber(),
    item_id: item.id,
    output_index: item.outputIndex,
    delta,
  })
}
