import type { ReadMessage } from './conversation.js'

/**
 * Guesses the phase of assistant messages from clients that drop `phase`: a message is a preamble if its turn continues
 * with a call, because the model never calls after its answer. Taking it for an answer would drop the reasoning of the
 * tool loop.
 */
export function guessPhases(messages: readonly ReadMessage[]): ReadMessage[] {
  let isFollowedByCall = false
  const read = messages.toReversed().map((message): ReadMessage => {
    const { role, recipient } = message
    if (role === 'user' || role === 'developer') isFollowedByCall = false
    else if (recipient !== undefined) isFollowedByCall = true
    if (!message.hasNoPhase) return message
    const { hasNoPhase: _, ...known } = message
    return isFollowedByCall ? { ...known, channel: 'commentary' } : known
  })
  return read.reverse()
}
