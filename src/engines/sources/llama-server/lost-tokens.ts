import { createDetokenizer } from '../../../core/tokens/detokenizer.js'
import { encoderOf } from '../../../core/tokens/encoder.js'
import { tokenIndexOf } from '../../../core/tokens/token-index.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'

/** The replacement character for invalid UTF-8. */
export const BROKEN = '\ufffd'

/** The limit in UTF-16 units: longer text is encoded, and then has the right number of tokens only by chance. */
const MAX_LOST_LENGTH = 4096
/** The limit of explored beginnings of characters: a text of many scripts, cut in each, would take more. */
const MAX_BEGINNINGS = 256

/** Stands in for tokens that the server returned only as text. */
export interface LostTokens {
  /**
   * Returns ids for a text, as ordinary tokens whatever it spells.
   *
   * @param count - the number of its tokens; undefined if the server does not report it
   * @returns that many ids, if possible
   */
  idsOf(text: string, count: number | undefined): number[]
  /**
   * Returns ids that spell a text together with a later token, which may begin inside a character.
   *
   * @returns that many ids; undefined if impossible
   */
  idsBefore(last: number, text: string, count: number): number[] | undefined
}

/**
 * Encodes a text, with U+FFFD as itself. Only if it had fewer tokens are others used that spell the same: tokens that
 * begin or end inside a character, like those that were lost. Either are split until there are enough.
 */
export function createLostTokens(table: TokenTable): LostTokens {
  const encode = encoderOf(table)
  const search = createSearch(table)

  function atMost(text: string, count: number, last?: number): number[] | undefined {
    if (text.length > MAX_LOST_LENGTH) return undefined
    for (const path of search(text, last)) {
      const ids = mixed(path, text, count, last)
      if (ids !== undefined) return ids
    }
    return undefined
  }

  /** The fewest tokens have too few bytes to be split into many, so the text before them may have to be encoded. */
  function mixed(path: readonly Place[], text: string, count: number, last?: number): number[] | undefined {
    const isLong = ({ bytes }: Mix): boolean => bytes >= count
    let low = 0
    let high = path.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isLong(mixAt(path, text, middle))) high = middle
      else low = middle + 1
    }
    const { front, tokens } = mixAt(path, text, low)
    // The next token completes a character that has to begin in a token of its own.
    const isCompleted = last !== undefined && (path.at(-1)?.carried.length ?? 0) > 0 && beginsWithin(table, last)
    if (tokens.length === 0 && isCompleted) return undefined
    const ids = spread([...encode(front), ...tokens], count, table)
    return ids.length === count ? ids : undefined
  }

  /** Returns the encoded text before a place, and the tokens that continue from there. */
  function mixAt(path: readonly Place[], text: string, start: number): Mix {
    let at = start
    // If a token completes a character, its beginning is a token too.
    while (at > 0 && at < path.length && isContinued(path[at - 1] as Place, path[at] as Place)) at++
    const from = path[at - 1]
    const front = from === undefined ? '' : text.slice(0, from.at + (from.carried.length > 0 ? 1 : 0))
    const tokens = path.slice(at).map(({ id }) => id)
    const bytes = tokens.reduce((sum, id) => sum + table.bytes(id).length, utf8.encode(front).length)
    return { front, tokens, bytes }
  }

  function isContinued({ carried }: Place, { id }: Place): boolean {
    return carried.length > 0 && beginsWithin(table, id)
  }

  return {
    idsOf(text, count) {
      const ids = encode(text)
      if (count === undefined || ids.length === count) return ids
      return ids.length < count ? spread(ids, count, table) : (atMost(text, count) ?? ids)
    },
    idsBefore: (last, text, count) => atMost(text, count, last),
  }
}

interface Mix {
  readonly front: string
  readonly tokens: readonly number[]
  readonly bytes: number
}

/** A place in a text that is spelled token by token, and the token that led there. */
interface Place {
  /** The length of the spelled text, and the bytes of an incomplete character. */
  readonly at: number
  readonly carried: readonly number[]
  readonly id: number
  readonly before: Place | undefined
}

/**
 * Tokens that spell the same, by the bytes with which they begin the next character, with one for each kind of those.
 */
interface Alike {
  readonly byBytes: Map<string, Said>
  readonly byKind: Map<string, Said>
}

interface Said {
  readonly id: number
  readonly carried: readonly number[]
}

/** Tokens by the text that they spell. */
type Saying = ReadonlyMap<string, Alike>

/**
 * Finds the fewest tokens that are not valid UTF-8 on their own and spell a text, read like any stream of tokens; then
 * the fewest that reach the end by another beginning of the last character. Takes linear time.
 */
function createSearch(table: TokenTable): (text: string, last: number | undefined) => Iterable<Place[]> {
  /** Tokens that begin a character. Created lazily, like the others, because most texts never need them. */
  let fresh: Saying = new Map()
  let within: readonly number[] = []
  /** Tokens that begin inside a character, by its bytes before them. */
  const behind = new Map<string, Saying>()
  /** The longest text that any of them spells, in UTF-16 units. */
  let longest = 0

  function load(): void {
    if (longest > 0) return
    const cut = Array.from({ length: table.size }, (_, id) => id).filter((id) => table.text(id) === undefined)
    longest = cut.reduce((max, id) => Math.max(max, table.bytes(id).length), 0) + 1
    within = cut.filter((id) => beginsWithin(table, id))
    fresh = sayingOf(
      cut.filter((id) => !beginsWithin(table, id)),
      [],
      table,
    )
  }

  function sayingBehind(carried: readonly number[]): Saying {
    const key = String(carried)
    const known = behind.get(key)
    if (known !== undefined) return known
    const saying = sayingOf(within, carried, table)
    if (behind.size < MAX_BEGINNINGS) behind.set(key, saying)
    return saying
  }

  return function* search(text, last) {
    load()
    const seen = new Set<string>()
    const places: Place[] = []
    const add = (saying: Saying, at: number, before: Place | undefined): void => {
      for (let end = at; end <= Math.min(at + longest, text.length); end++) {
        const alike = saying.get(text.slice(at, end))
        for (const [kind, { id, carried }] of alike === undefined ? [] : fitting(alike, text, end)) {
          const key = `${end} ${kind}`
          if (seen.has(key)) continue
          seen.add(key)
          places.push({ at: end, carried, id, before })
        }
      }
    }
    const continueFrom = (at: number, carried: readonly number[], before: Place | undefined): void => {
      add(sayingBehind(carried), at, before)
      if (carried.length === 0) add(fresh, at, before)
      else if (text[at] === BROKEN) add(fresh, at + 1, before)
    }
    continueFrom(0, [], undefined)
    for (let next = 0; next < places.length; next++) {
      const place = places[next] as Place
      if (text.length - place.at <= longest && isEnd(place, text, last, table)) yield pathTo(place)
      continueFrom(place.at, place.carried, place)
    }
  }
}

function sayingOf(ids: readonly number[], carried: readonly number[], table: TokenTable): Saying {
  const saying = new Map<string, Alike>()
  for (const id of ids) {
    const detokenizer = createDetokenizer(table, carried)
    const text = detokenizer.push(id)
    const token = { id, carried: [...detokenizer.carried()] }
    const alike = saying.get(text) ?? { byBytes: new Map(), byKind: new Map() }
    saying.set(text, alike)
    alike.byBytes.set(String(token.carried), token)
    if (token.carried.length > 0) alike.byKind.set(kindOf(token.carried), token)
  }
  return saying
}

/**
 * Yields the tokens after which the text may continue: with a whole character, with that character's bytes, or, before
 * an invalid one, with any.
 */
function* fitting({ byBytes, byKind }: Alike, text: string, at: number): Generator<readonly [string, Said]> {
  const whole = byBytes.get('')
  if (whole !== undefined) yield ['', whole]
  if (at === text.length) return
  const next = utf8.encode(String.fromCodePoint(text.codePointAt(at) as number))
  for (let count = 1; count < next.length; count++) {
    const bytes = String(next.subarray(0, count))
    const token = byBytes.get(bytes)
    if (token !== undefined) yield [bytes, token]
  }
  if (text[at] === BROKEN) yield* byKind
}

function beginsWithin(table: TokenTable, id: number): boolean {
  return ((table.bytes(id)[0] ?? 0) & 0xc0) === 0x80
}

function pathTo(end: Place): Place[] {
  const path: Place[] = []
  for (let place: Place | undefined = end; place !== undefined; place = place.before) path.push(place)
  return path.reverse()
}

function isEnd({ at, carried }: Place, text: string, last: number | undefined, table: TokenTable): boolean {
  const detokenizer = createDetokenizer(table, carried)
  const rest = last === undefined ? detokenizer.flush() : detokenizer.push(last)
  return text.slice(at) === rest
}

/** Returns a kind of incomplete bytes: the same bytes may follow all of one kind. */
function kindOf(bytes: readonly number[]): string {
  const [lead = 0] = bytes
  // Only some bytes may follow these.
  const isSpecial = bytes.length === 1 && [0xe0, 0xed, 0xf0, 0xf4].includes(lead)
  return `${bytes.length} of ${lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4}${isSpecial ? ` ${lead}` : ''}`
}

const utf8 = new TextEncoder()

/** Splits tokens in two, the last ones first, until there are enough, or only single bytes. */
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
