import type { Logprob } from '../responses/items.js'
import { createDetokenizer } from '../tokens/detokenizer.js'
import type { ScoredText } from './citation-stage.js'

/** A token of a header: its bytes, and its probability if it came with one. Plain JSON. */
export interface HeaderToken {
  readonly logprob: Logprob | null
  readonly bytes: readonly number[]
}

/** What stands for a marker that belongs to no header: a character is not completed across it. */
export const BREAK: HeaderToken = { logprob: null, bytes: [] }

/**
 * The tokens of the text with which a header turned out to be a message, by their places in it.
 *
 * @param tokens - those of the header since its last marker; the text is what they say last
 */
export function tokensOfLead(tokens: readonly HeaderToken[], lead: string): ScoredText[] {
  const bytes = (at: number): Uint8Array => Uint8Array.from((tokens[at] as HeaderToken).bytes)
  const detokenizer = createDetokenizer({ size: 0, text: () => undefined, bytes })
  const placed: ScoredText[] = []
  let text = ''
  /** The first token whose text is not certain: half a character. */
  let silent = 0
  const place = (said: string, until: number): void => {
    if (said === '') return
    const [start, end] = [text.length, text.length + said.length]
    for (const { logprob } of tokens.slice(silent, until)) if (logprob !== null) placed.push({ logprob, start, end })
    text += said
    silent = until
  }
  for (const [at, token] of tokens.entries()) {
    place(token.bytes.length === 0 ? detokenizer.flush() : detokenizer.push(at), at + 1)
  }
  // What ended the header left a half character behind.
  if (!text.endsWith(lead)) place(detokenizer.flush(), tokens.length)
  const before = text.length - lead.length
  return placed.flatMap(({ logprob, start, end }) =>
    end > before ? [{ logprob, start: Math.max(0, start - before), end: end - before }] : [],
  )
}
