import { encoderOf } from '../../tokens/encoder.js'
import { tokenIndexOf } from '../../tokens/token-index.js'
import type { TokenTable } from '../../tokens/token-table.js'

/** The replacement character for invalid UTF-8. */
export const BROKEN = '\ufffd'

/** In UTF-16 units. Only one character is lost at a time, with the beginnings of others before it. */
const LONGEST_LOST = 64

/** Stands in for tokens that the server gave as text alone. */
export interface LostTokens {
  /**
   * Ids that say a text, as ordinary tokens whatever it spells.
   *
   * @param count - how many tokens it was; undefined if the server does not say
   * @returns so many ids, wherever that is possible
   */
  idsOf(text: string, count: number | undefined): number[]
}

/**
 * A text is encoded, U+FFFD as the character that it is. Only if it was more or fewer tokens are others used, which say
 * the same: parts of U+FFFD, or tokens that end inside a character.
 */
export function createLostTokens(table: TokenTable): LostTokens {
  const encode = encoderOf(table)
  /** Tokens that are not valid UTF-8 on their own, by their text. Created lazily, because most texts never need it. */
  let broken: ReadonlyMap<string, number> | undefined

  /** The fewest tokens, with the longest first token among equals. Works from the end. */
  function fewest(text: string): number[] {
    broken ??= brokenTokens(table)
    const best: { count: number; ids: readonly number[]; next: number }[] = []
    best[text.length] = { count: 0, ids: [], next: -1 }
    for (let at = text.length - 1; at >= 0; at--) {
      for (let next = text.length; next > at; next--) {
        const part = text.slice(at, next)
        const id = broken.get(part)
        const ids = id === undefined ? encode(part) : [id]
        const count = (best[next]?.count ?? Number.POSITIVE_INFINITY) + ids.length
        if (count < (best[at]?.count ?? Number.POSITIVE_INFINITY)) best[at] = { count, ids, next }
      }
    }
    const found: number[] = []
    for (let step = best[0]; step !== undefined; step = best[step.next]) found.push(...step.ids)
    return found
  }

  return {
    idsOf(text, count) {
      const ids = encode(text)
      if (count === undefined || ids.length === count || text.length > LONGEST_LOST) return ids
      const fewer = ids.length < count ? ids : fewest(text)
      return spread(fewer, count, table)
    },
  }
}

/** Cuts tokens in two, the last ones first, until there are so many, or only single bytes. */
function spread(ids: readonly number[], count: number, table: TokenTable): number[] {
  const { idOf } = tokenIndexOf(table)
  const spread = [...ids]
  for (let at = spread.length - 1; at >= 0 && spread.length < count; ) {
    const bytes = table.bytes(spread[at] ?? -1)
    let cut = bytes.length - 1
    while (cut > 0 && (idOf(bytes, 0, cut) === undefined || idOf(bytes, cut, bytes.length) === undefined)) cut--
    if (cut <= 0) at--
    else {
      const parts = [idOf(bytes, 0, cut), idOf(bytes, cut, bytes.length)] as number[]
      spread.splice(at, 1, ...parts)
      at += 1
    }
  }
  return spread
}

/**
 * The tokens that end inside a character and begin with a whole one: nothing before them can complete a character with
 * them. Of those with one text, the first.
 */
function brokenTokens(table: TokenTable): Map<string, number> {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const tokens = new Map<string, number>()
  for (let id = table.size - 1; id >= 0; id--) {
    const bytes = table.bytes(id)
    if (table.text(id) === undefined && (bytes[0] ?? 0) >> 6 !== 0b10) tokens.set(utf8.decode(bytes), id)
  }
  return tokens
}
