import type { CitationState, CitedText, SaidText } from '../../citations/citation-stage.js'
import { pagesOf } from '../../citations/pages.js'
import type { ItemContext } from '../item-context.js'
import { type Message, message, writeText } from './message.js'

/*
 * message, whose citation marks become links and annotations if the host has a citation stage
 *
 *     output_item.added
 *       content_part.added
 *         output_text.delta *
 *         output_text.annotation.added *     each after the delta that completes the text it annotates
 *         output_text.done
 *       content_part.done
 *     output_item.done
 */

export const citedMessage: typeof message = {
  ...message,

  create: (recipient, context) => ({
    ...message.create(recipient, context),
    citing: context.options.citations ? { held: '', tokens: [], length: 0 } : null,
  }),

  delta(item, text, context, tokens) {
    if (item.citing === null) message.delta(item, text, context, tokens)
    else writeCited(item, item.citing, { text, tokens, isLast: false }, context)
  },

  isHolding: ({ citing }) => (citing?.held ?? '') !== '',

  release(item, context) {
    if (item.citing !== null) writeCited(item, item.citing, { text: '', tokens: [], isLast: true }, context)
  },
}

/** Passes text through unchanged, in a translator that was restored without the `citations` option. */
function uncited(state: CitationState, chunk: SaidText): CitedText[] {
  const text = state.held + chunk.text
  const logprobs = [...state.tokens, ...chunk.tokens].map(({ logprob }) => logprob)
  state.held = ''
  state.tokens = []
  return text === '' ? [] : [{ text, logprobs }]
}

function writeCited(item: Message, state: CitationState, chunk: SaidText, context: ItemContext): void {
  for (const cited of context.options.citations?.(state, chunk, pagesOf(context)) ?? uncited(state, chunk)) {
    // Between two adjacent marks of files there is no text.
    if (cited.text !== '') writeText(item, cited.text, cited.logprobs, context)
    if (cited.annotation === undefined) continue
    context.emitFor(item, {
      type: 'response.output_text.annotation.added',
      content_index: 0,
      annotation_index: item.annotations.length,
      annotation: { ...cited.annotation },
    })
    item.annotations.push(cited.annotation)
  }
}
