import { FIRST_SPECIAL, markerText } from '../harmony/vocabulary.js'
import { copyOf } from '../responses/copy-of.js'
import type { Logprob } from '../responses/items.js'
import type { HarmonyToken } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { HeaderToken } from './header-tokens.js'

/** The `include` value that requests log-probabilities. */
export const LOGPROBS = 'message.output_text.logprobs'

/** The API's value for impossible tokens. Engines write -Infinity, the lowest 32-bit number or NaN. */
const LOWEST = -9999

/**
 * Returns a text token with its log-probability and its alternatives in the API's form; null if the engine sent none.
 */
export function scoredToken(token: HarmonyToken, table: TokenTable | undefined): HeaderToken {
  const { id, logprob, topLogprobs = [] } = typeof token === 'number' ? { id: token } : token
  const bytesOf = (of: number): number[] => (of < FIRST_SPECIAL ? [...(table?.bytes(of) ?? [])] : [])
  const entry = (of: number, value: number): { token: string; logprob: number; bytes: number[] } => ({
    token: spellToken(of, table),
    logprob: clampLogprob(value),
    bytes: bytesOf(of),
  })
  if (logprob === undefined) return { logprob: null, bytes: bytesOf(id) }
  const top_logprobs = topLogprobs.map((top) => entry(top.id, top.logprob))
  const scored = frozen({ ...entry(id, logprob), top_logprobs })
  return { logprob: scored, bytes: scored.bytes }
}

/**
 * Returns log-probabilities for another event. Five events have those of the same token, with 20 alternatives 5 kB each:
 * they share it, frozen, in place of five copies, which made the end of a long answer take seconds.
 */
export function sharedLogprobs(logprobs: readonly Logprob[]): Logprob[] {
  // Those of a snapshot are not frozen yet.
  return logprobs.map((logprob) => (Object.isFrozen(logprob) ? logprob : frozen(copyOf(logprob))))
}

function frozen(logprob: Logprob): Logprob {
  for (const { bytes } of [logprob, ...logprob.top_logprobs]) Object.freeze(bytes)
  for (const top of logprob.top_logprobs) Object.freeze(top)
  Object.freeze(logprob.top_logprobs)
  return Object.freeze(logprob)
}

/** Clamps a log-probability to what JSON can express. Values above zero are floating-point noise. */
export function clampLogprob(value: number): number {
  return value > LOWEST ? Math.min(value, 0) : LOWEST
}

/** Spells a token for people: special tokens as markers, incomplete characters as U+FFFD. */
export function spellToken(id: number, table: TokenTable | undefined): string {
  if (id >= FIRST_SPECIAL) return markerText(id)
  return table?.text(id) ?? new TextDecoder('utf-8', { ignoreBOM: true }).decode(table?.bytes(id))
}
