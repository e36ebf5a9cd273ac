import { RequestError } from '../../shared/request-error.js'
import type { Slices, Work } from '../../shared/slices.js'

/** Limits of a JSON text. */
export interface JsonBounds {
  /** Nested levels of objects and arrays. */
  readonly depth: number
  /** Objects, arrays and their entries, in total. */
  readonly values: number
  /** Distinct names of fields: each costs the parser more than anything else in a text. */
  readonly names: number
}

/** Counts the contents of a JSON text before it is parsed. */
export interface JsonScan {
  /**
   * Reads the next bytes of the text, cut anywhere, in a nanosecond or two per byte.
   *
   * @throws RequestError if the text is nested too deeply (400) or holds too many values (413)
   */
  push(bytes: Uint8Array): void
  /** How many values the text has contained so far. */
  readonly values: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c

/**
 * Enforces limits on a JSON text before it is parsed, which takes a second for 3 MB of brackets. A text that is not JSON is counted too, and left to the parser.
 */
export function createJsonScan({ depth, values, names: maxNames }: JsonBounds): JsonScan {
  // Random, so that a client cannot prepare names with colliding hashes.
  const [seed = 0] = crypto.getRandomValues(new Int32Array(1))
  let isInString = false
  let isEscaped = false
  let level = 0
  let count = 0
  /** The hash of the current string, or of the last one. */
  let hash = 0
  /** The names of fields, by their hashes; names with the same hash count once. */
  const names = new Set<number>()
  return {
    get values() {
      return count
    },
    push(bytes) {
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at] as number
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (byte === QUOTE) isInString = false
          else isEscaped = byte === BACKSLASH
          hash = Math.imul(hash ^ byte, 0x01000193)
        } else if (byte === QUOTE) {
          isInString = true
          hash = seed
        } else if (byte === COLON) {
          names.add(hash)
          if (names.size > maxNames) throw tooManyNames(maxNames)
        } else if (byte === COMMA) count += 1
        // `[` and `{`, `]` and `}` differ in one bit.
        else if ((byte | 0x20) === 0x7b) {
          count += 1
          level += 1
          if (level > depth) throw tooDeep(depth)
        } else if ((byte | 0x20) === 0x7d) level -= 1
        if (count > values) throw tooManyValues(values)
      }
    },
  }
}

/** The size of a chunk, in UTF-16 units. */
const CHUNK = 65_536
/** How many units are scanned in the time that encoding one takes. */
const SCANNED = 32

/** Scans a complete text. Returns the number of its values. @throws RequestError like {@link JsonScan.push} */
export function* scanJson(text: string, bounds: JsonBounds, work: Work): Slices<number> {
  const scan = createJsonScan(bounds)
  const utf8 = new TextEncoder()
  for (let at = 0; at < text.length; at += CHUNK) {
    // A surrogate pair that is cut encodes to other bytes, but none of them is syntax of JSON either.
    scan.push(utf8.encode(text.slice(at, at + CHUNK)))
    work.left -= CHUNK / SCANNED
    if (work.left <= 0) yield* work.pause()
  }
  return scan.values
}

function tooDeep(levels: number): RequestError {
  const message = `The body of the request is nested too deeply. Expected at most ${levels} levels of objects and arrays.`
  return new RequestError(message, { code: 'invalid_value' })
}

/** @param max - {@link JsonBounds.names} */
export function tooManyNames(max: number): RequestError {
  const message = `The body of the request has too many different names of fields. Expected at most ${max}.`
  return new RequestError(message, { status: 413, code: 'request_too_large' })
}

/** @param max - {@link JsonBounds.values} */
export function tooManyValues(max: number): RequestError {
  const message = `The body of the request has too many values. Expected at most ${max} objects, arrays and their entries.`
  return new RequestError(message, { status: 413, code: 'request_too_large' })
}
