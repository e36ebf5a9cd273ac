import type { ReadMessage } from './conversation.js'

/**
 * What clients that drop `phase` send back as a message of the assistant: a preamble if its turn goes on with a call, as
 * the model never calls after its answer. Taken for an answer, it would have the reasoning of the tool loop dropped.
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
