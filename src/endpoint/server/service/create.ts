import type { ParsedRequest } from '../../../core/responses/parsed-request.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { randomResponseId } from '../../../defaults.js'
import type { TokenEngine } from '../../../engines/contract/index.js'
import { callSafely } from '../../../shared/call-safely.js'
import { isFields } from '../../../shared/fields.js'
import { merged } from '../../../shared/merged.js'
import { RequestError } from '../../../shared/request-error.js'
import type { ByteHold } from '../../flow/byte-budget.js'
import { offeredCalls } from '../../respond/offered.js'
import type { KeptResponse, RequestKey } from '../../stores/store.js'
import type { HostedCall } from '../../tools/tool.js'
import type { ResponseObservation } from '../observe/observe-response.js'
import { watchedDiagnostics, watchedTools } from '../observe/watched.js'
import { auditedTools } from './audit.js'
import type { Caller } from './caller.js'
import { usedApproval } from './conversation/approvals.js'
import type { ResolvedRequest } from './conversation/conversation.js'
import { engineFor } from './engine-for.js'
import { inConversation } from './in-conversation.js'
import { attach } from './kept.js'
import type { Visit } from './limits/admission.js'
import type { CallWatch } from './limits/call-watch.js'
import { countedTools, createMeter } from './limits/counted.js'
import { RESPONSE_BYTES, takeOrRefuse } from './limits/memory.js'
import { withInputUsage } from './limits/with-input-usage.js'
import { operatorOptions } from './operator-options.js'
import { parseBody } from './parse-body.js'
import type { LiveResponse } from './running/live-response.js'
import type { Run, RunOptions } from './running/run-types.js'
import { startRun } from './running/running-response.js'
import type { Setup } from './setup.js'
import { sha256 } from './sha256.js'
import { OpeningRefused } from './storage/journal.js'

/**
 * Creates a response, or finds the one that the same request created before.
 *
 * @param body - the request's, as JSON
 * @throws RequestError
 */
export async function createResponse(setup: Setup, body: unknown, caller: Caller): Promise<LiveResponse> {
  const turn = setup.arrivals.pass(caller)
  if (turn !== undefined) await turn
  const request = withModel(await parseBody(setup, body, caller), setup.models)
  const { owner, idempotencyKey } = caller
  if (idempotencyKey === undefined) return start(setup, request, caller)
  const key = { key: idempotencyKey, digest: await digestOf(body) }
  const place = JSON.stringify([owner, idempotencyKey])
  for (;;) {
    // The first request may still wait for its turn. If it is refused, its key is free, and this request becomes the
    // first. Whatever its body, only the store knows who has the key: another process may be faster.
    const starting = setup.starting.get(place)
    if (starting === undefined) break
    await starting
  }
  const work = startOrAttach(setup, request, key, caller)
  const over = work.then(
    () => {},
    () => {},
  )
  setup.starting.set(place, over)
  try {
    return await work
  } finally {
    setup.starting.delete(place)
  }
}

/** Returns the response of a key, or starts the first one with it. */
async function startOrAttach(
  setup: Setup,
  request: ParsedRequest,
  key: RequestKey,
  caller: Caller,
): Promise<LiveResponse> {
  for (;;) {
    for (const repository of [setup.durable, setup.transient]) {
      const known = await repository.store.findKey(key.key, caller.owner)
      if (known === undefined) continue
      checkKey(known, key)
      return { ...(await attach(setup, repository, known.responseId, request, caller.owner)), request }
    }
    try {
      return await start(setup, request, caller, key)
    } catch (error) {
      // Another process has begun with the same key meanwhile.
      if (!(error instanceof OpeningRefused) || error.opening.state !== 'key_taken') throw error
    }
  }
}

/** @throws RequestError if the key belongs to another body */
function checkKey(known: RequestKey, { digest }: RequestKey): void {
  if (known.digest === digest) return
  const message = 'The Idempotency-Key has been used for another request. Use a new key for a new request.'
  throw new RequestError(message, { status: 422, code: 'idempotency_key_reused' })
}

function withModel(request: ParsedRequest, [model = 'gpt-oss']: readonly string[]): ParsedRequest {
  return request.model === undefined ? merged(request, { model }) : request
}

async function start(setup: Setup, request: ParsedRequest, caller: Caller, key?: RequestKey): Promise<LiveResponse> {
  const responseId = randomResponseId()
  const { model = '' } = request
  const engine = await engineFor(setup, model, caller)
  const observed = setup.observer?.response({ responseId, model, request: caller.observed, trace: caller.trace })
  let held = (caller.held ?? setup.budget.hold(caller.owner, 'body')).moveTo('queue')
  let leave = (): void => {}
  const onEnd = (ending?: KeptResponse): void => {
    leave()
    observed?.ended(ending)
  }
  try {
    takeOrRefuse(held, RESPONSE_BYTES)
    const visit = await enter(setup, request, caller)
    leave = visit.leave
    held = held.moveTo('response')
    setup.beginning.add(responseId)
    const calls = caller.awaitsStatus === true && request.background !== true ? setup.watchCalls() : undefined
    const admitted = visit.turn
    const resources = { engine, observed, held, key, onEnd, calls, admitted }
    const run = await runFor(setup, request, responseId, caller, resources)
    addRun(setup, run)
    const { created, events, before, finished } = run
    return { responseId, request, created, events, before, finished, calls, isStopped: () => run.isStopped }
  } catch (error) {
    onEnd()
    held.end()
    throw error
  } finally {
    setup.beginning.delete(responseId)
  }
}

/** Waits for a place; one in the background is answered before it has its turn. @throws RequestError */
async function enter({ admission }: Setup, { background }: ParsedRequest, { owner, signal }: Caller): Promise<Visit> {
  if (background !== true) return { turn: undefined, leave: await admission.enter(owner, signal) }
  signal?.throwIfAborted()
  return admission.accept(owner)
}

/** The resources of one response. */
export interface RunResources {
  readonly engine: TokenEngine
  readonly observed: ResponseObservation | undefined
  /** Decides the status of its answer. Undefined if no client awaits one. */
  readonly calls?: CallWatch | undefined
  /** The memory that it holds: released when everything was read, or its reader has left. */
  readonly held: ByteHold
  /** The key of its request, if it has one. */
  readonly key: RequestKey | undefined
  /** Resolves when it has its turn. Absent: it has. */
  readonly admitted?: Promise<void> | undefined
  readonly onEnd: (ending?: KeptResponse) => void
}

async function runFor(
  setup: Setup,
  request: ParsedRequest,
  responseId: string,
  caller: Caller,
  resources: RunResources,
): Promise<Run> {
  const { owner } = caller
  const { onDisconnect = 'stop' } = setup.options
  const isTransient = request.store === false
  // Entries are kept for later readers: a second request with the key, or a client that reconnects.
  const isJournaled = !isTransient || resources.key !== undefined || onDisconnect !== 'stop'
  return inConversation(setup, request, responseId, caller, async (conversation) => {
    const operator = await operatorOptions(setup.options, request, caller)
    const isOffered = offeredCalls(conversation.request, operator.offered)
    const about = { owner, responseId, request: request as ResponseRequest, conversation, caller }
    const { previous } = conversation.addition
    const approvals = conversation.approvedCalls.map(({ approvalRequestId }) => approvalRequestId)
    return startRun({
      ...runOptions(setup, resources, { ...about, operator, isOffered }),
      repository: isJournaled ? (isTransient ? setup.transient : setup.durable) : undefined,
      begin: {
        ...{ responseId, owner },
        ...(resources.key && { key: resources.key }),
        // A transient response has its predecessors in memory, and its approvals are stored like all others.
        ...(!isTransient && { approvals, ...(previous !== undefined && { previous }) }),
      },
      isTransient,
      signal: caller.signal,
      isBackground: request.background === true,
    })
  })
}

/** The owner and the parts of a response. */
export interface RunContext {
  readonly owner: string
  readonly responseId: string
  readonly request: ResponseRequest
  readonly conversation: ResolvedRequest
  readonly caller?: Caller
  /** The operator's decisions. A response that is taken over has them in its entries. */
  readonly operator?: Awaited<ReturnType<typeof operatorOptions>>
  /** Whether a call is of an offered tool. */
  readonly isOffered: (call: HostedCall) => boolean
}

/** Returns the options shared by responses that begin here and those that are taken over. */
export function runOptions(
  setup: Setup,
  { engine, observed, held, onEnd, calls, admitted }: Omit<RunResources, 'key'>,
  { owner, responseId, request, conversation, caller = { owner }, operator, isOffered }: RunContext,
): Omit<RunOptions, 'repository' | 'begin' | 'isTransient' | 'signal' | 'isBackground'> {
  const { seal, report, clock } = setup
  const { onDisconnect = 'stop', onEntry, now = () => performance.now() } = setup.options
  const tools = auditedTools(
    setup.options.tools ?? [],
    merged(setup.options, { owner, responseId, clock, now, report, isOffered }),
  )
  const { errorEvent, maxSearches, onInput, onStopString, returnedArguments } = caller
  const { earlier, began } = conversation
  const repository = request.store === false ? setup.transient : setup.durable
  return {
    conversation,
    respond: merged(setup.respondOptions(responseId, owner, request), {
      engine: setup.guard(onInput ? withInputUsage(engine, onInput) : engine, {
        ...{ meter: createMeter(held), observed, calls },
      }),
      ...operator,
      ...(admitted && { admitted }),
      tools: countedTools(observed ? watchedTools(tools, observed) : tools, held),
      ...(observed && {
        onDiagnostic: watchedDiagnostics(setup.options.response?.onDiagnostic, observed),
      }),
      ...(errorEvent !== undefined && { errorEvent }),
      ...(onStopString && { onStopString }),
      ...(returnedArguments && { returnedArguments }),
      ...(maxSearches !== undefined && { maxSearches }),
      ...(earlier && { earlier }),
      ...(began !== undefined && { began }),
    }),
    seal,
    owner,
    onDisconnect,
    stop: setup.stop,
    async consumeApprovals(calls) {
      const ids = calls.map(({ approvalRequestId }) => approvalRequestId)
      if (ids.length > 0 && !(await setup.durable.store.consumeApprovals(ids, owner))) throw usedApproval(calls)
    },
    holdReader: () => setup.budget.hold(owner, 'reader'),
    endings: setup.endings,
    onError: report,
    onUnfinished(response) {
      // Holds the memory of its conversation until its end is stored.
      const unfinished = held.moveTo('store')
      repository.stored.addUnfinished(responseId, response, () => unfinished.end())
    },
    onClosed: () => held.end(),
    clock,
    ...(onEntry && { onEntry: (entry) => callSafely((each) => onEntry(responseId, each), entry, report) }),
    ...(observed && { onStart: observed.started }),
    onEnd,
  }
}

/** Registers a run until this process no longer runs it. */
export function addRun({ runs }: Setup, run: Run): void {
  runs.set(run.responseId, run)
  run.ended.then(() => {
    // A lost one may have been taken back meanwhile.
    if (runs.get(run.responseId) === run) runs.delete(run.responseId)
  })
}

/** Returns a digest that is the same for equivalent bodies: the order of keys does not count. */
async function digestOf(body: unknown): Promise<string> {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    isFields(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
  return sha256(text ?? '')
}
