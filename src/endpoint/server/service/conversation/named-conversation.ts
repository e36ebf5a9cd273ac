import type { ParsedRequest } from '../../../../core/responses/parsed-request.js'
import { RequestError, unsupportedParameter } from '../../../../shared/request-error.js'
import { shortened } from '../../../../shared/shortened.js'
import type { ConversationIndex, FoundConversation } from '../../../stores/store.js'

/** A store that may have conversations. */
export interface WithConversations {
  readonly conversations?: ConversationIndex | undefined
}

/** Returns the id of a request's conversation; undefined if it names none. */
export function conversationIdOf({ conversation }: Pick<ParsedRequest, 'conversation'>): string | undefined {
  return typeof conversation === 'object' ? conversation.id : conversation
}

/**
 * Returns the conversation that a request names.
 *
 * @throws RequestError with status 404 if this owner has none with the id, or 400 if the store has none at all
 */
export async function findNamed(
  { conversations }: WithConversations,
  conversationId: string,
  owner: string,
): Promise<FoundConversation> {
  if (conversations === undefined) throw unsupportedParameter('conversation', NO_CONVERSATIONS)
  const found = await conversations.find(conversationId, owner)
  if (found === undefined) throw conversationNotFound(conversationId)
  return found
}

/** Returns the conversations of a store. @throws RequestError with status 404 if it has none */
export function indexOf({ conversations }: WithConversations): ConversationIndex {
  if (conversations === undefined) throw new RequestError(NO_CONVERSATIONS, { status: 404 })
  return conversations
}

const NO_CONVERSATIONS = 'The store of this server keeps no conversations.'

export function conversationNotFound(conversationId: string): RequestError {
  return new RequestError(`Conversation with id '${shortened(conversationId, 80)}' not found.`, { status: 404 })
}

/** Returns the error for a request whose conversation is in use. */
export function conversationLocked(conversationId: string): RequestError {
  const message = `Another process is currently operating on the conversation '${shortened(conversationId, 80)}'. Please retry in a few seconds.`
  return new RequestError(message, { param: 'conversation', code: 'conversation_locked', status: 409 })
}

export function isLocked(error: unknown): boolean {
  return error instanceof RequestError && error.code === 'conversation_locked'
}
