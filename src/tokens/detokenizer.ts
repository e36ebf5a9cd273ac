import type { TokenTable } from './token-table.js'

/** Turns one run of ordinary tokens into text, token by token, where a character may be spread over several tokens. */
export interface Detokenizer {
  /**
   * The text that became certain with this token: '' while a character is incomplete, U+FFFD for bytes that cannot
   * become one, by the rules of the web's `TextDecoder`; a byte order mark is kept. Never ends inside a character. An
   * id that is no ordinary token is no bytes.
   */
  push(id: number): string
  /**
   * What is left at the end of the run: U+FFFD where a character stayed incomplete, else ''. Then nothing is carried.
   */
  flush(): string
  /** The bytes of the incomplete character, 0 to 3, as plain numbers: all the state there is, for snapshots. */
  carried(): number[]
}

/** A detokenizer for one run. It starts empty, or with what `carried()` of another one gave. */
export function createDetokenizer(table: TokenTable, carried: readonly number[] = NOTHING): Detokenizer {
  return new TableDetokenizer(table, carried)
}

const NOTHING: readonly number[] = []

// A class, because a server has one for each stream that it is in the middle of, and closures are its memory.
class TableDetokenizer implements Detokenizer {
  readonly #table: TokenTable
  /** Bytes of a character that is not complete. */
  #carried: readonly number[]

  constructor(table: TokenTable, carried: readonly number[]) {
    this.#table = table
    this.#carried = carried
  }

  push(id: number): string {
    const text = this.#table.text(id)
    if (text !== undefined && this.#carried.length === 0) return text
    let decoded = ''
    for (const byte of this.#table.bytes(id)) decoded += this.#take(byte)
    return decoded
  }

  flush(): string {
    // What is carried is one character's beginning, and so becomes one U+FFFD, of however many bytes.
    const rest = this.#carried.length === 0 ? '' : REPLACEMENT
    this.#carried = NOTHING
    return rest
  }

  carried(): number[] {
    return [...this.#carried]
  }

  /** The decoder of the Encoding Standard, a byte at a time: a `TextDecoder` is made for more than these few bytes. */
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
      // What was begun is no character, and the byte begins anew.
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

/**
 * Whether a byte may follow: the second one not where the character would be overlong, half a pair, or beyond Unicode.
 */
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
