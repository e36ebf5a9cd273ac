import type { CitableText, CitationState, CitedText } from '../../citations/citation-stage.js'
import { pagesOf } from '../../citations/pages.js'
import { copyOf } from '../../responses/copy-of.js'
import type { Citation, Logprob, OutputText, Phase } from '../../responses/items.js'
import { sharedLogprobs } from '../../text/logprobs.js'
import { appendText, textOf } from '../../text/text-buffer.js'
import type { ItemContext } from '../item-context.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'

/*
 * message: the answer (channel final) or a preamble (channel commentary)
 *
 *     output_item.added
 *       content_part.added
 *         output_text.delta *
 *         output_text.annotation.added *     with citations, each after the delta that completes the text it annotates
 *         output_text.done
 *       content_part.done
 *     output_item.done
 */

export interface Message extends ItemState {
  type: 'message'
  phase: Phase
  /** Log-probabilities of the text's tokens, if the request includes them. */
  logprobs: Logprob[]
  annotations: Citation[]
  /** State of the citation stage, which turns marks into links and annotations; null without one. */
  citing: CitationState | null
}

export const message: ItemKind<Message> = {
  prefix: 'msg',
  isScored: true,

  create: ({ phase }, context) => ({
    phase,
    logprobs: [],
    annotations: [],
    citing: context.options.citations ? { held: '', tokens: [], length: 0 } : null,
  }),

  delta(item, text, context, tokens) {
    if (item.citing !== null) writeCited(item, item.citing, { text, tokens, isLast: false }, context)
    else writeText(item, text, tokens.length === 0 ? NONE : tokens.map(({ logprob }) => logprob), context)
  },

  isHolding: ({ citing }) => (citing?.held ?? '') !== '',

  release(item, context) {
    if (item.citing !== null) writeCited(item, item.citing, { text: '', tokens: [], isLast: true }, context)
  },

  wire: (item) => ({
    role: 'assistant',
    phase: item.phase,
    content: [partOf(item)],
  }),
}

/** One empty list for all deltas, which saves an allocation per token. */
const NONE: readonly Logprob[] = []

function partOf(item: Message): OutputText {
  return {
    type: 'output_text',
    text: textOf(item.text),
    annotations: copyOf(item.annotations),
    logprobs: sharedLogprobs(item.logprobs),
  }
}

/** Emits text as a delta, with the log-probabilities of its tokens. */
function writeText(item: Message, text: string, logprobs: readonly Logprob[], context: ItemContext): void {
  appendText(item.text, text)
  for (const logprob of logprobs) item.logprobs.push(logprob)
  context.emit({
    type: 'response.output_text.delta',
    sequence_number: context.nextSequenceNumber(),
    item_id: item.id,
    output_index: item.outputIndex,
    content_index: 0,
    delta: text,
    // Skips the call for an empty list, since this runs for every token.
    logprobs: logprobs.length === 0 ? [] : sharedLogprobs(logprobs),
  })
}

function writeCited(item: Message, state: CitationState, chunk: CitableText, context: ItemContext): void {
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

/** Passes text through unchanged, in a translator that was restored without the `citations` option. */
function uncited(state: CitationState, chunk: CitableText): CitedText[] {
  const text = state.held + chunk.text
  const logprobs = [...state.tokens, ...chunk.tokens].map(({ logprob }) => logprob)
  state.held = ''
  state.tokens = []
  return text === '' ? [] : [{ text, logprobs }]
}
