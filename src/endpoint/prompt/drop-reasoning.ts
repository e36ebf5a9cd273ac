import type { HarmonyHeader } from '../../core/harmony/events.js'

type Addressed = Pick<HarmonyHeader, 'role' | 'channel' | 'recipient'>

/** Whether it is the model's reasoning, and not a call in the same channel. */
export function isReasoning({ role, channel, recipient }: Addressed): boolean {
  return role === 'assistant' && channel === 'analysis' && recipient === undefined
}

/** Whether it is the model's answer, which ends its work. */
export function isAnswer({ role, channel, recipient }: Addressed): boolean {
  return role === 'assistant' && channel === 'final' && recipient === undefined
}

/**
 * Drops the reasoning before the last final answer, as gpt-oss's training data does. Later reasoning stays: it belongs
 * to the current tool loop.
 */
export function dropOldReasoning<Message extends Addressed>(messages: readonly Message[]): Message[] {
  const last = messages.findLastIndex(isAnswer)
  return messages.filter((message, index) => index > last || !isReasoning(message))
}
