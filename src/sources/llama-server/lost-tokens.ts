import { createDetokenizer } from '../../tokens/detokenizer.js'
import { encoderOf } from '../../tokens/encoder.js'
import { tokenIndexOf } from '../../tokens/token-index.js'
import type { TokenTable } from '../../tokens/token-table.js'

/** The replacement character for invalid UTF-8. */
export const BROKEN = '\ufffd'

/** In UTF-16 units. Only one character is lost at a time, with the beginnings of others before it. */
const LONGEST_LOST = 64
/** How many places are tried from which a text may go on. */
const MOST_PLACES = 256

/** Stands in for tokens that the server gave as text alone. */
export interface LostTokens {
  /**
   * Ids that say a text, as ordinary tokens whatever it spells.
   *
   * @param count - how many tokens it was; undefined if the server does not say
   * @returns so many ids, wherever that is possible
   */
  idsOf(text: string, count: number | undefined): number[]
  /**
   * Ids that say a text together with a token behind them, which may begin inside a character.
   *
   * @returns so many ids; undefined if there are none
   */
  idsBefore(last: number, text: string, count: number): number[] | undefined
}

/**
 * A text is encoded, U+FFFD as the character that it is. Only if it was more or fewer tokens are others used, which say
 * the same: parts of U+FFFD, or tokens that begin or end inside a character, as those that were lost did.
 */
export function createLostTokens(table: TokenTable): LostTokens {
  const encode = encoderOf(table)
  /** Those that are not valid UTF-8 on their own. Created lazily, because most texts never need them. */
  let cut: readonly number[] | undefined

  function search(text: string, count: number, last?: number): number[] | undefined {
    if (text.length > LONGEST_LOST) return undefined
    cut ??= Array.from({ length: table.size }, (_, id) => id).filter((id) => table.text(id) === undefined)
    const wanted = { count, last, tokens: cut, table }
    // The fewest that say it can nearly always be cut into as many, and are found in a text of any length.
    return tokensOf(text, { ...wanted, isFewest: true }) ?? tokensOf(text, { ...wanted, isFewest: false })
  }

  return {
    idsOf(text, count) {
      const ids = encode(text)
      if (count === undefined || ids.length === count) return ids
      return ids.length < count ? spread(ids, count, table) : (search(text, count) ?? ids)
    },
    idsBefore: (last, text, count) => search(text, count, last),
  }
}

/** Where a text is that is spelled token by token. */
interface Place {
  /** How much of the text is there, and the bytes of a character that is not. */
  readonly at: number
  readonly carried: readonly number[]
  readonly ids: readonly number[]
}

interface Search {
  readonly count: number
  /** What comes behind them. */
  readonly last: number | undefined
  readonly tokens: readonly number[]
  readonly table: TokenTable
  /** Whether a place is tried once alone, with the fewest ids that lead to it. */
  readonly isFewest: boolean
}

/** So many of these tokens, or parts of them, that say a text, read as any stream of tokens is. Undefined if none do. */
function tokensOf(text: string, { count, last, tokens, table, isFewest }: Search): number[] | undefined {
  const seen = new Set<string>()
  const places: Place[] = [{ at: 0, carried: [], ids: [] }]
  for (let next = 0; next < places.length && next < MOST_PLACES; next++) {
    const place = places[next] as Place
    const found = isEnd(place, text, last, table) ? spread(place.ids, count, table) : []
    if (found.length === count) return found
    if (place.ids.length === count) continue
    for (const id of tokens) {
      const detokenizer = createDetokenizer(table, place.carried)
      const said = detokenizer.push(id)
      const at = place.at + said.length
      const carried = detokenizer.carried()
      if (!text.startsWith(said, place.at)) continue
      const key = `${isFewest ? '' : place.ids.length} ${at} ${kindOf(carried, text.slice(at))}`
      if (key.endsWith('none') || seen.has(key)) continue
      seen.add(key)
      places.push({ at, carried, ids: [...place.ids, id] })
    }
  }
  return undefined
}

function isEnd({ at, carried, ids }: Place, text: string, last: number | undefined, table: TokenTable): boolean {
  if (ids.length === 0) return false
  const detokenizer = createDetokenizer(table, carried)
  const rest = last === undefined ? detokenizer.flush() : detokenizer.push(last)
  return text.slice(at) === rest
}

/**
 * What the bytes of an incomplete character may become in a text: the text's next character; U+FFFD, as any bytes of as
 * many out of as many; or nothing that the text has.
 */
function kindOf(bytes: readonly number[], text: string): string {
  const [lead = 0] = bytes
  if (bytes.length === 0) return 'whole'
  const first = utf8.encode(String.fromCodePoint(text.codePointAt(0) ?? 0))
  if (text !== '' && bytes.every((byte, index) => byte === first[index])) return String(bytes)
  if (!text.startsWith(BROKEN)) return 'none'
  // Not every byte may follow these.
  const isSpecial = bytes.length === 1 && [0xe0, 0xed, 0xf0, 0xf4].includes(lead)
  return `${bytes.length} of ${lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4}${isSpecial ? ` ${lead}` : ''}`
}

const utf8 = new TextEncoder()

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
      spread.splice(at, 1, ...([idOf(bytes, 0, cut), idOf(bytes, cut, bytes.length)] as number[]))
      at += 1
    }
  }
  return spread
}
