import type { TokenTable } from '../../../core/tokens/token-table.js'
import { BROKEN } from './lost-tokens.js'

/** Recovers the ids of tokens that end inside a character, from their bytes. */
export interface TokenIdRecovery {
  /**
   * Finds the ids whose text lacks its last bytes, which a later token has.
   *
   * @param end - those bytes
   * @param count - how many ids there were, or 0 if unknown. The fewest possible are used if it is unknown, above
   *   {@link MAX_COUNTED}, or if no `count` tokens spell the text
   * @returns undefined if no tokens spell the text, or its bytes are unknown because it contains U+FFFD for invalid
   *   UTF-8
   */
  find(text: string, end: Uint8Array, count: number): number[] | undefined
}

/** Cutting a text into that many tokens is recursive. */
const MAX_COUNTED = 1_000

export function createTokenIdRecovery(table: TokenTable): TokenIdRecovery {
  /** Created lazily, because most texts never need it. */
  let ids: ReadonlyMap<string, number> = new Map()
  let longest = 0

  function index(): void {
    if (ids.size > 0) return
    ids = cutTokens(table)
    for (const bytes of ids.keys()) longest = Math.max(longest, bytes.length)
  }

  /**
   * Tries the longest token first, because there is usually only one.
   *
   * @param dead - remainders that cannot be split into that many tokens, by length and count. They recur so often that
   *   without this memo a long run of incomplete characters would take exponential time
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

  /** The fewest tokens, with the longest first token among equals. Works from the end, in linear time. */
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
    find(text, end, count) {
      // The server's replacement for lost bytes. A U+FFFD by the model is a token of its own, which is never withheld.
      if (text.includes(BROKEN)) return undefined
      index()
      const whole = utf8.encode(text)
      const cutAt = whole.length - end.length
      const cutOff = whole.subarray(0, cutAt)
      if (!endsInside(cutOff) || latin1(whole.subarray(cutAt)) !== latin1(end)) return undefined
      const before = latin1(cutOff)
      const shortest = fewest(before)
      // Where even the fewest are too many, the search would try everything before it finds nothing.
      const isPossible = shortest !== undefined && shortest.length <= count && count <= MAX_COUNTED
      return (isPossible ? cut(before, count, new Set()) : undefined) ?? shortest
    },
  }
}

/** The tokens that begin or end inside a character, by their bytes. */
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

/** Bytes as a string with one character per byte. */
function latin1(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
