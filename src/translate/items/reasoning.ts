import type { ReasoningText, SummaryText } from '../../responses/items.js'
import { appendText, textOf } from '../text-buffer.js'
import type { ItemBase, ItemKind, ReasoningForms } from './item.js'

/*
 * reasoning: the chain of thought (channel analysis)
 *
 *     output_item.added
 *       content_part.added (reasoning_text)     raw: as the gpt-oss cookbook and LM Studio put it on the wire
 *       reasoning_summary_part.added            summary: the same text where every client shows it
 *         reasoning_text.delta *
 *         reasoning_summary_text.delta *
 *         reasoning_text.done
 *       content_part.done
 *         reasoning_summary_text.done
 *       reasoning_summary_part.done
 *     output_item.done                          hidden: without anything between
 */

export interface Reasoning extends ItemBase {
  type: 'reasoning'
  status: 'in_progress' | 'completed' | 'incomplete'
  forms: ReasoningForms
  /** The text as the host sealed it, once it is whole and where the request includes it. */
  sealed: string | null
}

/** What a request has to include for sealed reasoning to be given. */
const SEALED = 'reasoning.encrypted_content'

const CONTENT = { content_index: 0 }
const SUMMARY = { summary_index: 0 }

export const reasoning: ItemKind<Reasoning> = {
  type: 'reasoning',
  prefix: 'rs',
  opens: 'header',
  result: 'none',
  isRunByClient: false,

  create(_subject, base, { reasoning: forms }) {
    return { ...base, type: 'reasoning', status: 'in_progress', forms, sealed: null }
  },

  open(item, effects) {
    const { raw, summary } = item.forms
    if (raw) effects.tell(item, 'response.content_part.added', { ...CONTENT, part: reasoningText('') })
    if (summary) effects.tell(item, 'response.reasoning_summary_part.added', { ...SUMMARY, part: summaryText('') })
  },

  delta(item, delta, effects) {
    const { raw, summary } = item.forms
    appendText(item.text, delta)
    if (raw) {
      effects.write({
        type: 'response.reasoning_text.delta',
        sequence_number: effects.sequencer.sequenceNumber(),
        item_id: item.id,
        output_index: item.outputIndex,
        content_index: 0,
        delta,
      })
    }
    if (summary) effects.tell(item, 'response.reasoning_summary_text.delta', { ...SUMMARY, delta })
  },

  close(item, outcome, effects) {
    const { raw, summary } = item.forms
    const text = textOf(item.text)
    item.status = outcome
    if (raw) {
      effects.tell(item, 'response.reasoning_text.done', { ...CONTENT, text })
      effects.tell(item, 'response.content_part.done', { ...CONTENT, part: reasoningText(text) })
    }
    if (summary) {
      effects.tell(item, 'response.reasoning_summary_text.done', { ...SUMMARY, text })
      effects.tell(item, 'response.reasoning_summary_part.done', { ...SUMMARY, part: summaryText(text) })
    }
    if (effects.seal !== undefined && effects.includes(SEALED)) item.sealed = effects.seal(text, item.id)
    return 'done'
  },

  wire({ id, status, stage, forms, sealed, text }) {
    const isShown = stage !== 'silent'
    return {
      type: 'reasoning',
      id,
      status,
      summary: isShown && forms.summary ? [summaryText(textOf(text))] : [],
      content: isShown && forms.raw ? [reasoningText(textOf(text))] : [],
      ...(sealed === null ? {} : { encrypted_content: sealed }),
    }
  },
}

function reasoningText(text: string): ReasoningText {
  return { type: 'reasoning_text', text }
}

function summaryText(text: string): SummaryText {
  return { type: 'summary_text', text }
}
