import { textOf } from '../../text/text-buffer.js'
import type { ItemKind } from '../item-kind.js'
import { callDelta } from '../parts/call-delta.js'
import { type ClientCall, clientCall, namespaceOf } from '../parts/client-call.js'

/*
 * custom_tool_call: a custom tool of the client's (functions.NAME, NAMESPACE.NAME), whose input is free text
 *
 *     output_item.added
 *       custom_tool_call_input.delta *
 *       custom_tool_call_input.done
 *     output_item.done
 */

export interface CustomToolCall extends ClientCall {
  type: 'custom_tool_call'
}

export const customToolCall: ItemKind<CustomToolCall> = {
  prefix: 'ctc',
  ...clientCall,

  delta: callDelta('custom_tool_call_input'),

  wire: (item) => ({
    call_id: item.callId,
    name: item.name,
    input: textOf(item.text),
    ...namespaceOf(item),
  }),
}
