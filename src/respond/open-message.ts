import { createHarmonyParser } from '../harmony/event-parser.js'
import type { HarmonyHeader } from '../harmony/events.js'
import type { ToolLookup } from '../harmony/header.js'
import { SPECIAL } from '../harmony/vocabulary.js'
import type { TokenTable } from '../tokens/token-table.js'

/** The message that is being written. */
export interface OpenMessage {
  readonly header: HarmonyHeader
  /** Its body so far. */
  readonly text: string
  /** The bytes of the character in whose middle the body ends, which `text` is without; none if it ends after a whole one. */
  readonly carried: readonly number[]
}

/** The tokens that begin or end a message. */
export const MESSAGE_BORDERS: readonly number[] = [
  SPECIAL.start,
  SPECIAL.end,
  SPECIAL.call,
  SPECIAL.return,
  SPECIAL.endoftext,
]

/** Where the last message of a turn begins; -1 if it is the first. */
export function lastBorder(turn: readonly number[]): number {
  return turn.findLastIndex((id) => MESSAGE_BORDERS.includes(id))
}

/**
 * The message whose body is being written at the end of a turn; undefined in a header and between messages.
 *
 * @param turn - what follows the `<|start|>assistant` of the turn
 * @param toolNamed - as the translator's parser has it, so that both read a malformed header alike
 */
export function openMessage(
  turn: readonly number[],
  { tokenTable, toolNamed }: { readonly tokenTable: TokenTable; readonly toolNamed: ToolLookup },
): OpenMessage | undefined {
  // Only the last message is read: a long turn may have many pauses.
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
