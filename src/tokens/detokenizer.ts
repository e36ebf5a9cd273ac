import type { TokenTable } from './token-table.js'

/** Turns one run of ordinary tokens into text, token by token, where a character may be spread over several tokens. */
export interface Detokenizer {
  /**
   * The text that became certain with this token: '' while a character is incomplete, U+FFFD for bytes that cannot
   * become one, by the rules of the web's `TextDecoder`; a byte order mark is kept. Never ends inside a character. An id
   * that is no ordinary token is no bytes.
   */
  push(id: number): string
  /** What is left at the end of the run: U+FFFD where a character stayed incomplete, else ''. Then nothing is carried. */
  flush(): string
  /** The bytes of the incomplete character, 0 to 3, as plain numbers: all the state there is, for snapshots. */
  carried(): number[]
}

/** A detokenizer for one run. It starts empty, or with what `carried()` of another one gave. */
export function createDetokenizer(table: TokenTable, carried: readonly number[] = []): Detokenizer {
  // The valid beginning of a character whose rest is still to come.
  let carry = [...carried]
  // Its own, and never asked to stream: a streaming decoder that is shared leaks half characters between streams.
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

  function push(id: number): string {
    const text = table.text(id)
    if (text !== undefined && carry.length === 0) return text
    const bytes = Uint8Array.of(...carry, ...table.bytes(id))
    const end = bytes.length - unfinishedLength(bytes)
    carry = [...bytes.subarray(end)]
    return utf8.decode(bytes.subarray(0, end))
  }

  function flush(): string {
    // What is carried is one character's beginning, and so becomes one U+FFFD, of however many bytes.
    const rest = carry.length === 0 ? '' : '\uFFFD'
    carry = []
    return rest
  }

  return { push, flush, carried: () => [...carry] }
}

/** How many bytes at the end are the valid beginning of a character that more bytes could complete: 0 to 3. */
function unfinishedLength(bytes: Uint8Array): number {
  let length = 1
  while (length < 3 && isContinuation(bytes.at(-length))) length += 1
  const [lead = 0, second] = bytes.subarray(-length)
  if (length >= characterLength(lead)) return 0
  return second === undefined || canFollow(lead, second) ? length : 0
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte <= 0xbf
}

/** How many bytes the character takes that begins with this byte; 0 where none does. */
function characterLength(lead: number): number {
  if (lead < 0x80) return 1
  if (lead < 0xc2) return 0
  if (lead < 0xe0) return 2
  if (lead < 0xf0) return 3
  return lead < 0xf5 ? 4 : 0
}

/** Whether a continuation byte may be the second of a character: four leads take only some (Unicode, table 3-7). */
function canFollow(lead: number, second: number): boolean {
  switch (lead) {
    case 0xe0: // below are overlong forms
      return second >= 0xa0
    case 0xed: // above are surrogates
      return second <= 0x9f
    case 0xf0: // below are overlong forms
      return second >= 0x90
    case 0xf4: // above is nothing
      return second <= 0x8f
    default:
      return true
  }
}
