import type { ScoredText } from '../citations/citation-stage.js'
import type { Logprob } from '../responses/items.js'
import { createDetokenizer } from '../tokens/detokenizer.js'

/** A token of a header: its bytes and, if it has one, its log-probability. Plain JSON. */
export interface HeaderToken {
  readonly logprob: Logprob | null
  readonly bytes: readonly number[]
}

/** Represents a marker that belongs to no header. A character cannot continue across it. */
export const BREAK: HeaderToken = { logprob: null, bytes: [] }

/**
 * Locates tokens of a header in the text with which it turned into a message.
 *
 * @param tokens - the header's tokens since its last marker; `lead` is the end of their text
 */
export function tokensOfLead(tokens: readonly HeaderToken[], lead: string): ScoredText[] {
  const bytes = (at: number): Uint8Array => Uint8Array.from((tokens[at] as HeaderToken).bytes)
  const detokenizer = createDetokenizer({ size: 0, text: () => undefined, bytes })
  const placed: ScoredText[] = []
  let text = ''
  /** The first token without text so far: part of a character. */
  let silent = 0
  const place = (part: string, until: number): void => {
    if (part === '') return
    const [start, end] = [text.length, text.length + part.length]
    for (const { logprob } of tokens.slice(silent, until)) if (logprob !== null) placed.push({ logprob, start, end })
    text += part
    silent = until
  }
  for (const [at, token] of tokens.entries()) {
    place(token.bytes.length === 0 ? detokenizer.flush() : detokenizer.push(at), at + 1)
  }
  // The header ended inside a character.
  if (!text.endsWith(lead)) place(detokenizer.flush(), tokens.length)
  const before = text.length - lead.length
  return placed.flatMap(({ logprob, start, end }) =>
    end > before ? [{ logprob, start: Math.max(0, start - before), end: end - before }] : [],
  )
}
