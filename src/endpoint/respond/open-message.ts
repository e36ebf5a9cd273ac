import { createHarmonyParser } from '../../core/harmony/event-parser.js'
import type { HarmonyHeader } from '../../core/harmony/events.js'
import type { ToolLookup } from '../../core/harmony/header-words.js'
import { MESSAGE_BORDERS } from '../../core/harmony/stop-tokens.js'
import type { TokenTable } from '../../core/tokens/token-table.js'

/** The open message. */
export interface OpenMessage {
  readonly header: HarmonyHeader
  /** Its body so far. */
  readonly text: string
  /** The bytes of an incomplete character at the end of the body, which `text` excludes; none after a complete one. */
  readonly carried: readonly number[]
}

/** Returns where the last message of a turn begins; -1 if it is the first. */
export function lastBorder(turn: readonly number[]): number {
  return turn.findLastIndex((id) => MESSAGE_BORDERS.includes(id))
}

/**
 * Returns the open message at the end of a turn; undefined in a header and between messages.
 *
 * @param turn - the tokens after the turn's `<|start|>assistant`
 * @param toolNamed - the look-up of the translator's parser, so that both read a malformed header alike
 */
export function openMessage(
  turn: readonly number[],
  { tokenTable, toolNamed }: { readonly tokenTable: TokenTable; readonly toolNamed: ToolLookup },
): OpenMessage | undefined {
  // Only the last message is read, since a long turn may have many pauses.
  const border = lastBorder(turn)
  let open: { header: HarmonyHeader; text: string } | undefined
  const parser = createHarmonyParser({ tokenTable, toolNamed, role: border === -1 ? 'assistant' : null }, (event) => {
    if (event.type === 'message_start') open = { header: event.header, text: '' }
    else if (event.type === 'message_text' && open !== undefined) open.text += event.text
    else if (event.type === 'message_end') open = undefined
  })
  for (const id of turn.slice(Math.max(border, 0))) parser.push(id, 'model')
  return open && { ...open, carried: parser.snapshot().carried }
}
