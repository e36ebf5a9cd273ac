import type { ReasoningForm } from '../../options/reasoning-forms.js'
import { stringResult } from '../../options/string-result.js'
import { appendText, textOf } from '../../text/text-buffer.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'

/*
 * reasoning: the chain of thought (channel analysis)
 *
 *     output_item.added
 *       content_part.added (reasoning_text)     raw: as in the gpt-oss cookbook and LM Studio
 *       reasoning_summary_part.added            summary: the same text where every client displays it
 *         reasoning_text.delta *
 *         reasoning_summary_text.delta *
 *         reasoning_text.done
 *       content_part.done
 *         reasoning_summary_text.done
 *       reasoning_summary_part.done
 *     output_item.done                          hidden: nothing in between
 */

export interface Reasoning extends ItemState {
  type: 'reasoning'
  forms: readonly ReasoningForm[]
  /** The host's sealed form of the complete text, if the request includes it. */
  sealed: string | null
}

/** The `include` value that requests sealed reasoning. */
const SEALED = 'reasoning.encrypted_content'

export const reasoning: ItemKind<Reasoning> = {
  prefix: 'rs',
  isReasoning: true,

  create: (_subject, context) => ({ forms: context.reasoningForms(), sealed: null }),

  delta(item, delta, context) {
    appendText(item.text, delta)
    for (const form of item.forms) {
      const sequence_number = context.nextSequenceNumber()
      const { id: item_id, outputIndex: output_index } = item
      // Literals, since this runs for every token.
      if (form === 'raw') {
        const type = 'response.reasoning_text.delta'
        context.emit({ type, sequence_number, item_id, output_index, content_index: 0, delta })
      } else {
        const type = 'response.reasoning_summary_text.delta'
        context.emit({ type, sequence_number, item_id, output_index, summary_index: 0, delta })
      }
    }
  },

  finish(item, context) {
    const { sealReasoning } = context.options
    if (sealReasoning && context.includes(SEALED))
      item.sealed = stringResult('sealReasoning', sealReasoning(textOf(item.text), item.id))
  },

  wire: (item) => ({
    summary: item.forms.includes('summary') ? [{ type: 'summary_text', text: textOf(item.text) }] : [],
    content: item.forms.includes('raw') ? [{ type: 'reasoning_text', text: textOf(item.text) }] : [],
    ...(item.sealed !== null && { encrypted_content: item.sealed }),
  }),
}
