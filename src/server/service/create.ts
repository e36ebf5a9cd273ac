import type { ByteHold } from '../../byte-budget.js'
import { randomResponseId } from '../../defaults.js'
import type { TokenEngine } from '../../engine/index.js'
import { merged } from '../../merged.js'
import { RequestError } from '../../request-error.js'
import type { ParsedRequest } from '../../responses/parsed-request.js'
import type { ResponseRequest } from '../../responses/request.js'
import type { KeptResponse, KeyedRequest } from '../../stores/store.js'
import { callHost } from '../../translate/call-host.js'
import type { ResponseObservation } from '../observe/observe-response.js'
import { watchedDiagnostics, watchedEngine, watchedTools } from '../observe/watched.js'
import { auditedTools } from './audit.js'
import type { Caller } from './caller.js'
import { countedEngine, countedTools } from './counted.js'
import { digestOf } from './digest.js'
import { inConversation } from './in-conversation.js'
import { attach } from './kept.js'
import type { LiveResponse } from './live-response.js'
import { RESPONSE_BYTES, takeOrRefuse } from './memory.js'
import { parseBody } from './parse-body.js'
import { type Run, startRun } from './run.js'
import type { Setup } from './setup.js'

/**
 * Creates a response, or finds the one that the same request has created before.
 *
 * @param body - the request's, as JSON
 * @throws RequestError
 */
export async function createResponse(setup: Setup, body: unknown, caller: Caller): Promise<LiveResponse> {
  const request = withModel(await parseBody(setup, body, caller), setup.models)
  const responseId = randomResponseId()
  const { owner, idempotencyKey: key } = caller
  if (key === undefined) return start(setup, request, responseId, caller)
  const keyed = { owner, key, digest: await digestOf(body), responseId }
  for (;;) {
    const known = await setup.store.reserveKey(keyed)
    if (known.responseId === responseId) return startKeyed(setup, request, keyed, caller)
    if (known.digest !== keyed.digest) {
      const message = 'The Idempotency-Key has been used for another request. Use a new key for a new request.'
      throw new RequestError(message, { status: 422, code: 'idempotency_key_reused' })
    }
    const starting = setup.starting.get(known.responseId)
    if (starting === undefined) return { ...(await attach(setup, known.responseId, request, owner)), request }
    // It may wait for its turn. If it is refused then, its key is free, and this request is the first.
    await starting
  }
}

async function startKeyed(
  setup: Setup,
  request: ParsedRequest,
  keyed: KeyedRequest,
  caller: Caller,
): Promise<LiveResponse> {
  const { responseId } = keyed
  const release = (): Promise<void> => setup.store.releaseKey(keyed).catch(setup.report)
  const work = start(setup, request, responseId, caller)
  setup.starting.set(
    responseId,
    work.then(
      () => {},
      () => release(),
    ),
  )
  try {
    const live = await work
    // Its client lost it, and sends the request again to get an answer.
    live.finished.then((kept) => (kept?.response.status === 'cancelled' ? release() : undefined))
    return live
  } finally {
    await setup.starting.get(responseId)
    setup.starting.delete(responseId)
  }
}

function withModel(request: ParsedRequest, [model = 'gpt-oss']: readonly string[]): ParsedRequest {
  return request.model === undefined ? merged(request, { model }) : request
}

async function start(setup: Setup, request: ParsedRequest, responseId: string, caller: Caller): Promise<LiveResponse> {
  const { model = '' } = request
  const engine = traced(setup.engineOf(model), caller.trace)
  const observed = setup.observer?.response({ responseId, model, request: caller.observed, trace: caller.trace })
  let held = (caller.held ?? setup.budget.hold(caller.owner, 'body')).moveTo('queue')
  let leave = (): void => {}
  const onEnd = (ending?: KeptResponse): void => {
    leave()
    observed?.ended(ending)
  }
  try {
    takeOrRefuse(held, RESPONSE_BYTES)
    leave = await setup.admission.enter(caller.owner, caller.signal, request.background === true)
    held = held.moveTo('response')
    const run = await runFor(setup, request, responseId, caller, { engine, observed, held, onEnd })
    setup.runs.set(responseId, run)
    run.finished.then(() => setup.runs.delete(responseId))
    const { created, events, before, finished } = run
    return { responseId, request, created, events, before, finished }
  } catch (error) {
    onEnd()
    held.end()
    throw error
  }
}

/** What one response is made with. */
interface Making {
  readonly engine: TokenEngine
  readonly observed: ResponseObservation | undefined
  /** What it holds of the memory: ended when all of it was read, or its reader has left. */
  readonly held: ByteHold
  readonly onEnd: (ending?: KeptResponse) => void
}

async function runFor(
  setup: Setup,
  request: ParsedRequest,
  responseId: string,
  caller: Caller,
  { engine, observed, held, onEnd }: Making,
): Promise<Run> {
  const { owner, errorEvent, onStopString, returnedArguments } = caller
  const { store, stored, seal, report, clock } = setup
  const { onDisconnect = 'stop', onEntry, now = () => performance.now() } = setup.options
  const tools = auditedTools(
    setup.options.tools ?? [],
    merged(setup.options, { owner, responseId, clock, now, report }),
  )
  const isTransient = request.store === false
  // Whoever may come for the entries finds them: a second request with the key, or a client that comes back.
  const isJournaled = !isTransient || caller.idempotencyKey !== undefined || onDisconnect !== 'stop'
  return inConversation(setup, request, responseId, caller, (conversation) =>
    startRun({
      conversation,
      respond: merged(setup.respondOptions(responseId, owner, request as ResponseRequest), {
        engine: countedEngine(observed ? watchedEngine(engine, observed) : engine, held),
        tools: countedTools(observed ? watchedTools(tools, observed) : tools, held),
        ...(observed && {
          onDiagnostic: watchedDiagnostics(setup.options.response?.onDiagnostic, observed),
        }),
        ...(errorEvent !== undefined && { errorEvent }),
        ...(onStopString && { onStopString }),
        ...(returnedArguments && { returnedArguments }),
        ...(conversation.earlier && { earlier: conversation.earlier }),
      }),
      store: isJournaled ? store : undefined,
      seal,
      owner,
      isTransient,
      onDisconnect,
      signal: caller.signal,
      stop: setup.stop,
      isBackground: request.background === true,
      async consumeApprovals(calls) {
        const ids = calls.map(({ approvalRequestId }) => approvalRequestId)
        if (await store.consumeApprovals(ids, owner)) return
        const message =
          ids.length > 1
            ? 'One of the approval requests has been answered before.'
            : `The approval request '${ids[0]?.slice(0, 40)}' has been answered before.`
        throw new RequestError(message, { param: 'input', code: 'invalid_value' })
      },
      onError: report,
      onUnfinished(response) {
        // It holds its conversation until its end is kept.
        const unfinished = held.moveTo('store')
        stored.addUnfinished(responseId, response, () => unfinished.end())
      },
      onClosed: () => held.end(),
      clock,
      ...(onEntry && { onEntry: (entry) => callHost((each) => onEntry(responseId, each), entry, report) }),
      ...(observed && { onStart: observed.started }),
      onEnd,
    }),
  )
}

/** The engine, which is sent the trace context of the request. */
function traced(engine: TokenEngine, trace: Caller['trace']): TokenEngine {
  if (trace === undefined) return engine
  const { capabilities } = engine
  return {
    generate: (prompt, options) => engine.generate(prompt, { trace, ...options }),
    health: (options) => engine.health(options),
    ...(capabilities && { capabilities: (options) => capabilities.call(engine, options) }),
  }
}
