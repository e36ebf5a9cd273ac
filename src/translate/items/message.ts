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
 *         output_text.annotation.added *     each after the delta that completes what it is about
 *         output_text.done
 *       content_part.done
 *     output_item.done
 */

export interface Message extends ItemBase {
  type: 'message'
  phase: Phase
  /** Of every token of the text, where the request includes them. */
  logprobs: Logprob[]
  annotations: UrlCitation[]
  /** How far the text is read for citations; null where nobody reads it. */
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
    // The API announces a message without its part; the part is announced by an event of its own.
    content: item.stage === 'silent' ? [] : [partOf(item)],
  }),
}

/** One empty list for all deltas: making one for each token is time and memory. */
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
    // There is a delta for each token: what copies nothing is not called.
    logprobs: logprobs.length === 0 ? [] : copyOf(logprobs as Logprob[]),
  })
}

/** The text as it is: of a translator that was restored without the option. */
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
