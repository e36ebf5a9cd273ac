import { createScan, type ObjectScan, undeclaredArguments } from '../../recipients/written-arguments.js'
import { isEmpty, textOf } from '../../text/text-buffer.js'
import type { ItemContext } from '../item-context.js'
import type { ItemKind } from '../item-kind.js'
import { callDelta } from '../parts/call-delta.js'
import { type ClientCall, clientCall, namespaceOf } from '../parts/client-call.js'
import { endObject, writeObject } from '../parts/object-arguments.js'

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
  /** Whether the request declares the function. */
  isDeclared: boolean
  scan: ObjectScan
}

const emitDelta = callDelta('function_call_arguments')

export const functionCall: ItemKind<FunctionCall> = {
  prefix: 'fc',
  ...clientCall,

  create: (subject) => ({ ...clientCall.create(subject), isDeclared: subject.declared, scan: createScan() }),

  // Without a schema, partial arguments cannot be checked, so they are shown once complete.
  delta(item, text, context) {
    if (item.isDeclared) writeObject(item, text, context, write)
    else item.held += text
  },

  finish(item, context) {
    if (item.isDeclared) endObject(item, clientCall.calls(item), context, write)
    else writeUndeclared(item, context)
    if (!isEmpty(item.text)) return
    context.notice('blank_arguments', clientCall.calls(item), item.held)
    item.held = ''
    // Clients parse the concatenated deltas, so at least one is emitted.
    emitDelta(item, '{}', context)
  },

  wire: (item) => ({
    call_id: item.callId,
    name: item.name,
    arguments: textOf(item.text),
    ...namespaceOf(item),
  }),
}

/** Emits a delta. Leading white space is held back: if nothing follows, the arguments become {}. */
function write(item: FunctionCall, text: string, context: ItemContext): void {
  if (isEmpty(item.text) && text.trim() === '') {
    item.held += text
    return
  }
  const { held } = item
  item.held = ''
  emitDelta(item, held + text, context)
}

function writeUndeclared(item: FunctionCall, context: ItemContext): void {
  if (item.held.trim() === '') return
  const { shown, dropped } = undeclaredArguments(item.name, item.held)
  if (dropped !== '') context.notice('text_after_arguments', clientCall.calls(item), dropped)
  item.held = ''
  write(item, shown, context)
}
