import type { Logprob, OutputText, Phase } from '../../responses/items.js'
import { appendText, textOf } from '../text-buffer.js'
import type { ItemBase, ItemKind } from './item.js'

/*
 * message: the answer (channel final) or a preamble (channel commentary)
 *
 *     output_item.added
 *       content_part.added
 *         output_text.delta *
 *         output_text.done
 *       content_part.done
 *     output_item.done
 */

export interface Message extends ItemBase {
  type: 'message'
  phase: Phase
  status: 'in_progress' | 'completed' | 'incomplete'
  /** Of every token of the text, where the request includes them. */
  logprobs: Logprob[]
}

export const message: ItemKind<Message> = {
  type: 'message',
  prefix: 'msg',
  opens: 'header',
  result: 'none',
  isRunByClient: false,

  create(recipient, base) {
    return { ...base, type: 'message', phase: recipient.phase, status: 'in_progress', logprobs: [] }
  },

  open(item, effects) {
    effects.tell(item, 'response.content_part.added', {
      content_index: 0,
      part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
    })
  },

  delta(item, text, logprobs, effects) {
    appendText(item.text, text)
    for (const logprob of logprobs) item.logprobs.push(logprob)
    effects.write({
      type: 'response.output_text.delta',
      sequence_number: effects.sequencer.sequenceNumber(),
      item_id: item.id,
      output_index: item.outputIndex,
      content_index: 0,
      delta: text,
      logprobs: logprobs.length === 0 ? [] : structuredClone(logprobs),
    })
  },

  close(item, outcome, effects) {
    item.status = outcome
    effects.tell(item, 'response.output_text.done', {
      content_index: 0,
      text: textOf(item.text),
      logprobs: structuredClone(item.logprobs),
    })
    effects.tell(item, 'response.content_part.done', {
      content_index: 0,
      part: partOf(item),
    })
    return 'done'
  },

  wire(item) {
    return {
      type: 'message',
      id: item.id,
      status: item.status,
      role: 'assistant',
      phase: item.phase,
      // The API announces a message without its part; the part is announced by an event of its own.
      content: item.stage === 'silent' ? [] : [partOf(item)],
    }
  },
}

function partOf(item: Message): OutputText {
  return { type: 'output_text', text: textOf(item.text), annotations: [], logprobs: structuredClone(item.logprobs) }
}
