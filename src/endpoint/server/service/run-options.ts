import type { ResponseRequest } from '../../../core/responses/request.js'
import type { HostUsage } from '../../../core/tokens/token-source.js'
import type { TokenEngine } from '../../../engines/contract/index.js'
import { callSafely } from '../../../shared/call-safely.js'
import { merged } from '../../../shared/merged.js'
import type { ByteHold } from '../../flow/byte-budget.js'
import type { KeptResponse, RequestKey } from '../../stores/store.js'
import type { HostedCall, Tool } from '../../tools/tool.js'
import type { ResponseObservation } from '../observe/observe-response.js'
import { watchedDiagnostics, watchedTools } from '../observe/watched.js'
import { auditedTools } from './audit.js'
import type { Caller } from './caller.js'
import { usedApproval } from './conversation/approvals.js'
import type { ResolvedRequest } from './conversation/conversation.js'
import type { CallWatch } from './limits/call-watch.js'
import { countedTools, createMeter } from './limits/counted.js'
import type { operatorOptions } from './operator-options.js'
import type { RunOptions } from './running/run-types.js'
import type { Setup } from './setup.js'

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

type Resources = Omit<RunResources, 'key'>

/** Returns the options shared by responses that begin here and those that are taken over. */
export function runOptions(
  setup: Setup,
  resources: Resources,
  context: RunContext,
): Omit<RunOptions, 'repository' | 'begin' | 'isTransient' | 'signal' | 'isBackground'> {
  const { observed, held, onEnd } = resources
  const { owner, responseId, request, conversation } = context
  const { seal, report, clock, stop, endings, options } = setup
  const { onDisconnect = 'stop', onEntry } = options
  const repository = request.store === false ? setup.transient : setup.durable
  return {
    respond: respondOptions(setup, resources, context),
    ...{ conversation, seal, owner, onDisconnect, stop, endings, clock, onEnd },
    async consumeApprovals(calls) {
      const ids = calls.map(({ approvalRequestId }) => approvalRequestId)
      if (ids.length > 0 && !(await setup.durable.store.consumeApprovals(ids, owner))) throw usedApproval(calls)
    },
    holdReader: () => setup.budget.hold(owner, 'reader'),
    onError: report,
    onUnfinished(response) {
      // Holds the memory of its conversation until its end is stored.
      const unfinished = held.moveTo('store')
      repository.stored.addUnfinished(responseId, response, () => unfinished.end())
    },
    onClosed: () => held.end(),
    ...(onEntry && { onEntry: (entry) => callSafely((each) => onEntry(responseId, each), entry, report) }),
    ...(observed && { onStart: observed.started }),
  }
}

function respondOptions(setup: Setup, resources: Resources, context: RunContext): RunOptions['respond'] {
  const { engine, observed, held, calls, admitted } = resources
  const { owner, responseId, request, conversation, caller, operator } = context
  const { errorEvent, maxSearches, onInput, onStopString, returnedArguments } = caller ?? {}
  const { earlier, began, texts: said } = conversation
  const given = setup.respondOptions(responseId, owner, request)
  return merged(given, {
    engine: setup.guard(onInput ? withInputUsage(engine, onInput) : engine, {
      ...{ meter: createMeter(held), observed, calls },
    }),
    ...operator,
    ...(admitted && { admitted }),
    tools: toolsOf(setup, resources, context),
    owner,
    ...(observed && { onDiagnostic: watchedDiagnostics(setup.options.response?.onDiagnostic, observed) }),
    ...(errorEvent !== undefined && { errorEvent }),
    ...(onStopString && { onStopString }),
    ...(returnedArguments && { returnedArguments }),
    ...(maxSearches !== undefined && { maxSearches }),
    ...(earlier && { earlier }),
    ...(said && given.known && { known: merged(given.known, { said }) }),
    ...(began !== undefined && { began }),
  })
}

/** Returns the operator's tools for one response: audited, observed, and with their results counted. */
function toolsOf(
  { options, clock, report }: Setup,
  { observed, held }: Resources,
  { owner, responseId, isOffered }: RunContext,
): Tool[] {
  const { now = () => performance.now() } = options
  const known = merged(options, { owner, responseId, clock, now, report, isOffered })
  const tools = auditedTools(options.tools ?? [], known)
  return countedTools(observed ? watchedTools(tools, observed) : tools, held)
}

/** Wraps the engine of one response so that it reports the input of its first call before the answer. */
function withInputUsage(engine: TokenEngine, onInput: (usage: HostUsage) => void): TokenEngine {
  const { capabilities } = engine
  let isFirst = true
  return {
    generate(prompt, options = {}) {
      if (!isFirst) return engine.generate(prompt, options)
      isFirst = false
      onInput({ inputTokens: prompt.length })
      return engine.generate(prompt, {
        ...options,
        onUsage(usage) {
          onInput({ inputTokens: prompt.length, ...usage })
          options.onUsage?.(usage)
        },
      })
    },
    health: (options) => engine.health(options),
    ...(capabilities && { capabilities: (options) => capabilities.call(engine, options) }),
  }
}
