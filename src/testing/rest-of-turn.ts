import type { HarmonyMessage } from '../core/harmony/events.js'
import { parseMessages } from '../core/harmony/parse-messages.js'
import { SPECIAL } from '../core/harmony/vocabulary.js'
import { encoderOf } from '../core/tokens/encoder.js'
import type { TokenTable } from '../core/tokens/token-table.js'
import { decodeUtf8, spell } from './spelling.js'

/**
 * Returns the rest of a turn whose beginning is in the prompt; undefined if the prompt has another beginning.
 *
 * The beginning may consist of other tokens than the turn, because a host that begins a header encodes it alone. The
 * unfinished message's header may be worded differently if channel and recipient are the same. A message may end with
 * another token: the host writes the right one, while an engine under a constraint has only its own.
 *
 * @param begun - the part of the prompt after the point where the turn begins
 */
export function restOfTurn(
  turn: readonly number[],
  begun: Uint32Array,
  tokenTable: TokenTable,
): readonly number[] | undefined {
  const inSameWords = withoutPrefix(turn, begun, tokenTable)
  if (inSameWords !== undefined) return inSameWords
  // The unfinished message, in the prompt and in the turn.
  const start = begun.lastIndexOf(SPECIAL.start) + 1
  const before = withoutPrefix(turn, begun.subarray(0, start), tokenTable)
  const own = before && splitMessage(before)
  const open = own && splitMessage([...begun.subarray(start)])
  if (open === undefined || own === undefined) return undefined
  const isSame = isSameAddress(headerOf(open.header, tokenTable), headerOf(own.header, tokenTable))
  return isSame ? withoutPrefix(own.body, Uint32Array.from(open.body), tokenTable) : undefined
}

/** Returns the rest after a beginning that spells the same text and markers, in any tokens. */
function withoutPrefix(
  tokens: readonly number[],
  prefix: Uint32Array,
  tokenTable: TokenTable,
): readonly number[] | undefined {
  let at = 0
  let missing = ''
  /** Whether the prefix has more: it is spelled as far as it is compared, since most prefixes differ at once. */
  const hasMore = (): boolean => {
    while (missing === '' && at < prefix.length) missing = spell([prefix[at++] as number], tokenTable)
    return missing !== ''
  }
  for (const [index, id] of tokens.entries()) {
    if (!hasMore()) return tokens.slice(index)
    let spelled = spell([id], tokenTable)
    while (spelled !== '' && hasMore()) {
      const length = Math.min(spelled.length, missing.length)
      if (spelled.slice(0, length) !== missing.slice(0, length)) return undefined
      spelled = spelled.slice(length)
      missing = missing.slice(length)
    }
    if (spelled === '') continue
    const text = decodeUtf8(Uint8Array.from(spelled, (byte) => byte.charCodeAt(0)))
    return text === undefined ? undefined : [...encoderOf(tokenTable)(text), ...tokens.slice(index + 1)]
  }
  return hasMore() ? undefined : []
}

/** Undefined if the header is not complete. */
function splitMessage(tokens: readonly number[]): { header: readonly number[]; body: readonly number[] } | undefined {
  const end = tokens.indexOf(SPECIAL.message) + 1
  return end === 0 ? undefined : { header: tokens.slice(0, end), body: tokens.slice(end) }
}

function headerOf(header: readonly number[], tokenTable: TokenTable): HarmonyMessage | undefined {
  // After a <|start|> the role follows, which the parser may safely read a second time.
  return parseMessages(header, { tokenTable }).messages[0]
}

function isSameAddress(one: HarmonyMessage | undefined, other: HarmonyMessage | undefined): boolean {
  const isMessage = one !== undefined && other !== undefined
  return isMessage && one.channel === other.channel && one.recipient === other.recipient
}
