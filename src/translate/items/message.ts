import type { Logprob, OutputText, Phase, UrlCitation } from '../../responses/items.js'
import type { CitationState, CitedText, SaidText } from '../citation-stage.js'
import { appendText, textOf } from '../text-buffer.js'
import type { Effects, ItemBase, ItemKind } from './item.js'

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
  status: 'in_progress' | 'completed' | 'incomplete'
  /** Of every token of the text, where the request includes them. */
  logprobs: Logprob[]
  annotations: UrlCitation[]
  /** How far the text is read for citations; null where nobody reads it. */
  citing: CitationState | null
}

export const message: ItemKind<Message> = {
  type: 'message',
  prefix: 'msg',
  opens: 'header',
  result: 'none',
  isRunByClient: false,

  create({ phase }, base, effects) {
    const citing = effects.cite === undefined ? null : { held: '', tokens: [], length: 0 }
    return { ...base, type: 'message', phase, status: 'in_progress', logprobs: [], annotations: [], citing }
  },

  open(item, effects) {
    effects.tell(item, 'response.content_part.added', {
      content_index: 0,
      part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
    })
  },

  delta(item, text, effects, tokens) {
    if (item.citing !== null) writeCited(item, item.citing, { text, tokens, isLast: false }, effects)
    else writeText(item, text, tokens.length === 0 ? [] : tokens.map(({ logprob }) => logprob), effects)
  },

  release(item, effects) {
    if (item.citing !== null) writeCited(item, item.citing, { text: '', tokens: [], isLast: true }, effects)
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

function partOf({ text, annotations, logprobs }: Message): OutputText {
  return {
    type: 'output_text',
    text: textOf(text),
    annotations: structuredClone(annotations),
    logprobs: structuredClone(logprobs),
  }
}

function writeText(item: Message, text: string, logprobs: readonly Logprob[], effects: Effects): void {
  appendText(item.text, text)
  for (const logprob of logprobs) item.logprobs.push(logprob)
  effects.write({
    type: 'response.output_text.delta',
    sequence_number: effects.sequencer.sequenceNumber(),
    item_id: item.id,
    output_index: item.outputIndex,
    content_index: 0,
    delta: text,
    logprobs: logprobs.length === 0 ? [] : structuredClone(logprobs as Logprob[]),
  })
}

/** The text as it is: of a translator that was restored without the option. */
function uncited(state: CitationState, said: SaidText): CitedText[] {
  const text = state.held + said.text
  state.held = ''
  return text === '' ? [] : [{ text, logprobs: said.tokens.map(({ logprob }) => logprob) }]
}

function writeCited(item: Message, state: CitationState, said: SaidText, effects: Effects): void {
  for (const { text, logprobs, annotation } of effects.cite?.(state, said, effects.pages) ?? uncited(state, said)) {
    writeText(item, text, logprobs, effects)
    if (annotation === undefined) continue
    effects.tell(item, 'response.output_text.annotation.added', {
      content_index: 0,
      annotation_index: item.annotations.push(annotation) - 1,
      annotation: { ...annotation },
    })
  }
}
