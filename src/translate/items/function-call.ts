import { isEmpty, textOf } from '../text-buffer.js'
import type { ItemBase, ItemKind } from './item.js'
import { writeDelta } from './write-delta.js'

/*
 * function_call: a function of the client's (functions.NAME)
 *
 *     output_item.added
 *       function_call_arguments.delta +
 *       function_call_arguments.done
 *     output_item.done
 *
 * Clients run it at output_item.done, whatever its status says; LangChain builds it from added and deltas alone.
 */

export interface FunctionCall extends ItemBase {
  type: 'function_call'
  callId: string
  name: string
  status: 'in_progress' | 'completed' | 'incomplete'
}

const DELTA = 'response.function_call_arguments.delta'

export const functionCall: ItemKind<FunctionCall> = {
  type: 'function_call',
  prefix: 'fc',
  opens: 'header',
  result: 'none',
  isRunByClient: true,

  create(recipient, base) {
    return { ...base, type: 'function_call', callId: '', name: recipient.name, status: 'in_progress' }
  },

  delta(item, text, effects) {
    // White space at the beginning is held back: if nothing else comes, the arguments are {}.
    if (isEmpty(item.text) && text.trim() === '') item.held += text
    else {
      const held = item.held
      item.held = ''
      writeDelta(item, DELTA, held + text, effects)
    }
  },

  close(item, outcome, effects) {
    if (isEmpty(item.text)) {
      effects.notice('blank_arguments', item.name, item.held)
      item.held = ''
      // Every client needs a delta, and parses what it gets.
      writeDelta(item, DELTA, '{}', effects)
    }
    item.status = outcome
    effects.tell(item, 'response.function_call_arguments.done', {
      arguments: textOf(item.text),
    })
    return 'done'
  },

  wire(item) {
    return {
      type: 'function_call',
      id: item.id,
      status: item.status,
      call_id: item.callId,
      name: item.name,
      arguments: textOf(item.text),
    }
  },
}
