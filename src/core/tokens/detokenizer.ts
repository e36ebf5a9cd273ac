import { aTokenTable } from '../../shared/options/checks.js'
import type { TokenTable } from './token-table.js'

/** Decodes one run of ordinary tokens into text, token by token. A character may be spread over several tokens. */
export interface Detokenizer {
  /**
   * Returns the text that this token completes: '' while a character is incomplete, U+FFFD for invalid bytes, as the
   * web's `TextDecoder` does; keeps a byte order mark. Never ends inside a character. Ids that are not ordinary tokens
   * have no bytes.
   */
  push(id: number): string
  /**
   * Returns the same as {@link push}, but undefined in place of ''. A caller that only checks for text need not read
   * it: a token's text is rarely in the processor's cache.
   */
  next(id: number): string | undefined
  /** Ends the run and returns the rest: U+FFFD if a character is incomplete, else ''. Resets the state. */
  flush(): string
  /** The 0 to 3 bytes of the incomplete character, as plain numbers: the complete state, for snapshots. */
  carried(): number[]
}

/**
 * Creates a detokenizer for one run. It starts empty, or with the result of another one's `carried()`.
 *
 * @example
 * ```ts
 * import { createDetokenizer, loadTokenTable } from 'harmony-responses/tokens'
 *
 * const detokenizer = createDetokenizer(await loadTokenTable())
 * const text = [12194, 0].map((id) => detokenizer.push(id)).join('') + detokenizer.flush()
 * console.log(text) // Hi!
 * ```
 */
export function createDetokenizer(table: TokenTable, carried: readonly number[] = NOTHING): Detokenizer {
  aTokenTable(table, 'createDetokenizer: table')
  return new TableDetokenizer(table, carried)
}

const NOTHING: readonly number[] = []

// A class, because every open stream of a server has one, and closures would take more memory.
class TableDetokenizer implements Detokenizer {
  readonly #table: TokenTable
  /** Bytes of an incomplete character. */
  #carried: readonly number[]

  constructor(table: TokenTable, carried: readonly number[]) {
    this.#table = table
    this.#carried = carried
  }

  push(id: number): string {
    return this.next(id) ?? ''
  }

  next(id: number): string | undefined {
    const text = this.#table.text(id)
    if (text !== undefined && this.#carried.length === 0) return text
    let decoded = ''
    for (const byte of this.#table.bytes(id)) decoded += this.#take(byte)
    return decoded === '' ? undefined : decoded
  }

  flush(): string {
    // The carried bytes are the beginning of one character, so together they become one U+FFFD.
    const rest = this.#carried.length === 0 ? '' : REPLACEMENT
    this.#carried = NOTHING
    return rest
  }

  carried(): number[] {
    return [...this.#carried]
  }

  /** Implements the Encoding Standard's decoder, byte by byte. For so few bytes it is faster than a `TextDecoder`. */
  #take(byte: number): string {
    const before = this.#carried
    const [lead] = before
    if (lead === undefined) {
      if (byte < 0x80) return String.fromCharCode(byte)
      if (byte < 0xc2 || byte > 0xf4) return REPLACEMENT
      this.#carried = [byte]
      return ''
    }
    if (!continues(before, byte)) {
      // The carried bytes are invalid, and this byte starts afresh.
      this.#carried = NOTHING
      return REPLACEMENT + this.#take(byte)
    }
    const bytes = [...before, byte]
    const isWhole = bytes.length === (lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)
    this.#carried = isWhole ? NOTHING : bytes
    return isWhole ? characterOf(bytes) : ''
  }
}

const REPLACEMENT = '\uFFFD'

/** Whether a byte may follow. Second bytes that make overlong forms, surrogates or values beyond Unicode may not. */
function continues({ 0: lead = 0, length }: readonly number[], byte: number): boolean {
  if (byte < 0x80 || byte > 0xbf) return false
  if (length > 1) return true
  if (lead === 0xe0) return byte >= 0xa0
  if (lead === 0xed) return byte < 0xa0
  if (lead === 0xf0) return byte >= 0x90
  return lead !== 0xf4 || byte < 0x90
}

function characterOf([lead = 0, ...rest]: readonly number[]): string {
  const ofLead = lead & (0x3f >> rest.length)
  return String.fromCodePoint(rest.reduce((point, byte) => (point << 6) | (byte & 0x3f), ofLead))
}
