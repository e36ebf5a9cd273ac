import type { Diagnostic } from '../../../core/diagnostics/diagnostic.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { callSafely } from '../../../shared/call-safely.js'
import { merged } from '../../../shared/merged.js'
import type { Pause } from '../../../shared/slices.js'
import { steadySeconds } from '../../../shared/system/steady-seconds.js'
import { unixSeconds } from '../../../shared/system/unix-seconds.js'
import { type ByteBudget, createByteBudget } from '../../flow/byte-budget.js'
import { later, nextTurn } from '../../flow/next-turn.js'
import { createTextCache } from '../../prompt/text-cache.js'
import type { RespondOptions, ResponseHandle } from '../../respond/index.js'
import { createSeal, type Seal } from '../../seal/index.js'
import { createMemoryStore } from '../../stores/memory-store.js'
import type { ResponseStore } from '../../stores/store.js'
import { createObserver, type Observer } from '../observe/observer.js'
import { KnownConversations } from './conversation/known-conversations.js'
import { KnownTexts } from './conversation/known-texts.js'
import { Admission } from './limits/admission.js'
import { type CallWatch, watchCalls } from './limits/call-watch.js'
import { createSizeCheck } from './limits/conversation-size.js'
import type { ConversationWaits } from './limits/conversation-waits.js'
import { createDeadlines, type Deadlines } from './limits/deadlines.js'
import { createEngineGuard, type GuardEngine } from './limits/guarded-engine.js'
import { memoryBytesOf } from './limits/memory.js'
import { createTurnstile, MAX_WAITING, type Turnstile } from './limits/turnstile.js'
import type { ServiceOptions } from './options.js'
import { ReportedError } from './running/reported-error.js'
import type { Run } from './running/run-types.js'
import { createStop, type Stop } from './running/stop.js'
import { type ServedModels, servedModels } from './served-models.js'
import { boundedStore, StoreFailure } from './storage/bounded-store.js'
import { createResponseRepository, type ResponseRepository } from './storage/response-repository.js'

/** Shared by all parts of a service. */
export interface Setup extends ServedModels {
  readonly options: ServiceOptions
  /** The stored responses. */
  readonly durable: ResponseRepository
  /** Responses with `store: false`, while their entries may still be requested: always in this process's memory. */
  readonly transient: ResponseRepository
  /** The rendering of conversations that may continue. */
  readonly known: KnownConversations
  readonly texts: KnownTexts
  readonly seal: Seal
  readonly foreignSeals: 'refuse' | 'ignore'
  /** Passes a diagnostic about a request to the host. Never throws. */
  readonly notice: (diagnostic: Diagnostic) => void
  readonly admission: Admission
  /** The memory for requests, responses, sockets, readers and the store. */
  readonly budget: ByteBudget
  /** A clock in seconds that nobody sets. */
  readonly steady: () => number
  readonly clock: () => number
  /** Waits until other requests were served. */
  readonly pause: Pause
  /**
   * Spread responses that begin or end together over turns of the event loop, so that the others continue meanwhile.
   */
  readonly arrivals: Turnstile
  readonly endings: Turnstile
  /** Undefined without an observer. */
  readonly observer: Observer | undefined
  /** Receives errors of the host's own code. Never throws. */
  readonly report: (error: unknown) => void
  /** The responses that run here, by id. */
  readonly runs: Map<string, Run>
  /** The ids of responses that are about to run here: this process already holds their leases. */
  readonly beginning: Set<string>
  /**
   * The requests with a key whose responses have not begun, by owner and key. They resolve when the response has begun
   * or was refused.
   */
  readonly starting: Map<string, Promise<void>>
  readonly stop: Stop
  /** Checks the size of a conversation that items are added to. */
  readonly checkSize: ReturnType<typeof createSizeCheck>
  readonly waits: ConversationWaits
  readonly guard: GuardEngine
  readonly deadlines: Deadlines
  /** Watches the calls for one response, whose status they decide. */
  readonly watchCalls: () => CallWatch
  /** Returns the options of `respond` for one response of an owner: the same ones at each call. */
  respondOptions(
    responseId: string,
    owner: string,
    request: Pick<ResponseRequest, 'store'>,
  ): Omit<RespondOptions, 'engine'> & { readonly responseId: string }
}

/** How many responses begin in one turn of the event loop, and how many end: some milliseconds' worth of either. */
const MAX_ARRIVALS = 4
const MAX_ENDINGS = 16

/** The limit of entries of responses with `store: false`, in bytes. */
const TRANSIENT_BYTES = 67_108_864

export function setUp(options: ServiceOptions): Setup {
  const { limits = {}, onError = console.error, clock = unixSeconds, pause = nextTurn } = options
  // Setting the system's clock must not change what is remembered here.
  const { clock: steady = steadySeconds } = options
  const seal = options.seal ?? createSeal([{ id: 'process', key: crypto.getRandomValues(new Uint8Array(32)) }])
  const served = servedModels(options)

  function report(error: unknown): void {
    if (error instanceof ReportedError || (error instanceof StoreFailure && error.isRepeated)) return
    callSafely(onError, error instanceof StoreFailure ? error.cause : error)
  }
  const observer = createObserver(options, served.models, report)

  const deadlines = createDeadlines()
  const budget = createByteBudget({
    total: memoryBytesOf(limits),
    ...(observer && { onRefuse: observer.memoryRefused }),
  })
  const { leaseSeconds = 10 } = limits
  function repositoryOf(store: ResponseStore): ResponseRepository {
    joinStore(budget, store)
    return createResponseRepository(boundedStore(store, limits, deadlines), { clock: steady, report, leaseSeconds })
  }
  const known = new KnownConversations({ clock: steady, pause })
  const texts = new KnownTexts({ clock: steady, max: limits.knownTextBytes })
  budget.join(known.memory)
  budget.join(texts.memory)

  return {
    durable: repositoryOf(options.store ?? createMemoryStore()),
    transient: repositoryOf(createMemoryStore({ bytes: TRANSIENT_BYTES })),
    ...served,
    ...{ options, known, texts, seal, budget, observer, clock, steady, pause, report, deadlines },
    foreignSeals: options.seal === undefined ? 'ignore' : 'refuse',
    notice: (diagnostic) => callSafely(options.response?.onDiagnostic, diagnostic, report),
    admission: new Admission(limits, observer?.load, options.now),
    arrivals: createTurnstile(MAX_ARRIVALS, later, MAX_WAITING),
    endings: createTurnstile(MAX_ENDINGS, later),
    runs: new Map(),
    beginning: new Set(),
    starting: new Map(),
    stop: createStop(),
    checkSize: createSizeCheck(limits),
    waits: { waiting: 0 },
    guard: createEngineGuard(limits, deadlines),
    watchCalls: () => watchCalls(limits, deadlines),
    respondOptions: respondOptionsOf(options, { seal, clock, pause, report }),
  }
}

/** Returns the options of `respond` that all responses share, and those that their owner and their id decide. */
function respondOptionsOf(
  { tokenTable, tools, limits = {}, response = {} }: ServiceOptions,
  { seal, clock, pause, report }: Pick<Setup, 'seal' | 'clock' | 'pause' | 'report'>,
): Setup['respondOptions'] {
  const { turns, responseSeconds: seconds, countedTokens, knownTextBytes = 16_777_216 } = limits
  const responseLimits = {
    ...(turns !== undefined && { turns }),
    ...(seconds !== undefined && { seconds }),
    ...(countedTokens !== undefined && { countedTokens }),
  }
  const texts = createTextCache(knownTextBytes)
  const { onOpen, ...settings } = response
  return (responseId, owner, request) => {
    // The id is random enough for a nonce, and later readers of the response know it.
    const sealed = seal.forResponse({ caller: owner, nonce: responseId })
    return merged(settings, {
      responseId,
      tokenTable,
      clock,
      pause,
      known: texts.of(owner),
      onError: report,
      store: true,
      sealReasoning: sealed.seal,
      sealForm: sealed.sealForm,
      sealCompaction: sealed.sealCompaction,
      // A stored response is looked up when its call is approved.
      ...(request.store === false && { sealApproval: sealed.sealApproval }),
      ...(tools !== undefined && { tools }),
      ...(onOpen && { onOpen: (opened: ResponseHandle) => onOpen(merged(opened, { owner })) }),
      limits: responseLimits,
    })
  }
}

/** Counts the memory of a store in this process, if it reports any. */
function joinStore(budget: ByteBudget, { memory }: ResponseStore): void {
  if (typeof memory?.bytes !== 'number' || typeof memory.reclaim !== 'function') return
  if (typeof memory.onChange === 'function') budget.join(memory)
}
