import type { ParsedRequest } from '../../../../core/responses/parsed-request.js'
import { randomId } from '../../../../defaults.js'
import { merged } from '../../../../shared/merged.js'
import type { ConversationFacts, FinishedResponse } from '../../../stores/store.js'
import type { Caller } from '../caller.js'
import type { ResolvedRequest } from '../conversation/conversation.js'
import { conversationNotFound, findNamed, indexOf } from '../conversation/named-conversation.js'
import { inConversation } from '../in-conversation.js'
import type { Setup } from '../setup.js'
import { inItems, parseConversation } from './body.js'
import { isStep, newStepId, writeStep } from './step.js'

/** A conversation, in the API's form. */
export interface Conversation extends ConversationFacts {
  /** The id of the conversation. */
  readonly id: string
  readonly object: 'conversation'
}

export function conversationOf(id: string, { created_at, metadata }: ConversationFacts): Conversation {
  return { id, object: 'conversation', created_at, metadata }
}

/** Creates a conversation, with its first items. @throws RequestError */
export async function createConversation(setup: Setup, body: unknown, caller: Caller): Promise<Conversation> {
  indexOf(setup.durable.store)
  const { items, metadata } = await parseConversation(setup, body ?? {}, caller, ['items', 'metadata'], false)
  const conversationId = randomId('conv_')
  const responseId = newStepId()
  const facts = { created_at: setup.clock(), metadata }
  const { addition } = await resolved(setup, { input: items }, responseId, caller)
  setup.checkSize([], addition.input)
  const { input: added, history = [] } = addition
  const turn = { conversationId, facts }
  const state = await writeStep(setup, { responseId, owner: caller.owner, turn, added, history })
  if (state !== 'written') throw new Error(`a new conversation was refused: ${state}`)
  return conversationOf(conversationId, facts)
}

/** Resolves the items that a client adds to a conversation. @throws RequestError about `items` */
export async function resolved(
  setup: Setup,
  request: ParsedRequest,
  responseId: string,
  caller: Caller,
): Promise<ResolvedRequest> {
  try {
    return await inConversation(setup, request, responseId, caller, async (conversation) => conversation)
  } catch (error) {
    throw inItems(error)
  }
}

/** @throws RequestError with status 404 if this owner has none with the id */
export async function retrieveConversation(setup: Setup, id: string, owner: string): Promise<Conversation> {
  indexOf(setup.durable.store)
  return conversationOf(id, (await findNamed(setup.durable.store, id, owner)).facts)
}

/** Replaces the metadata of a conversation. @throws RequestError */
export async function updateConversation(
  setup: Setup,
  id: string,
  body: unknown,
  caller: Caller,
): Promise<Conversation> {
  const index = indexOf(setup.durable.store)
  const { metadata } = await parseConversation(setup, body, caller, ['metadata'], true)
  const { facts } = await findNamed(setup.durable.store, id, caller.owner)
  const changed = merged(facts, { metadata })
  if (!(await index.update(id, caller.owner, changed))) throw conversationNotFound(id)
  return conversationOf(id, changed)
}

/** Deletes a conversation, and what its clients added to it. Its responses stay. @throws RequestError */
export async function deleteConversation(setup: Setup, id: string, owner: string): Promise<void> {
  const { store, stored } = setup.durable
  const index = indexOf(store)
  const { last } = await findNamed(store, id, owner)
  const { responses = [] } = (await stored.lineage(last, owner)) ?? {}
  if (!(await index.delete(id, owner))) throw conversationNotFound(id)
  await forgetSteps(setup, responses, owner)
}

/** Deletes the steps among responses, and drops everything of them that the store does not keep. */
export async function forgetSteps(
  { durable, known }: Setup,
  responses: readonly FinishedResponse[],
  owner: string,
): Promise<void> {
  for (const each of responses.filter(isStep)) await durable.store.delete(each.response.id, owner)
  known.forget(responses)
}
