import type { HarmonyEvent, HarmonyHeader, Origin, Repair, Terminator } from './events.js'

/**
 * What a Harmony parser calls, in stream order: one method for each kind of event, so that a token allocates no object.
 * Between a start and its end come only texts and repairs.
 */
export interface HarmonyHandler {
  messageStart(header: HarmonyHeader, origin: Origin): void
  /**
   * More of the message's text, never empty.
   *
   * @param isLead - whether its tokens came before the message was known to begin: in what seemed to be its header
   */
  messageText(text: string, origin: Origin, isLead: boolean): void
  /**
   * The message is over.
   *
   * @param isCut - whether the model was stopped in it, as the caller of `end` said
   */
  messageEnd(terminator: Terminator, origin: Origin, isCut: boolean): void
  repair(repair: Repair): void
}

/** A handler that makes an object of everything, for those who look at messages rather than at tokens. */
export function eventHandler(sink: (event: HarmonyEvent) => void): HarmonyHandler {
  return {
    messageStart: (header, origin) => sink({ type: 'message_start', header, origin }),
    messageText: (text, origin) => sink({ type: 'message_text', text, origin }),
    messageEnd: (terminator, origin) => sink({ type: 'message_end', terminator, origin }),
    repair: (repair) => sink({ type: 'repair', repair }),
  }
}
