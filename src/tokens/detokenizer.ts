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
export function createDetokenizer(table: TokenTable, carried: readonly number[] = []): Detokenizer {
  // Its own, and never asked to stream: a streaming decoder that is shared leaks half characters between streams.
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

  function push(id: number): string {
    const text = table.text(id)
    if (text !== undefined && carried.length === 0) return text
    const bytes = Uint8Array.of(...carried, ...table.bytes(id))
    const decoded = utf8.decode(bytes)
    // The valid beginning of a character is decoded as one U+FFFD, two bytes that do not fit as one each.
    const last = bytes.subarray(bytes.findLastIndex((byte) => byte >= 0xc0))
    const isBegun = isBeginning(last) && utf8.decode(last) === '\uFFFD'
    carried = isBegun ? [...last] : []
    return isBegun ? decoded.slice(0, -1) : decoded
  }

  function plain(id: number): string | undefined {
    return carried.length === 0 ? table.text(id) : undefined
  }

  function flush(): string {
    // What is carried is one character's beginning, and so becomes one U+FFFD, of however many bytes.
    const rest = carried.length === 0 ? '' : '\uFFFD'
    carried = []
    return rest
  }

  return { push, plain, flush, carried: () => [...carried] }
}

/** Whether a character of more bytes may begin like this; whether its second byte fits is for the decoder to say. */
function isBeginning([lead = 0, , third]: Uint8Array): boolean {
  return lead >= 0xc2 && lead <= 0xf4 && (third === undefined || lead >= 0xf0)
}
