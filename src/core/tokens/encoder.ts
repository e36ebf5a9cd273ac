import { HarmonyResponsesError } from '../../shared/errors.js'
import { aTokenTable } from '../../shared/options/checks.js'
import { atOnce, createWork, type Slices, type Work } from '../../shared/slices.js'
import { createMerger, type IdSink, MAX_SHORT_LENGTH } from './merge-bytes.js'
import { createCharacterKinds, Pieces } from './pieces.js'
import { tokenIndexOf } from './token-index.js'
import type { TokenTable } from './token-table.js'

/** UTF-16 units of pieces that are converted to bytes together, at most. */
const BATCH = 1024
const BYTES_PER_UNIT = 3
/** The cost of merging a byte of a short piece, in characters read. */
const MERGING = 4

const WORDS = ['system', 'developer', 'user', 'assistant', 'tool', 'analysis', 'commentary', 'final']

/**
 * Encodes ordinary text, at once or in slices.
 *
 * @example
 * ```ts
 * import { createEncoder, loadTokenTable } from 'harmony-responses/tokens'
 *
 * const encode = createEncoder(await loadTokenTable())
 * const slices = encode.slices('A long text. '.repeat(10_000), 131_072)
 * let step = slices.next()
 * for (; step.done !== true; step = slices.next()) await new Promise((resolve) => setTimeout(resolve))
 * console.log(step.value?.length) // 40001
 * ```
 */
export interface Encoder {
  (text: string): number[]
  /**
   * Encodes in slices of some milliseconds, so that other work can run in between. Besides the ids, it allocates only
   * some ten bytes for each character of the longest word.
   *
   * @param max - the maximum number of ids. Encoding stops as soon as there are known to be more
   * @returns the ids, or undefined if there are more than `max`
   */
  slices(text: string, max?: number): Slices<number[] | undefined>
  /**
   * Encodes in slices, and appends the ids to others.
   *
   * @param work - shared by everything that runs in the same slices
   * @param max - the maximum number of ids in all
   * @returns false as soon as there are known to be more; some of them are then missing
   * @internal
   */
  into(text: string, ids: IdSink, work: Work, max?: number): Slices<boolean>
}

/**
 * Creates an encoder of ordinary text, with the same ids as tiktoken's o200k and the official `encode(text, [])`. It
 * knows no special tokens: `<|end|>` becomes the tokens of its seven characters. Add special tokens to a prompt as ids.
 *
 * The runtime's Unicode version determines which characters are letters. The official tokenizer uses 16.0: with 17.0,
 * words with any of its 4,699 new characters may be split differently. They still decode to the same text.
 *
 * The first encoder of a table builds an index of it, in some 20 ms and 4 MB. The encoder is stateless. A lone
 * surrogate is encoded as U+FFFD. It takes time linear in the text, whatever its words, and never throws.
 *
 * @param tokenTable - a vocabulary whose ids are its merge ranks and which splits text like o200k
 * @throws HarmonyResponsesError `bad_option` if the table lacks a token for some byte
 *
 * @example
 * ```ts
 * import { createEncoder, loadTokenTable } from 'harmony-responses/tokens'
 *
 * const encode = createEncoder(await loadTokenTable())
 * const prompt = [200006, ...encode('user'), 200008, ...encode('Hi!'), 200007]
 * console.log(prompt.length) // 6
 * ```
 */
export function createEncoder(tokenTable: TokenTable): Encoder {
  aTokenTable(tokenTable, 'createEncoder: tokenTable')
  const index = tokenIndexOf(tokenTable)
  for (let byte = 0; byte < 256; byte++) {
    if (index.idOf(Uint8Array.of(byte), 0, 1) !== undefined) continue
    const message = `tokenTable: expected a token for every byte, got none for byte ${byte}`
    throw new HarmonyResponsesError('bad_option', message)
  }
  const utf8 = new TextEncoder()
  const kinds = createCharacterKinds()
  const merger = createMerger(index)
  // Reused by all calls, because allocating it takes longer than encoding a word of a header.
  const scratch = new Uint8Array(BYTES_PER_UNIT * BATCH)

  /** Encodes pieces that are short enough to be converted to bytes together. */
  function* encodeBatch(text: string, lengths: readonly number[], ids: IdSink, work: Work): Slices<void> {
    utf8.encodeInto(text, scratch)
    let from = 0
    let start = 0
    for (const length of lengths) {
      const end = start + byteLength(text, from, from + length)
      const whole = index.idOf(scratch, start, end)
      if (whole !== undefined) ids.push(whole)
      else if (end - start <= MAX_SHORT_LENGTH) {
        merger.mergeShort(scratch, start, end, ids)
        work.left -= MERGING * (end - start)
      } else {
        yield* merger.mergeLong(scratch.slice(start, end), ids, work)
        // Written again after a pause: another text may have been encoded meanwhile.
        utf8.encodeInto(text, scratch)
      }
      start = end
      from += length
    }
  }

  function* into(text: string, ids: IdSink, work: Work, max = Number.POSITIVE_INFINITY): Slices<boolean> {
    // The minimum number of ids, however the text is split: a UTF-16 unit is at least a byte.
    if (ids.length + text.length / index.longest > max) return false
    const pieces = new Pieces(text, kinds, work)
    /** The lengths of pieces that are not encoded yet, and the start of the first. */
    let lengths: number[] = []
    let from = 0
    while (pieces.at < text.length) {
      const start = pieces.at
      const end = pieces.next()
      if (end - from > BATCH) {
        yield* encodeBatch(text.slice(from, start), lengths, ids, work)
        lengths = []
        from = start
      }
      if (end - start > BATCH) {
        const bytes = utf8.encode(text.slice(start, end))
        if (ids.length + bytes.length / index.longest > max) return false
        yield* merger.mergeLong(bytes, ids, work)
        from = end
      } else if (end >= 0) lengths.push(end - start)
      if (ids.length > max) return false
      if (work.left <= 0) yield* work.pause()
    }
    yield* encodeBatch(from === 0 ? text : text.slice(from), lengths, ids, work)
    return ids.length <= max
  }

  function* slices(text: string, max?: number): Slices<number[] | undefined> {
    const ids: number[] = []
    return (yield* into(text, ids, createWork(), max)) ? ids : undefined
  }

  const encode = (text: string): number[] => atOnce(slices(text)) as number[]
  /** The words of headers. Every prompt encodes some of them. */
  const words = new Map(WORDS.map((word) => [word, encode(word)]))
  return Object.assign((text: string) => words.get(text)?.slice() ?? encode(text), { slices, into })
}

/** A memo: it changes no result and keeps no table alive. */
const encoders = /* @__PURE__ */ new WeakMap<TokenTable, Encoder>()

/** Returns the encoder of a table, which is created once. */
export function encoderOf(tokenTable: TokenTable): Encoder {
  let encode = encoders.get(tokenTable)
  if (encode === undefined) {
    encode = createEncoder(tokenTable)
    encoders.set(tokenTable, encode)
  }
  return encode
}

/** Returns the length of a part of a text in UTF-8 bytes, with lone surrogates as U+FFFD. */
function byteLength(text: string, start: number, end: number): number {
  let length = end - start
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    // A pair is four bytes and two units; any other unit here is three bytes, or two below U+0800.
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
    if (isPair) at += 1
    length += unit < 0x800 ? 1 : 2
  }
  return length
}
