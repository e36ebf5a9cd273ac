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
  const open = splitMessage([...begun.subarray(start)])
  const before = withoutPrefix(turn, begun.subarray(0, start), tokenTable)
  const own = before && splitMessage(before)
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
  let missing = spell(prefix, tokenTable)
  for (const [index, id] of tokens.entries()) {
    if (missing === '') return tokens.slice(index)
    const spelled = spell([id], tokenTable)
    if (missing.startsWith(spelled)) {
      missing = missing.slice(spelled.length)
      continue
    }
    if (!spelled.startsWith(missing)) return undefined
    const bytes = Uint8Array.from(spelled.slice(missing.length), (byte) => byte.charCodeAt(0))
    const text = decodeUtf8(bytes)
    return text === undefined ? undefined : [...encoderOf(tokenTable)(text), ...tokens.slice(index + 1)]
  }
  return missing === '' ? [] : undefined
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
