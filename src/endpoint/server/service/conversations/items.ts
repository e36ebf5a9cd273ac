import type { InputItem } from '../../../../core/responses/input-items.js'
import type { ParsedRequest } from '../../../../core/responses/parsed-request.js'
import type { Includable } from '../../../../core/responses/request-parameters.js'
import { merged } from '../../../../shared/merged.js'
import { RequestError } from '../../../../shared/request-error.js'
import { shortened } from '../../../../shared/shortened.js'
import type { HistoryEntry } from '../../../prompt/history.js'
import type { FinishedResponse, FoundConversation } from '../../../stores/store.js'
import type { Caller } from '../caller.js'
import { itemsOfResponses } from '../conversation/earlier-responses.js'
import { conversationLocked, conversationNotFound, findNamed, indexOf } from '../conversation/named-conversation.js'
import { shownItems } from '../conversation/shown-items.js'
import { includedItem } from '../items/included-item.js'
import { type ItemPage, type ItemQuery, listOf, pageOf } from '../items/page.js'
import type { Setup } from '../setup.js'
import { parseConversation } from './body.js'
import { type Conversation, conversationOf, forgetSteps, resolved } from './conversations.js'
import { newStepId, writeStep } from './step.js'
import { inTurn } from './turns.js'

/** Which items of a conversation to list, and with which parts. */
export interface ConversationItemQuery extends ItemQuery {
  /** Parts that items are listed with only if they are requested. */
  readonly include?: readonly Includable[]
}

/** Lists the items of a conversation, a page at a time. @throws RequestError */
export async function listConversationItems(
  setup: Setup,
  id: string,
  owner: string,
  { include = [], ...query }: ConversationItemQuery = {},
): Promise<ItemPage> {
  const items = shownItems(setup.options.offeredCalls, await responsesOf(setup, id, owner))
  return pageOf(items, query, (item) => includedItem(item, include))
}

/** @throws RequestError with status 404 if the conversation has no such item */
export async function retrieveConversationItem(
  setup: Setup,
  id: string,
  itemId: string,
  owner: string,
  { include = [] }: Pick<ConversationItemQuery, 'include'> = {},
): Promise<object> {
  const item = shownItems(setup.options.offeredCalls, await responsesOf(setup, id, owner)).find(
    (each) => each.id === itemId,
  )
  if (item === undefined) throw itemNotFound(id, itemId)
  return includedItem(item, include)
}

/** Adds items to a conversation, and returns them. @throws RequestError */
export async function createConversationItems(
  setup: Setup,
  id: string,
  body: unknown,
  caller: Caller,
  { include = [] }: Pick<ConversationItemQuery, 'include'> = {},
): Promise<ItemPage> {
  indexOf(setup.durable.store)
  const { items } = await parseConversation(setup, body, caller, ['items'], true)
  const { owner } = caller
  const added = await inTurn(setup, id, caller, async ({ last }) => {
    const responseId = newStepId()
    const request: ParsedRequest = { conversation: id, input: items, generate: false }
    const conversation = await resolved(setup, request, responseId, caller)
    const { addition, own, responses, turn = { conversationId: id, last } } = conversation
    setup.checkSize(responses, own.input)
    const fresh = withNewIds(own.input, responses, responseId)
    const { previous = last, history = [] } = addition
    const state = await writeStep(setup, { responseId, owner, turn, previous, added: fresh, history })
    if (state !== 'written') throw conversationLocked(id)
    return fresh
  })
  return listOf(
    added.map((item) => includedItem(item, include)),
    false,
  )
}

/** Removes an item from a conversation, which is returned. @throws RequestError */
export async function deleteConversationItem(
  setup: Setup,
  id: string,
  itemId: string,
  caller: Pick<Caller, 'owner' | 'signal'>,
): Promise<Conversation> {
  const { owner } = caller
  indexOf(setup.durable.store)
  return await inTurn(setup, id, caller, async (found) => {
    const responses = await lineageOf(setup, id, found, owner)
    let from = responses.findIndex((each) => itemsOfResponses([each]).some((item) => item.id === itemId))
    if (from === -1) throw itemNotFound(id, itemId)
    const turn = { conversationId: id, last: found.last }
    const write = () =>
      writeStep(setup, {
        ...{ responseId: newStepId(), owner, turn, previous: responses[from - 1]?.response.id },
        ...withoutItem(responses.slice(from), itemId),
      })
    let state = await write()
    // What is before it stays as it is, unless it was deleted: then nothing can continue it.
    if (state === 'no_previous') {
      from = 0
      state = await write()
    }
    if (state !== 'written') throw conversationLocked(id)
    await forgetSteps(setup, responses.slice(from), owner)
    return conversationOf(id, found.facts)
  })
}

/**
 * Prepares the deletion of a response: what it added stays in its conversation. It continues a response that is not the
 * last one.
 *
 * @throws RequestError if another response is open in the conversation
 */
export async function leaveConversation(setup: Setup, id: string, responseId: string, owner: string): Promise<void> {
  const { conversations } = setup.durable.store
  if ((await conversations?.find(id, owner))?.last !== responseId) return
  await inTurn(setup, id, { owner }, async ({ last }) => {
    if (last !== responseId) return
    const step = { responseId: newStepId(), owner, previous: last, added: [], history: [] }
    const state = await writeStep(setup, { ...step, turn: { conversationId: id, last } })
    if (state !== 'written') throw conversationLocked(id)
  })
}

async function responsesOf(setup: Setup, id: string, owner: string): Promise<readonly FinishedResponse[]> {
  indexOf(setup.durable.store)
  return await lineageOf(setup, id, await findNamed(setup.durable.store, id, owner), owner)
}

async function lineageOf(
  { durable }: Setup,
  id: string,
  { last }: FoundConversation,
  owner: string,
): Promise<readonly FinishedResponse[]> {
  const found = await durable.stored.lineage(last, owner)
  if (found === undefined) throw conversationNotFound(id)
  return found.responses
}

/** Returns the items of responses without one, and their record of tokens without what may contain its text. */
function withoutItem(
  responses: readonly FinishedResponse[],
  itemId: string,
): { readonly added: readonly InputItem[]; readonly history: readonly HistoryEntry[] } {
  const items = itemsOfResponses(responses)
  const removed = items.find(({ id }) => id === itemId) as { readonly encrypted_content?: unknown }
  return {
    added: items.filter(({ id }) => id !== itemId),
    history: responses
      .flatMap(({ history }) => history)
      .filter((entry) =>
        'tokens' in entry ? entry.items?.includes(itemId) === false : entry.sealed !== removed.encrypted_content,
      ),
  }
}

/** Returns items with ids of their own in the conversation: a client may add what another response wrote twice. */
function withNewIds(
  items: readonly InputItem[],
  responses: readonly FinishedResponse[],
  responseId: string,
): readonly InputItem[] {
  const known = new Set<unknown>(itemsOfResponses(responses).map(({ id }) => id))
  return items.map((item, index) => {
    const isNew = !known.has(item.id)
    known.add(item.id)
    return isNew ? item : (merged(item, { id: `${item.id}_${responseId.slice(-8)}${index}` }) as InputItem)
  })
}

function itemNotFound(conversationId: string, itemId: string): RequestError {
  const [item, conversation] = [shortened(itemId, 80), shortened(conversationId, 80)]
  return new RequestError(`Item with id '${item}' not found in conversation '${conversation}'.`, { status: 404 })
}
