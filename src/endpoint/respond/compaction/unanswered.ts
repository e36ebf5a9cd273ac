import type { ReadMessage } from '../../prompt/conversation.js'
import { isAnswer } from '../../prompt/drop-reasoning.js'

/** The user's messages that are not answered yet, oldest first. */
export interface Unanswered {
  /** Those that the model has read, since it has written something after them. */
  readonly read: readonly string[]
  readonly unread: readonly string[]
}

/** Returns the unanswered messages of a conversation. */
export function unansweredIn(conversation: readonly ReadMessage[]): Unanswered {
  const open = conversation.slice(conversation.findLastIndex(isAnswer) + 1)
  const worked = open.findLastIndex(({ role }) => role === 'assistant' || role === 'tool')
  const userTexts = (messages: readonly ReadMessage[]): string[] =>
    messages.flatMap(({ role, content, isSummary }) => (role === 'user' && !isSummary ? [content] : []))
  return { read: userTexts(open.slice(0, worked + 1)), unread: userTexts(open.slice(worked + 1)) }
}
