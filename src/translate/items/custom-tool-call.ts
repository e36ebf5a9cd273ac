import { textOf } from '../text-buffer.js'
import type { ItemBase, ItemKind } from './item.js'
import { writeDelta } from './write-delta.js'

/*
 * custom_tool_call: a custom tool of the client's (functions.NAME), whose input is free text
 *
 *     output_item.added
 *       custom_tool_call_input.delta *
 *       custom_tool_call_input.done
 *     output_item.done
 */

export interface CustomToolCall extends ItemBase {
  type: 'custom_tool_call'
  callId: string
  name: string
  status: 'in_progress' | 'completed' | 'incomplete'
}

export const customToolCall: ItemKind<CustomToolCall> = {
  type: 'custom_tool_call',
  prefix: 'ctc',
  opens: 'header',
  result: 'none',
  isRunByClient: true,

  create(recipient, base) {
    return { ...base, type: 'custom_tool_call', callId: '', name: recipient.name, status: 'in_progress' }
  },

  delta(item, text, effects) {
    writeDelta(item, 'response.custom_tool_call_input.delta', text, effects)
  },

  close(item, outcome, effects) {
    item.status = outcome
    effects.tell(item, 'response.custom_tool_call_input.done', {
      input: textOf(item.text),
    })
    return 'done'
  },

  wire(item) {
    return {
      type: 'custom_tool_call',
      id: item.id,
      status: item.status,
      call_id: item.callId,
      name: item.name,
      input: textOf(item.text),
    }
  },
}
