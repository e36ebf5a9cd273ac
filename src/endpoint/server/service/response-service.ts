import type { ResponseStreamEvent } from '../../../core/responses/events.js'
import type { OutputItem } from '../../../core/responses/items.js'
import { check } from '../../../shared/errors.js'
import type { ByteHold, MemoryUse, Purpose, Reclaimable } from '../../flow/byte-budget.js'
import type { KeptResponse } from '../../stores/store.js'
import type { Observer } from '../observe/observer.js'
import { ANONYMOUS, type Caller } from './caller.js'
import { checkServiceOptions, SERVICE_OPTIONS } from './check-service-options.js'
import { type CompactedResponse, compactConversation } from './compact.js'
import {
  type Conversation,
  createConversation,
  deleteConversation,
  retrieveConversation,
  updateConversation,
} from './conversations/conversations.js'
import {
  type ConversationItemQuery,
  createConversationItems,
  deleteConversationItem,
  listConversationItems,
  retrieveConversationItem,
} from './conversations/items.js'
import { createResponse } from './create.js'
import { createHealthCheck } from './health.js'
import { type InputTokens, inputTokensOf } from './input-tokens.js'
import { eventsWithoutHidden, withoutHidden } from './items/hidden-calls.js'
import type { ItemPage, ItemQuery } from './items/page.js'
import { callSealer, openCalls } from './items/sealed-calls.js'
import { cancelResponse, cancelRun, deleteResponse, listInputItems, retrieveResponse, streamResponse } from './kept.js'
import type { ServiceOptions } from './options.js'
import { type PassedOn, type PassedRequest, passOn } from './pass-on.js'
import type { LiveResponse } from './running/live-response.js'
import { type Setup, setUp } from './setup.js'
import { Sweeper } from './take-over/sweeper.js'
import type { ResponseTrace } from './trace/response-trace.js'
import { traceResponse } from './trace/trace-response.js'
import type { TraceQuery } from './trace/window.js'

/**
 * The Responses API without HTTP, as routes and sockets use it. Every method concerns one owner's responses, and throws
 * a RequestError for the client's mistakes.
 */
export interface ResponseService {
  /** Begins a response: resolves once it is accepted, and has its turn. */
  create(body: unknown, caller: Caller): Promise<LiveResponse>
  /** Returns a stored response. */
  retrieve(responseId: string, owner: string): Promise<KeptResponse>
  /** @param after - the sequence number of the last event that the client has */
  stream(responseId: string, owner: string, after?: number): Promise<AsyncGenerator<readonly ResponseStreamEvent[]>>
  /** Deletes a stored response, also a running one. */
  delete(responseId: string, owner: string): Promise<void>
  /** Cancels a response in the background, and returns it. */
  cancel(responseId: string, owner: string): Promise<KeptResponse>
  /** Lists the input items of a stored response, a page at a time. */
  inputItems(responseId: string, owner: string, query?: ItemQuery): Promise<ItemPage>
  /** Returns what became of the tokens of a stored response, a window at a time. */
  trace(responseId: string, owner: string, query?: TraceQuery): Promise<ResponseTrace>
  /** The named conversations of the store: see {@link ConversationService}. */
  readonly conversations: ConversationService
  /** @throws EngineError, too */
  compact(body: unknown, caller: Caller): Promise<CompactedResponse>
  /** Counts the tokens of a request's prompt, as `POST /v1/responses/input_tokens` does. */
  inputTokens(body: unknown, caller: Caller): Promise<InputTokens>
  /**
   * Passes a request on to the server of `passOn`, whatever its `paths`. @throws EngineError, too; HarmonyResponsesError
   * `bad_option` without `passOn`
   */
  passOn(request: PassedRequest, caller: Caller): Promise<PassedOn>
  /** The listed names. */
  readonly models: readonly string[]
  /** Whether a request may name this model: `otherModels` may serve names that are not listed. */
  serves(model: string): boolean
  /** The number of running responses, and of waiting requests. */
  readonly load: { readonly running: number; readonly waiting: number }
  /** The memory in use, by purpose. */
  readonly memory: MemoryUse
  /** Opens a hold on the memory: arriving bytes are counted before they are a request. @internal */
  holdBytes(owner: string, purpose: Purpose): ByteHold
  /** Counts a caller's reclaimable memory. Returns a function that ends it. @internal */
  keepBytes(kept: Reclaimable): () => void
  /** Returns a function that seals the calls of one answer that its client is not shown. @internal */
  callSealer(owner: string): (item: OutputItem) => string | undefined
  /** Opens the sealed calls that a request brings back. @internal */
  openCalls(
    sealed: readonly string[],
    owner: string,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly object[]>>
  /**
   * Whether the engine of a model, by default the first, would accept a call now. @throws EngineError; RequestError if it
   * does not answer in time
   */
  health(model?: string): Promise<void>
  /** Passes an error of the host's code to `onError`. Never throws. */
  readonly report: (error: unknown) => void
  /** Passes a diagnostic about a request to the host. Never throws. @internal */
  readonly notice: Setup['notice']
  /** Cancels a response that runs here, whoever has it. @internal */
  cancelRun(responseId: string): Promise<KeptResponse['status'] | undefined>
  /** Whether the store answers. @internal */
  checkStore(): Promise<void>
  /** Whether the store is in this process. @internal */
  readonly isStoreInMemory: boolean
  /** Undefined without an observer. @internal */
  readonly observer: Observer | undefined
  /**
   * Refuses new requests. Another process continues the running ones at once if the store allows it; the others are
   * waited for.
   *
   * @param signal - aborts them when it aborts itself
   */
  drain(signal?: AbortSignal): Promise<void>
}

/** @inline */
type Parts = Pick<ConversationItemQuery, 'include'>

/** The Conversations API without HTTP. Every method concerns one owner's, and throws a RequestError with status 404 for others. */
export interface ConversationService {
  /** Creates a conversation, with up to 20 items. */
  create(body: unknown, caller: Caller): Promise<Conversation>
  /** Returns a conversation. */
  retrieve(id: string, owner: string): Promise<Conversation>
  /** Replaces the metadata of a conversation. */
  update(id: string, body: unknown, caller: Caller): Promise<Conversation>
  /** Deletes a conversation, and the items that its clients added. Its responses stay. */
  delete(id: string, owner: string): Promise<void>
  /** Lists the items of a conversation, a page at a time. */
  listItems(id: string, owner: string, query?: ConversationItemQuery): Promise<ItemPage>
  /** Adds up to 20 items, and returns them. */
  createItems(id: string, body: unknown, caller: Caller, query?: Parts): Promise<ItemPage>
  /** Returns an item. */
  retrieveItem(id: string, itemId: string, owner: string, query?: Parts): Promise<object>
  /** Removes an item, and returns the conversation. */
  deleteItem(id: string, itemId: string, caller: Pick<Caller, 'owner' | 'signal'>): Promise<Conversation>
}

/**
 * Creates the Responses API without HTTP: requests as values in, events and responses as values out. `createResponsesApp`
 * is this, with routes.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { createResponseService } from 'harmony-responses/server'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const service = createResponseService({
 *   engine: scriptedEngine(() => answer('Hi!')), // in its place, any engine
 *   tokenTable: await loadTokenTable(),
 * })
 * const { events, finished } = await service.create({ model: 'gpt-oss', input: 'Say hi.' }, { owner: userId })
 * for await (const batch of events) send(batch)
 * console.log((await finished)?.response.status) // completed
 * await service.drain()
 * ```
 */
export function createResponseService(options: ServiceOptions): ResponseService {
  checkServiceOptions('createResponseService', options, SERVICE_OPTIONS)
  return openService(options)
}

/** Creates the service from checked options. */
export function openService(options: ServiceOptions): ResponseService {
  const setup = setUp(options)
  const { models, admission, budget, runs, report, notice } = setup
  const isHiding = options.offeredCalls === 'hidden'
  const visible = (response: KeptResponse): KeptResponse => (isHiding ? withoutHidden(response) : response)
  const checkHealth = createHealthCheck(options.limits)
  const sweeper = setup.durable.store.durability === 'none' ? undefined : new Sweeper(setup)
  return {
    async create(body, caller) {
      const live = await createResponse(setup, body, caller)
      if (!isHiding || caller.getsHiddenCalls) return live
      return { ...live, events: eventsWithoutHidden(live.events), shown: withoutHidden }
    },
    retrieve: async (responseId, owner) => visible(await retrieveResponse(setup, responseId, owner)),
    async stream(responseId, owner, after) {
      if (!isHiding) return await streamResponse(setup, responseId, owner, after)
      // Numbered as for the client, so all of them are read.
      return eventsWithoutHidden(await streamResponse(setup, responseId, owner), after)
    },
    delete: (responseId, owner) => deleteResponse(setup, responseId, owner),
    cancel: async (responseId, owner) => visible(await cancelResponse(setup, responseId, owner)),
    inputItems: (responseId, owner, query) => listInputItems(setup, responseId, owner, query),
    trace: (responseId, owner, query) => traceResponse(setup, responseId, owner, query),
    conversations: {
      create: (body, caller) => createConversation(setup, body, caller),
      retrieve: (id, owner) => retrieveConversation(setup, id, owner),
      update: (id, body, caller) => updateConversation(setup, id, body, caller),
      delete: (id, owner) => deleteConversation(setup, id, owner),
      listItems: (id, owner, query) => listConversationItems(setup, id, owner, query),
      createItems: (id, body, caller, query) => createConversationItems(setup, id, body, caller, query),
      retrieveItem: (id, itemId, owner, query) => retrieveConversationItem(setup, id, itemId, owner, query),
      deleteItem: (id, itemId, caller) => deleteConversationItem(setup, id, itemId, caller),
    },
    compact: (body, caller) => compactConversation(setup, body, caller),
    inputTokens: (body, caller) => inputTokensOf(setup, body, caller),
    async passOn(request, caller) {
      const { passOn: given } = options
      check(given !== undefined, 'passOn', 'an object', given)
      return await passOn(setup, given.server, request, caller)
    },
    models,
    serves: setup.serves,
    get load() {
      return { running: admission.running, waiting: admission.waiting }
    },
    get memory() {
      return budget.use
    },
    holdBytes: budget.hold,
    keepBytes: budget.join,
    callSealer: (owner) => callSealer(setup.seal, owner),
    openCalls: (sealed, owner, signal) =>
      openCalls(sealed, { seal: setup.seal, owner, pause: setup.pause, ...(signal && { signal }) }),
    health: async (model = models[0] ?? '') => await checkHealth(setup.engineOf(model)),
    cancelRun: (responseId) => cancelRun(setup, responseId),
    async checkStore() {
      await setup.durable.store.find(NO_RESPONSE, ANONYMOUS)
    },
    isStoreInMemory: setup.durable.store.durability === 'none',
    report,
    notice,
    observer: setup.observer,
    async drain(signal) {
      const stopAll = (): void => setup.stop.stop()
      signal?.addEventListener('abort', stopAll)
      if (signal?.aborted) stopAll()
      await handOver(setup, sweeper)
      await admission.drain()
      await Promise.all([...runs.values()].map(({ ended }) => ended))
      signal?.removeEventListener('abort', stopAll)
    },
  }
}

/** An id that no response has. */
const NO_RESPONSE = `resp_${'0'.repeat(48)}`

/** Hands over the responses that another process can continue. */
async function handOver({ runs }: Setup, sweeper: Sweeper | undefined): Promise<void> {
  const all = () => Promise.all([...runs.values()].map((run) => (run.canHandOver ? run.handOver() : undefined)))
  await Promise.all([all(), sweeper?.stop()])
  // Includes those that the sweeper was about to take over.
  await all()
}
