import { check, HarmonyResponsesError } from '../../shared/errors.js'
import { createTextLookup } from './text-lookup.js'

/**
 * The ordinary tokens of a vocabulary, by id. Special tokens are not included, because their spelling is not text of
 * the model. Immutable, so any number of streams can share one.
 */
export interface TokenTable {
  /**
   * Returns the token's text; undefined for ids that are not ordinary tokens, and for tokens whose bytes are not valid
   * UTF-8 on their own (1,562 tokens of o200k_harmony). Keeps a byte order mark.
   */
  text(id: number): string | undefined
  /**
   * Returns the token's 1 to 128 bytes; empty for ids that are not ordinary tokens. It is a view: do not write to it.
   */
  bytes(id: number): Uint8Array
  /** The number of ordinary tokens; their ids are 0..size-1. */
  readonly size: number
  /** Returns the hashes of all tokens, for an encoder, much faster than from their bytes. Optional. */
  hashes?(): TokenHashes
}

/** The hashes of all tokens. */
export interface TokenHashes {
  /** By id, as `hashOf` gives them. */
  readonly hashes: Uint32Array
  /** The length of the longest token, in bytes: at most 256. */
  readonly longest: number
}

/**
 * Creates a table from its raw bytes, which it keeps: `[one length byte per token][the bytes of all tokens]`, both in
 * the order of the ids. Throws `bad_option` if the lengths do not add up to the bytes.
 *
 * @example
 * ```ts
 * import { createDetokenizer, createTokenTable } from 'harmony-responses/tokens'
 *
 * const table = createTokenTable(Uint8Array.of(1, 2, ...new TextEncoder().encode('abc')))
 * console.log(createDetokenizer(table).push(1)) // bc
 * ```
 */
export function createTokenTable(raw: Uint8Array): TokenTable {
  check(raw instanceof Uint8Array, 'createTokenTable', 'the bytes of a token table', raw)
  const starts = tokenStarts(raw)
  const size = starts.length - 1
  const noBytes = raw.subarray(0, 0)

  function bytes(id: number): Uint8Array {
    const start = starts[id]
    const end = starts[id + 1]
    return start === undefined || end === undefined ? noBytes : raw.subarray(start, end)
  }

  return { text: createTextLookup(size, bytes), bytes, size }
}

/** Returns the start of each token's bytes in the raw table, and the end of the last one's. */
function tokenStarts(raw: Uint8Array): Uint32Array {
  // The table does not store its size: it is the count at which the lengths, and the bytes that they add up to, fill
  // the table.
  let size = 0
  let byteCount = 0
  while (size + byteCount < raw.length) {
    byteCount += raw[size] ?? 0
    size += 1
  }
  if (size + byteCount !== raw.length) {
    const message = `expected a raw token table, got ${raw.length} bytes in which lengths and tokens do not add up`
    throw new HarmonyResponsesError('bad_option', message)
  }
  const starts = new Uint32Array(size + 1)
  starts[0] = size
  for (let id = 0; id < size; id++) starts[id + 1] = (starts[id] ?? 0) + (raw[id] ?? 0)
  return starts
}
