import { FIRST_SPECIAL, markerText } from '../../harmony/vocabulary.js'
import type { TokenTable } from '../../tokens/token-table.js'

/** Finds tokens by their bytes, of those that end inside a character. */
export interface TokenIdRecovery {
  /**
   * What a text says in front of its last token: empty where that is all there is, `undefined` where the token begins
   * inside a character of the text.
   */
  textBefore(text: string, last: number): string | undefined
  /**
   * The ids that came before `last` and make its text whole.
   *
   * @param count - how many there were, where that is known and more than 0. Else, and where no so many tokens say that
   *   text, the fewest are taken
   * @returns `undefined` where none say that, or nobody knows: a byte was no UTF-8, and the text has a U+FFFD for it
   */
  find(text: string, last: number, count: number): number[] | undefined
}

export function createTokenIdRecovery(table: TokenTable): TokenIdRecovery {
  /** Made when it is needed, which for most texts is never. */
  let ids: ReadonlyMap<string, number> = new Map()
  let longest = 0

  function index(): void {
    if (ids.size > 0) return
    ids = cutTokens(table)
    for (const bytes of ids.keys()) longest = Math.max(longest, bytes.length)
  }

  /**
   * The longest token first: one is mostly all there is.
   *
   * @param dead - ends of the bytes that cannot be cut into so many, by length and count: they are met again and again,
   *   and a long run of half characters would take for ever
   */
  function cut(bytes: string, count: number, dead: Set<string>): number[] | undefined {
    const end = `${bytes.length} ${count}`
    if (count > bytes.length || dead.has(end)) return undefined
    if (count === 1) {
      const id = ids.get(bytes)
      return id === undefined ? undefined : [id]
    }
    for (let length = Math.min(longest, bytes.length - count + 1); length > 0; length--) {
      const id = ids.get(bytes.slice(0, length))
      const rest = id === undefined ? undefined : cut(bytes.slice(length), count - 1, dead)
      if (id !== undefined && rest !== undefined) return [id, ...rest]
    }
    dead.add(end)
    return undefined
  }

  /**
   * The fewest tokens, of equals those of which the first is longest: found from the end, so that a long text is cheap.
   */
  function fewest(bytes: string): number[] | undefined {
    const best: { count: number; id: number; next: number }[] = []
    best[bytes.length] = { count: 0, id: -1, next: -1 }
    for (let at = bytes.length - 1; at >= 0; at--) {
      for (let next = Math.min(at + longest, bytes.length); next > at; next--) {
        const id = ids.get(bytes.slice(at, next))
        const count = (best[next]?.count ?? Number.POSITIVE_INFINITY) + 1
        if (id !== undefined && count < (best[at]?.count ?? Number.POSITIVE_INFINITY)) best[at] = { count, id, next }
      }
    }
    if (best[0] === undefined) return undefined
    const found: number[] = []
    for (let step = best[0]; step.next >= 0; step = best[step.next] as typeof step) found.push(step.id)
    return found
  }

  return {
    textBefore(text, last) {
      // The server spells `<|channel|>` and its like, and is silent on the ids that end a turn unless run with
      // --special.
      if (last >= FIRST_SPECIAL) return before(text, markerText(last)) ?? text.slice(0, text.lastIndexOf(BROKEN) + 1)
      const own = table.text(last)
      return own === undefined ? undefined : before(text, own)
    },
    find(text, last, count) {
      // The server's, for bytes that nobody can tell any more. The model's own is a token, which is not held back.
      if (text.includes(BROKEN)) return undefined
      index()
      const whole = utf8.encode(text)
      const cutAt = whole.length - table.bytes(last).length
      const cutOff = whole.subarray(0, cutAt)
      if (!endsInside(cutOff) || latin1(whole.subarray(cutAt)) !== latin1(table.bytes(last))) return undefined
      const before = latin1(cutOff)
      return (count > 0 ? cut(before, count, new Set()) : undefined) ?? fewest(before)
    },
  }
}

/** What stands for bytes that are no UTF-8. */
export const BROKEN = '\ufffd'

function before(text: string, end: string): string | undefined {
  return text.endsWith(end) ? text.slice(0, text.length - end.length) : undefined
}

/** The tokens that end inside a character, or that one may end in, by their bytes. */
function cutTokens(table: TokenTable): Map<string, number> {
  const ids = new Map<string, number>()
  for (let id = 0; id < table.size; id++) {
    const bytes = table.bytes(id)
    if (isContinuation(bytes[0]) || endsInside(bytes)) ids.set(latin1(bytes), id)
  }
  return ids
}

const utf8 = new TextEncoder()

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >> 6 === 0b10
}

/** Whether the last character begins in these bytes and does not end there. */
function endsInside(bytes: Uint8Array): boolean {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return back < length
  }
  return false
}

/** Bytes as a string of one character a byte. */
function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}
