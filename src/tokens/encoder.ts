import { HarmonyResponsesError } from '../errors.js'
import { mergeBytes } from './merge-bytes.js'
import { createTokenIndex } from './token-index.js'
import type { TokenTable } from './token-table.js'

/**
 * How o200k splits text into pieces, each of which is encoded separately. `\s` is spelled out because it is another set
 * (White_Space) than in JavaScript, and the contraction's `s` also matches U+017F, as in case folding.
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

/** Texts of up to so many UTF-16 units are encoded in the same bytes. */
const SHORT = 1024
const BYTES_PER_UNIT = 3

/**
 * Creates an encoder of ordinary text, with the same ids as tiktoken's o200k and the official `encode(text, [])`. It
 * has no special tokens: `<|end|>` becomes the tokens of its seven characters. Add special tokens to a prompt as ids:
 *
 *     const encode = createEncoder(await loadTokenTable())
 *     const prompt = [200006, ...encode('user'), 200008, ...encode(text), 200007]
 *
 * The runtime's Unicode version decides what a letter is. The official tokenizer uses 16.0: with 17.0, words with any
 * of its 4,699 new characters may be split differently. They still decode to the same text.
 *
 * Builds an index of the table in some 30 ms and 4 MB, so create one encoder and keep it. The encoder is stateless. A
 * lone surrogate is encoded as U+FFFD. The time is linear in the text, n log n in its longest word.
 *
 * @param tokenTable - of a vocabulary whose ids are its merge ranks, and that splits text like o200k
 * @throws HarmonyResponsesError `bad_option` if the table lacks a token for some byte
 */
export function createEncoder(tokenTable: TokenTable): (text: string) => number[] {
  const index = createTokenIndex(tokenTable)
  for (let byte = 0; byte < 256; byte++) {
    if (index.idOf(Uint8Array.of(byte), 0, 1) !== undefined) continue
    const message = `tokenTable: expected a token for every byte, got none for byte ${byte}`
    throw new HarmonyResponsesError('bad_option', message)
  }
  const utf8 = new TextEncoder()
  // Kept from call to call, because making them takes longer than encoding a word of a header.
  const pieces = new RegExp(PIECES)
  const scratch = new Uint8Array(BYTES_PER_UNIT * SHORT)

  function bytesOf(text: string): Uint8Array {
    if (text.length > SHORT) return utf8.encode(text)
    utf8.encodeInto(text, scratch)
    return scratch
  }

  return (text) => {
    const bytes = bytesOf(text)
    const ids: number[] = []
    let start = 0
    let at = 0
    pieces.lastIndex = 0
    // Not the matches themselves: an object and a string for each take longer than the search.
    while (pieces.test(text)) {
      const end = start + byteLength(text, at, pieces.lastIndex)
      const whole = index.idOf(bytes, start, end)
      if (whole !== undefined) ids.push(whole)
      else mergeBytes(index, bytes, start, end, ids)
      start = end
      at = pieces.lastIndex
    }
    return ids
  }
}

/** A memo, which nobody can observe but by the time it saves; it keeps no table alive. */
const encoders = /* @__PURE__ */ new WeakMap<TokenTable, (text: string) => number[]>()

/** The encoder of a table, created once for each. */
export function encoderOf(tokenTable: TokenTable): (text: string) => number[] {
  let encode = encoders.get(tokenTable)
  if (encode === undefined) {
    encode = createEncoder(tokenTable)
    encoders.set(tokenTable, encode)
  }
  return encode
}

/** The length of a part of a text in UTF-8 bytes, with lone surrogates as U+FFFD. */
function byteLength(text: string, start: number, end: number): number {
  let length = end - start
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    // A pair is four bytes and two units; anything else up here is three bytes, or two below U+0800.
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
    if (isPair) at += 1
    length += unit < 0x800 ? 1 : 2
  }
  return length
}
