import type { TokenTable } from '../../../core/tokens/token-table.js'
import { check, HarmonyResponsesError } from '../../../shared/errors.js'
import { aTokenTable } from '../../../shared/options/checks.js'

/**
 * Token ids that decode to exactly this text: the longest matching token at each byte. They are *not* the ids that the
 * model's tokenizer would produce, as that merges by rank within words. A translator must handle both alike, because a
 * model may spell a text in any way. Markers in the text become ordinary tokens.
 *
 * The first call with a table indexes it, in about 0.2 s. A lone surrogate is encoded as U+FFFD.
 *
 * @throws HarmonyResponsesError `bad_option` if the table has no token for a byte
 *
 * @example
 * ```ts
 * import { encodeText } from 'harmony-responses/conformance/arbitraries'
 * import { createDetokenizer, loadTokenTable } from 'harmony-responses/tokens'
 *
 * const tokenTable = await loadTokenTable()
 * const detokenizer = createDetokenizer(tokenTable)
 * console.log(encodeText('Hi!', tokenTable).map((id) => detokenizer.push(id)).join('')) // Hi!
 * ```
 */
export function encodeText(text: string, tokenTable: TokenTable): number[] {
  check(typeof text === 'string', 'encodeText: text', 'a string', text)
  aTokenTable(tokenTable, 'encodeText: tokenTable')
  const { ids, lengths } = indexOf(tokenTable)
  const bytes = latin1(utf8.encode(text))
  const found: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const rest = bytes.length - at
    const length = lengths
      .get(bytes.slice(at, at + 2))
      ?.find((one) => one <= rest && ids.has(bytes.slice(at, at + one)))
    const id = ids.get(bytes.slice(at, at + (length ?? 1)))
    if (id === undefined) {
      const message = `tokenTable: expected a token for every byte, got none for byte ${bytes.charCodeAt(at)}`
      throw new HarmonyResponsesError('bad_option', message)
    }
    found.push(id)
    at += length ?? 1
  }
  return found
}

/** The tokens of a table by their bytes, as strings with one character per byte. */
interface TokenIndex {
  readonly ids: ReadonlyMap<string, number>
  /** The lengths of the tokens that start with these two bytes, longest first. */
  readonly lengths: ReadonlyMap<string, readonly number[]>
}

const utf8 = new TextEncoder()

/** One cached index per table. Tables never change, so the cache is not observable. */
const indexes = new WeakMap<TokenTable, TokenIndex>()

function indexOf(table: TokenTable): TokenIndex {
  const known = indexes.get(table)
  if (known) return known
  const ids = new Map<string, number>()
  const sets = new Map<string, Set<number>>()
  for (let id = 0; id < table.size; id++) {
    const token = latin1(table.bytes(id))
    ids.set(token, id)
    if (token.length < 2) continue
    const start = token.slice(0, 2)
    const set = sets.get(start)
    if (set) set.add(token.length)
    else sets.set(start, new Set([token.length]))
  }
  const lengths = new Map(Array.from(sets, ([start, set]) => [start, [...set].sort((a, b) => b - a)]))
  const index = { ids, lengths }
  indexes.set(table, index)
  return index
}

function latin1(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
