import { appendText, textOf } from '../text-buffer.js'
import type { ItemBase, ItemKind } from './item.js'

/*
 * reasoning: raw chain of thought (channel analysis), as the gpt-oss cookbook and LM Studio put it on the wire
 *
 *     output_item.added
 *       content_part.added (reasoning_text)
 *         reasoning_text.delta *
 *         reasoning_text.done
 *       content_part.done
 *     output_item.done
 */

export interface Reasoning extends ItemBase {
  type: 'reasoning'
  status: 'in_progress' | 'completed' | 'incomplete'
}

export const reasoning: ItemKind<Reasoning> = {
  type: 'reasoning',
  prefix: 'rs',
  opens: 'header',
  result: 'none',
  isRunByClient: false,

  create(_recipient, base) {
    return { ...base, type: 'reasoning', status: 'in_progress' }
  },

  open(item, effects) {
    effects.tell(item, 'response.content_part.added', {
      content_index: 0,
      part: { type: 'reasoning_text', text: '' },
    })
  },

  delta(item, text, _logprobs, effects) {
    appendText(item.text, text)
    effects.write({
      type: 'response.reasoning_text.delta',
      sequence_number: effects.sequencer.sequenceNumber(),
      item_id: item.id,
      output_index: item.outputIndex,
      content_index: 0,
      delta: text,
    })
  },

  close(item, outcome, effects) {
    item.status = outcome
    effects.tell(item, 'response.reasoning_text.done', {
      content_index: 0,
      text: textOf(item.text),
    })
    effects.tell(item, 'response.content_part.done', {
      content_index: 0,
      part: { type: 'reasoning_text', text: textOf(item.text) },
    })
    return 'done'
  },

  wire(item) {
    return {
      type: 'reasoning',
      id: item.id,
      status: item.status,
      summary: [],
      content: item.stage === 'silent' ? [] : [{ type: 'reasoning_text', text: textOf(item.text) }],
    }
  },
}
