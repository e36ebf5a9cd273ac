import { invalidValue, RequestError } from '../../request-error.js'
import { translateEntries } from '../../respond/index.js'
import type { ResponseStreamEvent } from '../../responses/events.js'
import type { InputItem } from '../../responses/input-items.js'
import type { ParsedRequest } from '../../responses/parsed-request.js'
import type { FinishedResponse, FoundResponse, KeptResponse } from '../../stores/store.js'
import { itemsOfResponses } from './earlier-responses.js'
import { followEntries } from './follow.js'
import { listedItem } from './listed-item.js'
import type { LiveResponse } from './live-response.js'
import type { Setup } from './setup.js'

type Batch = readonly ResponseStreamEvent[]

/** A response as it is now. @throws RequestError if there is none of this owner's */
export async function retrieveResponse(setup: Setup, responseId: string, owner: string): Promise<KeptResponse> {
  const found = await findStored(setup, responseId, owner)
  return found.state === 'finished' ? found.finished.response : await snapshotOf(setup, responseId, owner)
}

/**
 * The events of a response, from the first or after one that the client knows.
 *
 * @throws RequestError if there is no such response, its events are not kept any more, or there is no such event
 */
export async function streamResponse(
  setup: Setup,
  responseId: string,
  owner: string,
  after?: number,
): Promise<AsyncGenerator<Batch>> {
  const found = await findStored(setup, responseId, owner)
  if (after !== undefined && after > (await lastSequenceNumber(setup, responseId, owner))) {
    throw invalidValue('starting_after', String(after))
  }
  const events = await eventsOf(setup, responseId, owner, found, after)
  if (events !== undefined) return events
  const message = `The events of response '${responseId}' are not kept any more. Retrieve it without 'stream'.`
  throw new RequestError(message, { param: 'stream', code: 'invalid_value' })
}

/** @throws RequestError if there is no such response */
export async function deleteResponse(setup: Setup, responseId: string, owner: string): Promise<void> {
  await findStored(setup, responseId, owner)
  const live = setup.runs.get(responseId)
  // Its writer would be refused, and that would be reported to the host as an error.
  live?.cancel()
  await live?.finished
  const lineage = await setup.stored.lineage(responseId, owner)
  await setup.store.delete(responseId, owner)
  // Nothing of it stays that the store does not keep.
  setup.known.forget(lineage?.responses ?? [])
}

/**
 * Cancels a response that is under way. One that is over stays as it is.
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
  const live = setup.runs.get(responseId)
  live?.cancel()
  await live?.finished
  return await retrieveResponse(setup, responseId, owner)
}

/** The response of a request that was sent before: under way, or over. */
export async function attach(
  setup: Setup,
  responseId: string,
  { stream }: Pick<ParsedRequest, 'stream'>,
  owner: string,
): Promise<Omit<LiveResponse, 'request'>> {
  const live = setup.runs.get(responseId)
  const found = await setup.stored.find(responseId, owner)
  const isWhole = found?.state === 'finished' && stream !== true
  const events = isWhole ? nothing() : found && (await eventsOf(setup, responseId, owner, found))
  if (found === undefined || events === undefined || (found.state === 'running' && live === undefined)) {
    throw new RequestError('The response to this Idempotency-Key is not available. Use a new key.', {
      status: 409,
      code: 'idempotency_key_in_use',
    })
  }
  const finished: Promise<FinishedResponse | undefined> =
    found.state === 'finished' ? Promise.resolve(found.finished) : (live?.finished ?? Promise.resolve(undefined))
  const created = found.state === 'finished' ? found.finished.response : (live?.created as KeptResponse)
  return { responseId, created, events, finished }
}

async function* nothing(): AsyncGenerator<Batch> {}

/** A stored response. @throws RequestError with status 404 */
export async function findStored(setup: Setup, responseId: string, owner: string): Promise<FoundResponse> {
  const found = await setup.stored.find(responseId, owner)
  if (found !== undefined && !found.isTransient) return found
  throw notFound(responseId)
}

async function eventsOf(
  setup: Setup,
  responseId: string,
  owner: string,
  { isTransient }: FoundResponse,
  after?: number,
): Promise<AsyncGenerator<Batch> | undefined> {
  const live = setup.runs.get(responseId)
  if (live !== undefined) return await live.follow(after)
  const entries = await setup.stored.entries(responseId, owner)
  if (entries === undefined) return undefined
  return followEntries(entries, setup.respondOptions(responseId, owner, { store: !isTransient }), { after })
}

/** What a response under way has become so far. */
async function snapshotOf(setup: Setup, responseId: string, owner: string): Promise<KeptResponse> {
  const { response } = await soFar(setup, responseId, owner)
  if (response !== undefined) return response
  throw notFound(responseId)
}

/** Of the last event that there is. Infinity if the events are not kept any more. */
async function lastSequenceNumber(setup: Setup, responseId: string, owner: string): Promise<number> {
  return (await soFar(setup, responseId, owner)).last
}

/** What the entries that are there now make of a response. */
async function soFar(
  setup: Setup,
  responseId: string,
  owner: string,
): Promise<{ readonly response: KeptResponse | undefined; readonly last: number }> {
  const entries = await setup.stored.entries(responseId, owner)
  if (entries === undefined) return { response: undefined, last: Number.POSITIVE_INFINITY }
  const translation = translateEntries(setup.respondOptions(responseId, owner, { store: true }))
  let last = -1
  try {
    for await (const added of entries) {
      for (const entry of added) last = translation.apply(entry).at(-1)?.sequence_number ?? last
      // Those that come later do not count.
      break
    }
    return { response: translation.response && structuredClone(translation.response), last }
  } finally {
    translation.dispose()
  }
}

/** A page of the items that a response was given, as the API lists them. */
export interface ItemPage {
  readonly object: 'list'
  readonly data: readonly object[]
  readonly first_id: string | null
  readonly last_id: string | null
  readonly has_more: boolean
}

export interface ItemQuery {
  /** 1 to 100. Default 20. */
  readonly limit?: number
  /** Default `desc`: the latest first. */
  readonly order?: 'asc' | 'desc'
  /** The id of the last item of the page before. */
  readonly after?: string
}

/** @throws RequestError if there is no such response, or it has no such item */
export async function listInputItems(
  setup: Setup,
  responseId: string,
  owner: string,
  { limit = 20, order = 'desc', after }: ItemQuery = {},
): Promise<ItemPage> {
  const input = await inputOf(setup, responseId, owner)
  const items = (order === 'asc' ? [...input] : input.toReversed()) as readonly (InputItem & { readonly id: string })[]
  const from = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && from === 0) throw invalidValue('after', after)
  const page = items.slice(from, from + limit)
  const [first, last] = [page[0], page.at(-1)]
  return {
    object: 'list',
    data: page.map((item) => listedItem(item)),
    first_id: first?.id ?? null,
    last_id: last?.id ?? null,
    has_more: from + limit < items.length,
  }
}

/** The conversation before a response. @throws RequestError if there is no such response */
async function inputOf(setup: Setup, responseId: string, owner: string): Promise<readonly InputItem[]> {
  const found = await setup.stored.lineage(responseId, owner)
  if (found === undefined || found.isTransient) throw notFound(responseId)
  const { responses } = found
  const last = found.state === 'finished' ? responses.at(-1) : undefined
  if (last === undefined) return setup.runs.get(responseId)?.input ?? []
  return [...itemsOfResponses(responses.slice(0, -1)), ...last.added]
}

function notFound(responseId: string): RequestError {
  return new RequestError(`Response with id '${responseId.slice(0, 80)}' not found.`, { status: 404 })
}
