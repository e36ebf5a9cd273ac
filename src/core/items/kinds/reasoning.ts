import type { ReasoningForm } from '../../options/reasoning-forms.js'
import { stringResult } from '../../options/string-result.js'
import { appendText, textOf } from '../../text/text-buffer.js'
import type { ItemContext } from '../item-context.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemBase } from '../item-state.js'

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

export interface Reasoning extends ItemBase {
  type: 'reasoning'
  forms: readonly ReasoningForm[]
  /** The host's sealed form of the complete text, if the request includes it. */
  sealed: string | null
}

/** The `include` value that requests sealed reasoning. */
const SEALED = 'reasoning.encrypted_content'

/** Event names and part type of each form. */
const FORMS = {
  raw: { part: 'content_part', text: 'reasoning_text', type: 'reasoning_text', at: { content_index: 0 } },
  summary: {
    part: 'reasoning_summary_part',
    text: 'reasoning_summary_text',
    type: 'summary_text',
    at: { summary_index: 0 },
  },
} as const

export const reasoning: ItemKind<Reasoning> = {
  prefix: 'rs',
  isReasoning: true,

  create: (_subject, context) => ({ forms: context.reasoningForms(), sealed: null }),

  open(item, context) {
    for (const form of item.forms) emitPart(item, form, 'added', '', context)
  },

  delta(item, delta, context) {
    appendText(item.text, delta)
    for (const form of item.forms) {
      if (form === 'summary')
        context.emitFor(item, 'response.reasoning_summary_text.delta', { summary_index: 0, delta })
      else {
        context.emit({
          type: 'response.reasoning_text.delta',
          sequence_number: context.nextSequenceNumber(),
          item_id: item.id,
          output_index: item.outputIndex,
          content_index: 0,
          delta,
        })
      }
    }
  },

  close(item, _outcome, context) {
    const text = textOf(item.text)
    const { sealReasoning } = context.options
    // Sealed before any event ends the text, because the host's callback may throw.
    if (sealReasoning && context.includes(SEALED))
      item.sealed = stringResult('sealReasoning', sealReasoning(text, item.id))
    for (const form of item.forms) {
      context.emitFor(item, `response.${FORMS[form].text}.done`, { ...FORMS[form].at, text })
      emitPart(item, form, 'done', text, context)
    }
  },

  wire: (item) => ({
    summary: item.stage !== 'silent' && item.forms.includes('summary') ? [partOf('summary', textOf(item.text))] : [],
    content: item.stage !== 'silent' && item.forms.includes('raw') ? [partOf('raw', textOf(item.text))] : [],
    ...(item.sealed !== null && { encrypted_content: item.sealed }),
  }),
}

function emitPart(
  item: Reasoning,
  form: ReasoningForm,
  what: 'added' | 'done',
  text: string,
  context: ItemContext,
): void {
  const fields = { ...FORMS[form].at, part: partOf(form, text) }
  context.emitFor(item, `response.${FORMS[form].part}.${what}`, fields)
}

function partOf<Form extends ReasoningForm>(
  form: Form,
  text: string,
): { type: (typeof FORMS)[Form]['type']; text: string } {
  return { type: FORMS[form].type, text }
}
