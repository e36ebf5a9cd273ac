import { FIRST_SPECIAL, markerText } from '../harmony/vocabulary.js'
import type { Logprob } from '../responses/items.js'
import type { ScoredToken } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'

/** What a request has to include for log-probabilities to be shown. */
export const LOGPROBS = 'message.output_text.logprobs'

/** Impossible tokens are -Infinity to engines, which JSON has no word for; the API says -9999. */
const LOWEST = -9999

/** A token's probability, and its rivals', as the API shows them; none where the engine gave none. */
export function logprobsOf(scored: ScoredToken, table: TokenTable | undefined): Logprob[] {
  const { id, logprob, topLogprobs = [] } = scored
  if (logprob === undefined) return []
  const entry = (of: number, value: number): { token: string; logprob: number; bytes: number[] } => ({
    token: spellToken(of, table),
    logprob: Math.max(value, LOWEST),
    bytes: of < FIRST_SPECIAL ? [...(table?.bytes(of) ?? [])] : [],
  })
  return [{ ...entry(id, logprob), top_logprobs: topLogprobs.map((top) => entry(top.id, top.logprob)) }]
}

/** A token's text for people: special tokens as markers, half characters as U+FFFD. */
export function spellToken(id: number, table: TokenTable | undefined): string {
  if (id >= FIRST_SPECIAL) return markerText(id)
  return table?.text(id) ?? new TextDecoder('utf-8', { ignoreBOM: true }).decode(table?.bytes(id))
}
