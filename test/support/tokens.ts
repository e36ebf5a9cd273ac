import bpeRanks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { splitMarkers } from '../../src/conformance/arbitraries/markers.js'
import { markerText, SPECIAL, VOCABULARY_SIZE } from '../../src/harmony/vocabulary.js'

export { cut } from '../../src/conformance/arbitraries/chunk-plan.js'
export { spellsMarker, splitMarkers } from '../../src/conformance/arbitraries/markers.js'

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
