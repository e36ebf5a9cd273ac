import { textOf } from '../text-buffer.js'
import { callText } from './call-text.js'
import type { ItemBase } from './item-base.js'
import type { ItemKind } from './item-kind.js'
import { qualifiedName } from './qualified-name.js'

/*
 * custom_tool_call: a custom tool of the client's (functions.NAME, NAMESPACE.NAME), whose input is free text
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
  /** The declared namespace that the tool is in. */
  namespace: string | null
}

export const customToolCall: ItemKind<CustomToolCall> = {
  prefix: 'ctc',
  isRunByClient: true,
  ...callText('custom_tool_call_input', 'input'),

  calls: ({ name, namespace }) => qualifiedName(name, namespace),

  create: ({ name, namespace = null }) => ({ callId: '', name, namespace }),

  wire: (item) => ({
    call_id: item.callId,
    name: item.name,
    input: textOf(item.text),
    ...(item.namespace != null && { namespace: item.namespace }),
  }),
}
