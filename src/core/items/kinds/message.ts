import { copyOf } from '../../../shared/copy-of.js'
import type { CitationState } from '../../citations/citation-stage.js'
import type { Citation, Logprob, OutputText, Phase } from '../../responses/items.js'
import { appendText, textOf } from '../../text/text-buffer.js'
import type { ItemContext } from '../item-context.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemBase } from '../item-state.js'

/*
 * message: the answer (channel final) or a preamble (channel commentary)
 *
 *     output_item.added
 *       content_part.added
 *         output_text.delta *
 *         output_text.annotation.added *     only with citations: see cited-message.ts
 *         output_text.done
 *       content_part.done
 *     output_item.done
 */

export interface Message extends ItemBase {
  type: 'message'
  phase: Phase
  /** Log-probabilities of the text's tokens, if the request includes them. */
  logprobs: Logprob[]
  annotations: Citation[]
  /** State of the citation stage; null without one. Only `citedMessage` has one. */
  citing: CitationState | null
}

export const message: ItemKind<Message> & Required<Pick<ItemKind<Message>, 'delta'>> = {
  prefix: 'msg',
  isScored: true,

  create: ({ phase }) => ({ phase, logprobs: [], annotations: [], citing: null }),

  delta(item, text, context, tokens) {
    writeText(item, text, tokens.length === 0 ? NONE : tokens.map(({ logprob }) => logprob), context)
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
    logprobs: copyOf(item.logprobs),
  }
}

/** Emits text as a delta, with the log-probabilities of its tokens. */
export function writeText(item: Message, text: string, logprobs: readonly Logprob[], context: ItemContext): void {
  appendText(item.text, text)
  for (const logprob of logprobs) item.logprobs.push(logprob)
  context.emit({
    type: 'response.output_text.delta',
    sequence_number: context.nextSequenceNumber(),
    item_id: item.id,
    output_index: item.outputIndex,
    content_index: 0,
    delta: text,
    // Skips the copy of an empty list, since this runs for every token.
    logprobs: logprobs.length === 0 ? [] : copyOf(logprobs as Logprob[]),
  })
}
