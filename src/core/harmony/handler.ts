import type { HarmonyEvent, HarmonyHeader, Origin, Repair, Terminator } from './events.js'

/**
 * The callbacks of a Harmony parser, in stream order: one method for each kind of event, so that a token allocates no
 * object. Between a start and its end come only texts and repairs.
 */
export interface HarmonyHandler {
  /** Begins a message, with its whole header. */
  messageStart(header: HarmonyHeader, origin: Origin): void
  /**
   * Receives more of the message's text, never empty.
   *
   * @param isLead - whether the text was read before the message was known to begin, as part of an apparent header
   */
  messageText(text: string, origin: Origin, isLead: boolean): void
  /**
   * Ends the message.
   *
   * @param isCut - whether the model was stopped in the middle of it, as the caller of `end` reported
   * @param ahead - how many tokens the model had sampled after its end when that was certain
   */
  messageEnd(terminator: Terminator, origin: Origin, isCut: boolean, ahead: number): void
  /** Reports a repair of malformed Harmony. */
  repair(repair: Repair): void
}

/**
 * Creates a handler that turns each call into an event object, for readers of messages rather than of tokens.
 *
 * @example
 * ```ts
 * import { eventHandler, type HarmonyParser, type OfficialStreamableParser, officialParser } from 'harmony-responses/harmony'
 *
 * function parserOf(create: () => OfficialStreamableParser): HarmonyParser {
 *   return officialParser(create)(eventHandler((event) => console.log(event.type)))
 * }
 * ```
 */
export function eventHandler(sink: (event: HarmonyEvent) => void): HarmonyHandler {
  return {
    messageStart: (header, origin) => sink({ type: 'message_start', header, origin }),
    messageText: (text, origin) => sink({ type: 'message_text', text, origin }),
    messageEnd: (terminator, origin) => sink({ type: 'message_end', terminator, origin }),
    repair: (repair) => sink({ type: 'repair', repair }),
  }
}
