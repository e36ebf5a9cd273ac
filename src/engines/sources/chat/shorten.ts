import type { HarmonyMessage } from '../../../core/harmony/events.js'

/** A conversation without its oldest exchanges. */
export interface Shortened {
  readonly messages: readonly HarmonyMessage[]
  /** How many exchanges were left out. */
  readonly dropped: number
  /** The characters that are left. */
  readonly characters: number
  /** Whether more could be left out. */
  readonly canDrop: boolean
}

/**
 * Leaves the oldest exchanges out, until the rest has at most some characters: as `truncation: 'auto'` does with tokens. An
 * exchange begins with a message of the user. Instructions stay, and so does the last exchange.
 *
 * @param least - the number of exchanges that are left out in any case
 */
export function shorten(messages: readonly HarmonyMessage[], most: number, least: number): Shortened {
  const exchanges: HarmonyMessage[][] = []
  for (const message of messages) {
    const { role } = message
    if (role === 'system' || role === 'developer') continue
    if (role === 'user' || exchanges.length === 0) exchanges.push([])
    exchanges.at(-1)?.push(message)
  }
  const last = exchanges.length - 1
  const gone = new Set<HarmonyMessage>()
  let characters = lengthOf(messages)
  let dropped = 0
  for (; dropped < last && (characters > most || dropped < least); dropped++) {
    const exchange = exchanges[dropped] as HarmonyMessage[]
    for (const message of exchange) gone.add(message)
    characters -= lengthOf(exchange)
  }
  const left = gone.size === 0 ? messages : messages.filter((message) => !gone.has(message))
  return { messages: left, dropped, characters, canDrop: dropped < last }
}

function lengthOf(messages: readonly HarmonyMessage[]): number {
  let length = 0
  for (const { content } of messages) length += content.length
  return length
}
