import type { ParsedRequest } from '../../../core/responses/parsed-request.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { randomResponseId } from '../../../defaults.js'
import { merged } from '../../../shared/merged.js'
import type { ByteHold } from '../../flow/byte-budget.js'
import { offeredCalls } from '../../respond/offered.js'
import type { KeptResponse, RequestKey } from '../../stores/store.js'
import type { Caller } from './caller.js'
import { conversationIdOf } from './conversation/named-conversation.js'
import { inTurn } from './conversations/turns.js'
import { createOnce } from './create-once.js'
import { engineFor } from './engine-for.js'
import { inConversation } from './in-conversation.js'
import type { Visit } from './limits/admission.js'
import { RESPONSE_BYTES, takeOrRefuse } from './limits/memory.js'
import { operatorOptions } from './operator-options.js'
import { parseBody } from './parse-body.js'
import { type RunResources, runOptions } from './run-options.js'
import type { LiveResponse } from './running/live-response.js'
import type { Run } from './running/run-types.js'
import { startRun } from './running/running-response.js'
import type { Setup } from './setup.js'

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
  if (idempotencyKey === undefined) return startInTurn(setup, request, caller)
  return createOnce(setup, { request, owner, idempotencyKey, body }, (key) => startInTurn(setup, request, caller, key))
}

/** A request that is tried again if another one was faster in its conversation. */
interface Attempted {
  readonly request: ParsedRequest
  readonly key: RequestKey | undefined
  /** The memory that it holds: that of its body, between two attempts. */
  held: ByteHold
}

/** Starts a response, if it names a conversation when no other one is open in it. */
async function startInTurn(
  setup: Setup,
  request: ParsedRequest,
  caller: Caller,
  key?: RequestKey,
): Promise<LiveResponse> {
  const held = (caller.held ?? setup.budget.hold(caller.owner, 'body')).moveTo('queue')
  const attempted: Attempted = { request, key, held }
  const conversationId = conversationIdOf(request)
  try {
    if (conversationId === undefined) return await start(setup, attempted, caller)
    return await inTurn(setup, conversationId, caller, () => start(setup, attempted, caller))
  } catch (error) {
    attempted.held.end()
    throw error
  }
}

function withModel(request: ParsedRequest, [model = 'gpt-oss']: readonly string[]): ParsedRequest {
  return request.model === undefined ? merged(request, { model }) : request
}

async function start(setup: Setup, attempted: Attempted, caller: Caller): Promise<LiveResponse> {
  const { request, key } = attempted
  const { bytes } = attempted.held
  const responseId = randomResponseId()
  const { model = '' } = request
  const engine = await engineFor(setup, model, caller)
  const observed = setup.observer?.response({
    ...{ responseId, model, owner: caller.owner, request: caller.observed, trace: caller.trace },
  })
  let leave = (): void => {}
  const onEnd = (ending?: KeptResponse): void => {
    leave()
    observed?.ended(ending)
  }
  try {
    takeOrRefuse(attempted.held, RESPONSE_BYTES)
    const visit = await enter(setup, request, caller)
    leave = visit.leave
    attempted.held = attempted.held.moveTo('response')
    setup.beginning.add(responseId)
    const calls = caller.awaitsStatus === true && request.background !== true ? setup.watchCalls() : undefined
    const admitted = visit.turn
    const resources = { engine, observed, held: attempted.held, key, onEnd, calls, admitted }
    const run = await runFor(setup, request, responseId, caller, resources)
    addRun(setup, run)
    const { created, events, before, finished } = run
    return { responseId, request, created, events, before, finished, calls, isStopped: () => run.isStopped }
  } catch (error) {
    onEnd()
    attempted.held = attempted.held.moveTo('queue')
    attempted.held.give(attempted.held.bytes - bytes)
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
    const { addition, own, responses, turn } = conversation
    if (turn !== undefined) setup.checkSize(responses, own.input)
    const { previous } = addition
    const approvals = conversation.approvedCalls.map(({ approvalRequestId }) => approvalRequestId)
    return startRun({
      ...runOptions(setup, resources, { ...about, operator, isOffered }),
      repository: isJournaled ? (isTransient ? setup.transient : setup.durable) : undefined,
      begin: {
        ...{ responseId, owner },
        ...(resources.key && { key: resources.key }),
        // A transient response has its predecessors in memory, and its approvals are stored like all others.
        ...(!isTransient && {
          approvals,
          ...(previous !== undefined && { previous }),
          ...(turn && { conversation: turn }),
        }),
      },
      isTransient,
      signal: caller.signal,
      isBackground: request.background === true,
    })
  })
}

/** Registers a run until this process no longer runs it. */
export function addRun({ runs }: Setup, run: Run): void {
  runs.set(run.responseId, run)
  run.ended.then(() => {
    // A lost one may have been taken back meanwhile.
    if (runs.get(run.responseId) === run) runs.delete(run.responseId)
  })
}
