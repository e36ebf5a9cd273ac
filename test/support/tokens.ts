import bpeRanks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { markerText, SPECIAL, VOCABULARY_SIZE } from '../../src/core/harmony/vocabulary.js'
import { createEncoder } from '../../src/core/tokens/encoder.js'
import { loadTokenTable } from '../../src/core/tokens/load-token-table.js'
import { splitMarkers } from '../../src/judge/conformance/arbitraries/markers.js'

export { cut } from '../../src/judge/conformance/arbitraries/chunk-plan.js'
export { spellsMarker, splitMarkers } from '../../src/judge/conformance/arbitraries/markers.js'

/** The special ids by name, short because tests are full of them: `m.start`, `m.channel`, `m.message`. */
export const m: typeof SPECIAL = SPECIAL

const table = await loadTokenTable()

let encoder: ((text: string) => number[]) | undefined

/** The ids of text in which nothing is a marker: `<|end|>` becomes the tokens of its seven characters. */
export function encodeText(text: string): number[] {
  // Created at first use, because it is slow and most tests that import this file encode nothing.
  encoder ??= createEncoder(table)
  return encoder(text)
}

/** The text of ordinary tokens; throws if their bytes are invalid UTF-8. */
export function decodeTokens(ids: readonly number[]): string {
  const bytes = Uint8Array.from(ids.flatMap((id) => [...table.bytes(id)]))
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

/** The bytes of an ordinary token, as gpt-tokenizer has them; `undefined` for special and unknown ids. */
export function tokenBytes(id: number): Uint8Array | undefined {
  const token = bpeRanks[id]
  if (token === undefined) return undefined
  return typeof token === 'string' ? new TextEncoder().encode(token) : Uint8Array.from(token)
}

/** The ids of text whose `<|markers|>` are special tokens; each span between two markers is encoded alone. */
export function encodeHarmony(text: string): number[] {
  return splitMarkers(text).flatMap((part) => (typeof part === 'number' ? [part] : encodeText(part)))
}

/** A token as a person reads it: `<|start|>`, `"assistant"`, `⟨f0 9f⟩` if its bytes are not text, `⟨201088⟩`. */
export function showToken(id: number): string {
  const bytes = tokenBytes(id)
  if (bytes === undefined) return id < VOCABULARY_SIZE ? markerText(id) : `⟨${id}⟩`
  try {
    return JSON.stringify(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return `⟨${Buffer.from(bytes).toString('hex').replace(/..\B/g, '$& ')}⟩`
  }
}
