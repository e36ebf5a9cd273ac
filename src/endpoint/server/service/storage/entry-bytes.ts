import { HarmonyResponsesError } from '../../../../shared/errors.js'
import { isLargeJson, jsonPieces } from '../../../../shared/json-pieces.js'
import { parseJson } from '../../../../shared/parse-json.js'
import { atOnce, createWork, type Slices, type Work } from '../../../../shared/slices.js'
import type { ChunkEntry, Entry } from '../../../journal/entry.js'

/*
 * Serializes entries for stores. A response has about one entry per token, which takes three bytes here: consecutive
 * entries of one token and of the same time share a record. All other entries are JSON.
 *
 *     block   = version record*
 *     record  = TOKENS at count id*        as many chunks of one token
 *             | CHUNK at count id*         one chunk of several
 *             | JSON length text
 *
 * Numbers are LEB128, ids three bytes, the lowest first.
 */

/** The version of the format. Raised whenever older readers could not read it. */
const VERSION = 1
const TOKENS = 1
const CHUNK = 2
const JSON_TEXT = 3
const ID_LIMIT = 0x1000000
/** The bytes of one token in this century, as nearly every append has it: its buffer then needs no copy. */
const ONE_TOKEN = 11

/** Bytes that are written or read in some milliseconds. */
const SLICE = 262_144

/** Encodes entries as bytes, for {@link decodeEntries}. */
export function encodeEntries(entries: readonly Entry[]): Uint8Array {
  return atOnce(encodeEntriesInSlices(entries))
}

/** Does the same in slices. */
export function* encodeEntriesInSlices(entries: readonly Entry[]): Slices<Uint8Array> {
  const bytes = new ByteWriter(entries.length === 1 ? ONE_TOKEN : 64)
  const work = createWork(SLICE)
  bytes.byte(VERSION)
  for (let at = 0; at < entries.length; ) {
    const before = bytes.size
    const entry = entries[at] as Entry
    if (entry.type !== 'chunk' && isLargeJson(entry)) {
      yield* writeLarge(bytes, entry, work)
      at += 1
    } else at += writeRecord(bytes, entries, at)
    work.left -= bytes.size - before
    if (work.left <= 0) yield* work.pause()
  }
  return bytes.done()
}

/** Writes one entry as JSON, in slices: that of a request may have megabytes. */
function* writeLarge(bytes: ByteWriter, entry: Entry, work: Work): Slices<void> {
  const utf8 = new TextEncoder()
  const pieces: Uint8Array[] = []
  for (const piece of jsonPieces(entry)) {
    const encoded = utf8.encode(piece)
    pieces.push(encoded)
    work.left -= encoded.length
    if (work.left <= 0) yield* work.pause()
  }
  bytes.byte(JSON_TEXT)
  bytes.pieces(pieces)
}

/** Writes one record, and returns how many entries it holds. */
function writeRecord(bytes: ByteWriter, entries: readonly Entry[], at: number): number {
  const entry = entries[at] as Entry
  if (!isPlain(entry)) {
    bytes.byte(JSON_TEXT)
    bytes.text(JSON.stringify(entry))
    return 1
  }
  const run = entry.tokens.length === 1 ? runLength(entries, at, entry.at) : 0
  bytes.byte(run > 0 ? TOKENS : CHUNK)
  bytes.number(entry.at)
  bytes.number(run > 0 ? run : entry.tokens.length)
  if (run === 0) for (const id of entry.tokens) bytes.id(id)
  for (let next = at; next < at + run; next++) bytes.id((entries[next] as PlainChunk).tokens[0] as number)
  return Math.max(run, 1)
}

/** @throws HarmonyResponsesError `bad_option` if they are not entries, or of a version that this one cannot read */
export function decodeEntries(bytes: Uint8Array): Entry[] {
  return atOnce(decodeEntriesInSlices(bytes))
}

/** Does the same in slices. @throws as {@link decodeEntries} */
export function* decodeEntriesInSlices(bytes: Uint8Array): Slices<Entry[]> {
  const entries: Entry[] = []
  if (bytes[0] !== VERSION) throw unreadable(`bytes of version ${VERSION}, got version ${bytes[0]}`)
  const reader = new ByteReader(bytes)
  const work = createWork(SLICE)
  reader.byte()
  while (!reader.isAtEnd) {
    const before = reader.at
    yield* readRecord(reader, entries, work)
    work.left -= reader.at - before
    if (work.left <= 0) yield* work.pause()
  }
  return entries
}

function* readRecord(reader: ByteReader, entries: Entry[], work: Work): Slices<void> {
  const kind = reader.byte()
  if (kind === JSON_TEXT) {
    entries.push((yield* parseJson(reader.text(), work)) as Entry)
    return
  }
  if (kind !== TOKENS && kind !== CHUNK) throw unreadable(`records of three kinds, got kind ${kind}`)
  const at = reader.number()
  const count = reader.number()
  const ids = reader.ids(count)
  if (kind === CHUNK) entries.push({ at, type: 'chunk', tokens: ids })
  else for (const id of ids) entries.push({ at, type: 'chunk', tokens: [id] })
}

type PlainChunk = ChunkEntry & { readonly at: number; readonly tokens: readonly number[] }

/** Whether the entry is nothing but a chunk of ids, which numbers can represent without loss. */
function isPlain(entry: Entry): entry is PlainChunk {
  return (
    entry.type === 'chunk' &&
    Number.isSafeInteger(entry.at) &&
    entry.at >= 0 &&
    entry.tokens.every((id) => typeof id === 'number' && id >= 0 && id < ID_LIMIT)
  )
}

/** Returns how many chunks of one token follow at the same time. */
function runLength(entries: readonly Entry[], from: number, at: number): number {
  let to = from
  for (; to < entries.length; to++) {
    const entry = entries[to] as Entry
    if (entry.at !== at || !isPlain(entry) || entry.tokens.length !== 1) break
  }
  return to - from
}

class ByteWriter {
  #bytes: Uint8Array
  #size = 0

  constructor(size: number) {
    this.#bytes = new Uint8Array(size)
  }

  get size(): number {
    return this.#size
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#size++] = value
  }

  number(value: number): void {
    let rest = value
    // Divides, since shifts are limited to 32 bits.
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) + 0x80)
    this.byte(rest)
  }

  id(value: number): void {
    this.#reserve(3)
    this.#bytes[this.#size++] = value & 0xff
    this.#bytes[this.#size++] = (value >> 8) & 0xff
    this.#bytes[this.#size++] = value >> 16
  }

  text(value: string): void {
    const encoded = new TextEncoder().encode(value)
    this.number(encoded.length)
    this.#reserve(encoded.length)
    this.#bytes.set(encoded, this.#size)
    this.#size += encoded.length
  }

  /** Writes a text that is encoded in pieces. */
  pieces(encoded: readonly Uint8Array[]): void {
    const length = encoded.reduce((sum, piece) => sum + piece.length, 0)
    this.number(length)
    this.#reserve(length)
    for (const piece of encoded) {
      this.#bytes.set(piece, this.#size)
      this.#size += piece.length
    }
  }

  done(): Uint8Array {
    return this.#size === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#size)
  }

  #reserve(more: number): void {
    if (this.#size + more <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#size + more))
    larger.set(this.#bytes.subarray(0, this.#size))
    this.#bytes = larger
  }
}

class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get at(): number {
    return this.#at
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  byte(): number {
    const value = this.#bytes[this.#at++]
    if (value === undefined) throw unreadable('whole entries, got bytes that were cut off')
    return value
  }

  number(): number {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }

  ids(count: number): number[] {
    if (count * 3 > this.#bytes.length - this.#at) throw unreadable('whole entries, got bytes that were cut off')
    return Array.from({ length: count }, () => this.byte() + this.byte() * 0x100 + this.byte() * 0x10000)
  }

  text(): string {
    const length = this.number()
    const end = this.#at + length
    if (end > this.#bytes.length) throw unreadable('whole entries, got bytes that were cut off')
    const text = new TextDecoder().decode(this.#bytes.subarray(this.#at, end))
    this.#at = end
    return text
  }
}

function unreadable(problem: string): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_option', `entries: expected ${problem}`)
}
