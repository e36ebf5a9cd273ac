import type { Batch } from '../../../core/responses/batch.js'
import type { InputItem } from '../../../core/responses/input-items.js'
import type { ParsedRequest } from '../../../core/responses/parsed-request.js'
import { closable } from '../../../shared/closable.js'
import { invalidValue, RequestError } from '../../../shared/request-error.js'
import { createPace } from '../../../shared/slices.js'
import { deferred } from '../../flow/deferred.js'
import { nextTurn } from '../../flow/next-turn.js'
import { translateEntries } from '../../respond/index.js'
import type { FoundResponse, KeptResponse } from '../../stores/store.js'
import { shownItems } from './conversation/shown-items.js'
import { leaveConversation } from './conversations/items.js'
import { listedItem } from './items/listed-item.js'
import { type ItemPage, type ItemQuery, pageOf } from './items/page.js'
import { followEntries } from './running/follow.js'
import type { LiveResponse } from './running/live-response.js'
import type { Run } from './running/run-types.js'
import type { Setup } from './setup.js'
import type { ResponseRepository } from './storage/response-repository.js'
import { followable, isOurs, isUnreadable } from './storage/stored-entries.js'
import { unfoldedResponse } from './storage/unfolded-response.js'
import { cancelledElsewhere } from './take-over/end-response.js'

/** Returns a response as it is now. @throws RequestError if this owner has none with this id */
export async function retrieveResponse(setup: Setup, responseId: string, owner: string): Promise<KeptResponse> {
  const found = await findStored(setup, responseId, owner)
  return found.state === 'finished' ? found.finished.response : await snapshotOf(setup, responseId, owner)
}

/**
 * Streams the events of a response, from the first or after one that the client knows.
 *
 * @throws RequestError if there is no such response or event, or its events are no longer stored
 */
export async function streamResponse(
  setup: Setup,
  responseId: string,
  owner: string,
  after?: number,
): Promise<AsyncGenerator<Batch>> {
  await findStored(setup, responseId, owner)
  if (after !== undefined && after > (await lastSequenceNumber(setup, responseId, owner))) {
    throw invalidValue('starting_after', String(after))
  }
  const events = await eventsOf(setup, setup.durable, responseId, owner, after)
  if (events !== undefined) return events
  const message = `The events of response '${responseId}' are not kept any more. Retrieve it without 'stream'.`
  throw new RequestError(message, { param: 'stream', code: 'invalid_value' })
}

/** @throws RequestError if there is no such response */
export async function deleteResponse(setup: Setup, responseId: string, owner: string): Promise<void> {
  const found = await findStored(setup, responseId, owner)
  const response = found.state === 'finished' ? found.finished.response : await snapshotOf(setup, responseId, owner)
  const live = runOf(setup, responseId)
  // Cancelled first: its writer would be refused, and that would be reported to the host as an error.
  live?.cancel()
  await live?.ended
  // Absent in responses that an older version stored.
  const conversationId = response.conversation?.id
  if (conversationId !== undefined) {
    // Ended before it is deleted, or it could become the last one of its conversation in between.
    if (found.state === 'running' && live?.isLost !== false) await cancelledElsewhere(setup, responseId, owner)
    await leaveConversation(setup, conversationId, responseId, owner)
  }
  const lineage = await setup.durable.stored.lineage(responseId, owner)
  await setup.durable.store.delete(responseId, owner)
  // Drops everything of it that the store does not keep.
  setup.known.forget(lineage?.responses ?? [])
  setup.texts.forget(responseId)
}

/**
 * Cancels a running response. A finished one stays unchanged.
 *
 * @throws RequestError if there is no such response, or it was not created in the background
 */
export async function cancelResponse(setup: Setup, responseId: string, owner: string): Promise<KeptResponse> {
  const found = await findStored(setup, responseId, owner)
  const response = found.state === 'finished' ? found.finished.response : await snapshotOf(setup, responseId, owner)
  if (!response.background) {
    throw new RequestError('Only responses that were created with background=true can be cancelled.', {
      code: 'invalid_value',
    })
  }
  const live = runOf(setup, responseId)
  live?.cancel()
  await live?.ended
  // Also cancels one that was lost before this process knew.
  if (found.state === 'running' && live?.isLost !== false) await cancelledElsewhere(setup, responseId, owner)
  return await retrieveResponse(setup, responseId, owner)
}

/** Cancels a response that runs here, whoever has it. Returns its status; undefined if none of this id runs here. */
export async function cancelRun(setup: Setup, responseId: string): Promise<KeptResponse['status'] | undefined> {
  const live = runOf(setup, responseId)
  live?.cancel()
  return (await live?.finished)?.response.status
}

/** Returns the run of a response that runs here. */
function runOf(setup: Setup, responseId: string): Run | undefined {
  const run = setup.runs.get(responseId)
  return run?.isLost ? undefined : run
}

/** Returns the response of a repeated request: running, here or elsewhere, or finished. */
export async function attach(
  setup: Setup,
  repository: ResponseRepository,
  responseId: string,
  { stream }: Pick<ParsedRequest, 'stream'>,
  owner: string,
): Promise<Omit<LiveResponse, 'request'>> {
  const live = runOf(setup, responseId)
  const found = await repository.stored.find(responseId, owner)
  if (found === undefined) throw unavailable()
  const isWhole = found.state === 'finished' && stream !== true
  // Before the events are opened, which hold memory until they are read or left.
  const created = found.state === 'finished' ? found.finished.response : await createdOf()
  const events = isWhole ? nothing() : await eventsOf(setup, repository, responseId, owner)
  if (events === undefined) throw unavailable()
  if (found.state === 'finished') return { responseId, created, events, finished: Promise.resolve(found.finished) }
  if (live !== undefined) {
    return { responseId, created, events, finished: live.finished, isStopped: () => live.isStopped }
  }
  const [followed, over] = watched(events)
  const finished = over.then(async () => {
    const after = await repository.stored.find(responseId, owner)
    return after?.state === 'finished' ? after.finished : undefined
  })
  finished.catch(setup.report)
  return { responseId, created, events: followed, finished }

  async function createdOf(): Promise<KeptResponse> {
    if (live !== undefined) return live.created as KeptResponse
    return await snapshotOf(setup, responseId, owner, repository)
  }
}

function unavailable(): RequestError {
  return new RequestError('The response to this Idempotency-Key is not available. Use a new key.', {
    status: 409,
    code: 'idempotency_key_in_use',
  })
}

/** Returns the events, and a promise for their end or their reader's leaving. */
function watched(events: AsyncGenerator<Batch>): [AsyncGenerator<Batch>, Promise<void>] {
  const over = deferred<void>()
  async function* read(): AsyncGenerator<Batch> {
    try {
      yield* events
    } finally {
      over.resolve()
    }
  }
  return [
    closable(read(), async () => {
      over.resolve()
      await events.return(undefined)
    }),
    over.promise,
  ]
}

async function* nothing(): AsyncGenerator<Batch> {}

/** Returns a stored response. @throws RequestError with status 404 */
export async function findStored(setup: Setup, responseId: string, owner: string): Promise<FoundResponse> {
  const found = await setup.durable.stored.find(responseId, owner)
  if (found !== undefined) return found
  throw notFound(responseId)
}

async function eventsOf(
  setup: Setup,
  repository: ResponseRepository,
  responseId: string,
  owner: string,
  after?: number,
): Promise<AsyncGenerator<Batch> | undefined> {
  const live = runOf(setup, responseId)
  if (live !== undefined) return await live.follow(after)
  const entries = await repository.stored.entries(responseId, owner)
  if (entries === undefined) return undefined
  // Checked before its options: a response of another version need not have them.
  const ours = await followable(entries, responseId)
  return followEntries(ours, setup.respondOptions(responseId, owner, { store: repository === setup.durable }), {
    after,
    held: setup.budget.hold(owner, 'reader'),
  })
}

/** Returns the current state of a running response. */
async function snapshotOf(
  setup: Setup,
  responseId: string,
  owner: string,
  repository: ResponseRepository = setup.durable,
): Promise<KeptResponse> {
  const { response } = await soFar(setup, responseId, owner, repository)
  if (response !== undefined) return response
  throw notFound(responseId)
}

/**
 * Returns the number of the last existing event. Infinity if the events are no longer stored, or cannot be rebuilt
 * here.
 */
async function lastSequenceNumber(setup: Setup, responseId: string, owner: string): Promise<number> {
  return (await soFar(setup, responseId, owner, setup.durable)).last
}

/** The work of an entry, compared with that of reading a character. */
export const ENTRY_COST = 16

/** Rebuilds a response from its existing entries. */
async function soFar(
  setup: Setup,
  responseId: string,
  owner: string,
  repository: ResponseRepository,
): Promise<{ readonly response: KeptResponse | undefined; readonly last: number }> {
  const entries = await repository.stored.entries(responseId, owner)
  if (entries === undefined) return { response: undefined, last: Number.POSITIVE_INFINITY }
  const translation = translateEntries(setup.respondOptions(responseId, owner, { store: repository === setup.durable }))
  const pace = createPace(nextTurn)
  let last = -1
  try {
    for await (const added of entries) {
      if (!isOurs(added)) return { response: unfoldedResponse(responseId, added[0]), last: Number.POSITIVE_INFINITY }
      for (const entry of added) {
        last = translation.apply(entry).at(-1)?.sequence_number ?? last
        await pace(ENTRY_COST)
      }
      // Later entries do not count.
      break
    }
    return { response: translation.response && structuredClone(translation.response), last }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return { response: unfoldedResponse(responseId, undefined), last: Number.POSITIVE_INFINITY }
  } finally {
    translation.dispose()
  }
}

/** @throws RequestError if there is no such response, or it has no such item */
export async function listInputItems(
  setup: Setup,
  responseId: string,
  owner: string,
  query: ItemQuery = {},
): Promise<ItemPage> {
  return pageOf(await inputOf(setup, responseId, owner), query, listedItem)
}

/** Returns the conversation before a response. @throws RequestError if there is no such response */
async function inputOf(setup: Setup, responseId: string, owner: string): Promise<readonly InputItem[]> {
  const found = await setup.durable.stored.lineage(responseId, owner)
  if (found === undefined) throw notFound(responseId)
  const { responses } = found
  const last = found.state === 'finished' ? responses.at(-1) : undefined
  if (last === undefined) {
    return (
      setup.runs.get(responseId)?.input ?? [
        ...shownItems(setup.options.offeredCalls, responses),
        ...(await addedTo(setup, responseId, owner)),
      ]
    )
  }
  return [...shownItems(setup.options.offeredCalls, responses.slice(0, -1)), ...last.added]
}

/** Returns the addition of a response that another process runs. */
async function addedTo(setup: Setup, responseId: string, owner: string): Promise<readonly InputItem[]> {
  const entries = await setup.durable.stored.entries(responseId, owner)
  for await (const [open] of entries ?? []) return open?.type === 'open' ? open.input : []
  return []
}

function notFound(responseId: string): RequestError {
  return new RequestError(`Response with id '${responseId.slice(0, 80)}' not found.`, { status: 404 })
}
