import bpeRanks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { markerId, markerText, SPECIAL, VOCABULARY_SIZE } from '../../src/harmony/vocabulary.js'

/** The special ids by name, short because tests are full of them: `m.start`, `m.channel`, `m.message`. */
export const m: typeof SPECIAL = SPECIAL

/**
 * How o200k cuts text before merging. `\s` is spelled out because it is another set here (White_Space) than in
 * JavaScript, and the contraction's `s` also matches U+017F, as case folding has it.
 */
const S = String.raw`\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`
const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
const BEFORE = String.raw`[^\r\n\p{L}\p{N}]?`
const CONTRACTION = "(?:'(?:[sS\u017f]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?"
const PIECES = new RegExp(
  [
    `${BEFORE}${UPPER}*${LOWER}+${CONTRACTION}`,
    `${BEFORE}${UPPER}+${LOWER}*${CONTRACTION}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^${S}\p{L}\p{N}]+[\r\n/]*`,
    String.raw`[${S}]*[\r\n]+`,
    `[${S}]+(?![^${S}])`,
    `[${S}]+`,
  ].join('|'),
  'gu',
)

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

let rankTable: Map<string, number> | undefined

/** The rank of each token's bytes, the bytes written as a latin-1 string. Built at the first use, in about 60 ms. */
function ranks(): Map<string, number> {
  rankTable ??= new Map(
    bpeRanks.map((token, id) => [typeof token === 'string' ? latin1(token) : String.fromCharCode(...token), id]),
  )
  return rankTable
}

function mergePiece(piece: string): number[] {
  const table = ranks()
  const whole = table.get(piece)
  if (whole !== undefined) return [whole]
  const parts = Array.from(piece)
  for (;;) {
    let best = -1
    let bestRank = Number.POSITIVE_INFINITY
    for (let at = 0; at + 1 < parts.length; at++) {
      const rank = table.get(`${parts[at]}${parts[at + 1]}`)
      if (rank !== undefined && rank < bestRank) {
        best = at
        bestRank = rank
      }
    }
    if (best === -1) return parts.map((part) => table.get(part) ?? Number.NaN)
    parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`)
  }
}

const merged = new Map<string, number[]>()

/**
 * The ids of text in which nothing is a marker: `<|end|>` becomes the tokens of its seven characters. The same ids as
 * the official `encode(text, [])`; gpt-tokenizer gives only the vocabulary, because its encoder loses byte order marks,
 * takes JavaScript's `\s` for White_Space and throws at text that spells a marker.
 */
export function encodeText(text: string): number[] {
  const ids: number[] = []
  for (const [piece] of text.replace(/\p{Cs}/gu, '\ufffd').matchAll(PIECES)) {
    let pieceIds = merged.get(piece)
    if (pieceIds === undefined) {
      pieceIds = mergePiece(latin1(piece))
      if (merged.size > 50_000) merged.clear()
      merged.set(piece, pieceIds)
    }
    for (const id of pieceIds) ids.push(id)
  }
  return ids
}

/** The bytes of an ordinary token; `undefined` for special and unknown ids. */
export function tokenBytes(id: number): Uint8Array | undefined {
  const token = bpeRanks[id]
  if (token === undefined) return undefined
  return typeof token === 'string' ? new TextEncoder().encode(token) : Uint8Array.from(token)
}

const MARKER = /<\|([a-z]+(?:_[0-9]+)?)\|>/g

/** Cuts text at the markers it spells: ids for markers, strings for what lies between. */
export function splitMarkers(text: string): (number | string)[] {
  const parts: (number | string)[] = []
  let from = 0
  for (const match of text.matchAll(MARKER)) {
    const id = markerId(match[1] ?? '')
    if (id === undefined) continue
    if (match.index > from) parts.push(text.slice(from, match.index))
    parts.push(id)
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** Whether the text spells the name of a special token anywhere. */
export function spellsMarker(text: string): boolean {
  return splitMarkers(text).some((part) => typeof part === 'number')
}

/** The ids of text whose `<|markers|>` are special tokens; each span between two markers is encoded alone. */
export function encodeHarmony(text: string): number[] {
  return splitMarkers(text).flatMap((part) => (typeof part === 'number' ? [part] : encodeText(part)))
}

/** A token as a person reads it: `<|start|>`, `"assistant"`, `⟨f0 9f⟩` where its bytes are no text, `⟨201088⟩`. */
export function showToken(id: number): string {
  const bytes = tokenBytes(id)
  if (bytes === undefined) return id < VOCABULARY_SIZE ? markerText(id) : `⟨${id}⟩`
  try {
    return JSON.stringify(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return `⟨${Buffer.from(bytes).toString('hex').replace(/..\B/g, '$& ')}⟩`
  }
}

/**
 * Cuts an array, a typed array or a string into pieces of these lengths, in order; what is left after the last length
 * is one more piece, and lengths that reach past the end are cut off there.
 */
export function cut<T extends { readonly length: number; slice(start: number, end?: number): T }>(
  whole: T,
  sizes: readonly number[],
): T[] {
  const pieces: T[] = []
  let from = 0
  for (const size of sizes) {
    if (from >= whole.length) break
    pieces.push(whole.slice(from, from + size))
    from += size
  }
  if (from < whole.length) pieces.push(whole.slice(from))
  return pieces
}
