import type { TokenTable } from './token-table.js'

/** Turns one run of ordinary tokens into text, token by token, where a character may be spread over several tokens. */
export interface Detokenizer {
  /**
   * The text that became certain with this token: '' while a character is incomplete, U+FFFD for bytes that cannot
   * become one, by the rules of the web's `TextDecoder`; a byte order mark is kept. Never ends inside a character. An id
   * that is no ordinary token is no bytes.
   */
  push(id: number): string
  /** The text of a token that is text on its own, where nothing is carried; else `undefined`, and nothing is taken. */
  plain(id: number): string | undefined
  /** What is left at the end of the run: U+FFFD where a character stayed incomplete, else ''. Then nothing is carried. */
  flush(): string
  /** The bytes of the incomplete character, 0 to 3, as plain numbers: all the state there is, for snapshots. */
  carried(): number[]
}

/** A detokenizer for one run. It starts empty, or with what `carried()` of another one gave. */
export function createDetokenizer(table: TokenTable, carried: readonly number[] = NOTHING): Detokenizer {
  return new TableDetokenizer(table, carried)
}

const NOTHING: readonly number[] = []

/** Never asked to stream, and so without a state: a streaming decoder that is shared leaks half characters. */
const utf8: TextDecoder = new TextDecoder('utf-8', { ignoreBOM: true })

// A class, because a server has one for each stream that it is in the middle of, and closures are its memory.
class TableDetokenizer implements Detokenizer {
  readonly #table: TokenTable
  #carried: readonly number[]

  constructor(table: TokenTable, carried: readonly number[]) {
    this.#table = table
    this.#carried = carried
  }

  push(id: number): string {
    const text = this.#table.text(id)
    if (text !== undefined && this.#carried.length === 0) return text
    const bytes = Uint8Array.of(...this.#carried, ...this.#table.bytes(id))
    const decoded = utf8.decode(bytes)
    // The valid beginning of a character is decoded as one U+FFFD, two bytes that do not fit as one each.
    const last = bytes.subarray(bytes.findLastIndex((byte) => byte >= 0xc0))
    const isBegun = isBeginning(last) && utf8.decode(last) === '\uFFFD'
    this.#carried = isBegun ? [...last] : NOTHING
    return isBegun ? decoded.slice(0, -1) : decoded
  }

  plain(id: number): string | undefined {
    return this.#carried.length === 0 ? this.#table.text(id) : undefined
  }

  flush(): string {
    // What is carried is one character's beginning, and so becomes one U+FFFD, of however many bytes.
    const rest = this.#carried.length === 0 ? '' : '\uFFFD'
    this.#carried = NOTHING
    return rest
  }

  carried(): number[] {
    return [...this.#carried]
  }
}

/** Whether a character of more bytes may begin like this; whether its second byte fits is for the decoder to say. */
function isBeginning([lead = 0, , third]: Uint8Array): boolean {
  return lead >= 0xc2 && lead <= 0xf4 && (third === undefined || lead >= 0xf0)
}
