import { appendText, isBlank, textOf } from '../text-buffer.js'
import type { Effects, ItemBase, ItemKind } from './item.js'

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
  /** White space at the beginning, held back: if nothing else comes, the arguments are {}. */
  blank: string
}

export const functionCall: ItemKind<FunctionCall> = {
  type: 'function_call',
  prefix: 'fc',
  opens: 'header',
  result: 'none',
  isRunByClient: true,

  create(recipient, base) {
    return { ...base, type: 'function_call', callId: '', name: recipient.name, status: 'in_progress', blank: '' }
  },

  open() {},

  delta(item, text, _logprobs, effects) {
    if (isBlank(item.text) && text.trim() === '') item.blank += text
    else {
      writeDelta(item, item.blank + text, effects)
      item.blank = ''
    }
  },

  close(item, outcome, effects) {
    if (isBlank(item.text)) {
      effects.notice('blank_arguments', item.name, item.blank)
      item.blank = ''
      // Every client needs a delta, and parses what it gets.
      writeDelta(item, '{}', effects)
    }
    item.status = outcome
    effects.write({
      type: 'response.function_call_arguments.done',
      sequence_number: effects.sequenceNumber(),
      item_id: item.id,
      output_index: item.outputIndex,
      arguments: textOf(item.text),
    })
    return 'done'
  },

  settle() {},

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

function writeDelta(item: FunctionCall, delta: string, effects: Effects): void {
  appendText(item.text, delta)
  effects.write({
    type: 'response.function_call_arguments.delta',
    sequence_number: effects.sequenceNumber(),
    item_id: item.id,
    output_index: item.outputIndex,
    delta,
  })
}
