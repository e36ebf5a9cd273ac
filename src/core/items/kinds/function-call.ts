import type { ObjectScan } from '../../recipients/written-arguments.js'
import { isEmpty, textOf } from '../../text/text-buffer.js'
import type { ItemKind } from '../item-kind.js'
import { callDelta } from '../parts/call-delta.js'
import { type ClientCall, clientCall, namespaceOf } from '../parts/client-call.js'

/*
 * function_call: a function of the client's (functions.NAME, NAMESPACE.NAME)
 *
 *     output_item.added
 *       function_call_arguments.delta +
 *       function_call_arguments.done
 *     output_item.done
 *
 * Clients run it at output_item.done, whatever its status; LangChain builds it from added and deltas alone.
 */

export interface FunctionCall extends ClientCall {
  type: 'function_call'
  /**
   * Whether the request declares the function, and where the object of its arguments ends: see `whole-arguments.ts`.
   */
  isDeclared?: boolean
  scan?: ObjectScan
}

const writeArguments = callDelta('function_call_arguments')

export const functionCall: ItemKind<FunctionCall> = {
  prefix: 'fc',
  ...clientCall,

  delta(item, text, context) {
    // Leading white space is held back: if nothing follows, the arguments become {}.
    if (isEmpty(item.text) && text.trim() === '') item.held += text
    else {
      const held = item.held
      item.held = ''
      writeArguments(item, held + text, context)
    }
  },

  finish(item, context) {
    if (!isEmpty(item.text)) return
    context.notice('blank_arguments', clientCall.calls(item), item.held)
    item.held = ''
    // Clients parse the concatenated deltas, so at least one is emitted.
    writeArguments(item, '{}', context)
  },

  wire: (item) => ({
    call_id: item.callId,
    name: item.name,
    arguments: textOf(item.text),
    ...namespaceOf(item),
  }),
}
