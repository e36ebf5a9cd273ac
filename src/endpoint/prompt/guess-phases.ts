import type { Slices, Work } from '../../shared/slices.js'
import type { ReadMessage } from './conversation.js'

/**
 * Guesses the phase of assistant messages from clients that drop `phase`: a message is a preamble if its turn continues
 * with a call, because the model never calls after its answer. Taking it for an answer would drop the reasoning of the
 * tool loop.
 */
export function* guessPhases(messages: readonly ReadMessage[], work: Work): Slices<ReadMessage[]> {
  let isFollowedByCall = false
  const read = [...messages]
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at] as ReadMessage
    const { role, recipient } = message
    if (role === 'user' || role === 'developer') isFollowedByCall = false
    else if (recipient !== undefined) isFollowedByCall = true
    if (message.hasNoPhase) {
      const { hasNoPhase: _, ...known } = message
      read[at] = isFollowedByCall ? { ...known, channel: 'commentary' } : known
    }
    work.left -= MESSAGE
    if (work.left <= 0) yield* work.pause()
  }
  return read
}

/** The cost of a message, in encoded characters. */
const MESSAGE = 2
