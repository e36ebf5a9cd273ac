import { HarmonyResponsesError } from '../errors.js'
import { mergeBytes } from './merge-bytes.js'
import { createTokenIndex } from './token-index.js'
import type { TokenTable } from './token-table.js'

/**
 * How o200k cuts text into pieces, each of which is encoded alone. `\s` is spelled out because it is another set here
 * (White_Space) than in JavaScript, and the contraction's `s` also matches U+017F, as case folding has it.
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

/**
 * An encoder of ordinary text: the ids that the o200k tokenizers give it, tiktoken's and the official
 * `encode(text, [])`. Nothing is a marker in it: `<|end|>` becomes the tokens of its seven characters. Markers are ids,
 * and a prompt is put together of both:
 *
 *     const encode = createEncoder(await loadTokenTable())
 *     const prompt = [200006, ...encode('user'), 200008, ...encode(text), 200007]
 *
 * What a letter is, the runtime's Unicode says. The official tokenizer's is 16.0: beside one of 17.0, words of the
 * 4,699 characters that came with it may be cut elsewhere. The text is the same.
 *
 * Makes an index of the table, in some 100 ms and 4 MB; so make one encoder and keep it. The encoder holds no state. A
 * lone surrogate is encoded as U+FFFD. The time is linear in the text, n log n in its longest word.
 *
 * @param tokenTable - of a vocabulary whose ids are its merge ranks, cut like o200k
 * @throws HarmonyResponsesError `bad_option` where a byte is no token of the table
 */
export function createEncoder(tokenTable: TokenTable): (text: string) => number[] {
  const index = createTokenIndex(tokenTable)
  for (let byte = 0; byte < 256; byte++) {
    if (index.idOf(Uint8Array.of(byte), 0, 1) !== undefined) continue
    const message = `tokenTable: expected a token for every byte, got none for byte ${byte}`
    throw new HarmonyResponsesError('bad_option', message)
  }
  const utf8 = new TextEncoder()

  return (text) => {
    const bytes = utf8.encode(text)
    const ids: number[] = []
    let start = 0
    for (const [piece] of text.matchAll(PIECES)) {
      const end = start + byteLength(piece)
      const whole = index.idOf(bytes, start, end)
      if (whole !== undefined) ids.push(whole)
      else mergeBytes(index, bytes, start, end, ids)
      start = end
    }
    return ids
  }
}

/** How many bytes a text has in UTF-8, where a lone surrogate is written as U+FFFD. */
function byteLength(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    // A pair is four bytes and two units; anything else up here is three bytes, or two below U+0800.
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
    if (isPair) at += 1
    length += unit < 0x800 ? 1 : 2
  }
  return length
}
