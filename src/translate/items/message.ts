import type { Logprob, OutputText, Phase, UrlCitation } from '../../responses/items.js'
import type { CitationState, CitedText, SaidText } from '../citation-stage.js'
import { copyOf } from '../copy-of.js'
import { appendText, textOf } from '../text-buffer.js'
import type { ItemBase } from './item-base.js'
import type { ItemContext } from './item-context.js'
import type { ItemKind } from './item-kind.js'

/*
 * message: the answer (channel final) or a preamble (channel commentary)
 *
 *     output_item.added
 *       content_part.added
 *         output_text.delta *
 *         output_text.annotation.added *     each after the delta that completes the text it annotates
 *         output_text.done
 *       content_part.done
 *     output_item.done
 */

export interface Message extends ItemBase {
  type: 'message'
  phase: Phase
  /** Log-probabilities of the text's tokens, if the request includes them. */
  logprobs: Logprob[]
  annotations: UrlCitation[]
  /** State of the citation stage; null without one. */
  citing: CitationState | null
}

export const message: ItemKind<Message> = {
  prefix: 'msg',
  isScored: true,

  create: (recipient, context) => ({
    phase: recipient.phase,
    logprobs: [],
    annotations: [],
    citing: context.options.citations ? { held: '', tokens: [], length: 0 } : null,
  }),

  open(item, context) {
    context.emitFor(item, 'response.content_part.added', { content_index: 0, part: partOf(item) })
  },

  delta(item, text, context, tokens) {
    if (item.citing !== null) writeCited(item, item.citing, { text, tokens, isLast: false }, context)
    else writeText(item, text, tokens.length === 0 ? NONE : tokens.map(({ logprob }) => logprob), context)
  },

  isHolding: ({ citing }) => (citing?.held ?? '') !== '',

  release(item, context) {
    if (item.citing !== null) writeCited(item, item.citing, { text: '', tokens: [], isLast: true }, context)
  },

  close(item, _outcome, context) {
    const { text, logprobs } = partOf(item)
    context.emitFor(item, 'response.output_text.done', { content_index: 0, text, logprobs })
    context.emitFor(item, 'response.content_part.done', { content_index: 0, part: partOf(item) })
  },

  wire: (item) => ({
    role: 'assistant',
    phase: item.phase,
    // The API adds a message without its part; an event of its own adds the part.
    content: item.stage === 'silent' ? [] : [partOf(item)],
  }),
}

/** One empty list for all deltas, to avoid an allocation per token. */
const NONE: readonly Logprob[] = []

function partOf(item: Message): OutputText {
  return {
    type: 'output_text',
    text: textOf(item.text),
    annotations: copyOf(item.annotations),
    logprobs: copyOf(item.logprobs),
  }
}

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
    // Skip the copy of an empty list: this runs for every token.
    logprobs: logprobs.length === 0 ? [] : copyOf(logprobs as Logprob[]),
  })
}

/** Passes text through unchanged, in a translator that was restored without the `citations` option. */
function uncited(state: CitationState, said: SaidText): CitedText[] {
  const text = state.held + said.text
  const logprobs = [...state.tokens, ...said.tokens].map(({ logprob }) => logprob)
  state.held = ''
  state.tokens = []
  return text === '' ? [] : [{ text, logprobs }]
}

function writeCited(item: Message, state: CitationState, said: SaidText, context: ItemContext): void {
  for (const cited of context.options.citations?.(state, said, context.pages) ?? uncited(state, said)) {
    writeText(item, cited.text, cited.logprobs, context)
    if (cited.annotation === undefined) continue
    context.emitFor(item, 'response.output_text.annotation.added', {
      content_index: 0,
      annotation_index: item.annotations.length,
      annotation: { ...cited.annotation },
    })
    item.annotations.push(cited.annotation)
  }
}
