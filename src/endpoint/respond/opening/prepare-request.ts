import type { NoticeCode } from '../../../core/diagnostics/diagnostic.js'
import type { HostedBuiltin } from '../../../core/recipients/builtin-tools.js'
import { placeOfSetting } from '../../../core/recipients/conversation-settings.js'
import { withConversationTools } from '../../../core/recipients/conversation-tools.js'
import type { RecipientPolicy } from '../../../core/recipients/policy.js'
import type { McpListing } from '../../../core/responses/mcp-listing.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import type { EngineCapabilities } from '../../../engines/contract/constraint.js'
import {
  contextLengthExceeded,
  RequestError,
  tooManyToCount,
  unsupported,
  withParam,
} from '../../../shared/request-error.js'
import { createPace, withPauses } from '../../../shared/slices.js'
import { dateOf } from '../../../shared/system/unix-seconds.js'
import { nextTurn } from '../../flow/next-turn.js'
import type { OperatorAdditions } from '../../journal/entry.js'
import type { TaughtTools } from '../../prompt/taught-tools.js'
import { toolChoiceOf } from '../../prompt/tool-choice.js'
import { isCalleeOpen } from '../demand/callees.js'
import { checkDemand } from '../demand/check-demand.js'
import { toolsFor, withAdditions } from '../offered.js'
import type { RespondOptions } from '../options.js'
import { firstPrompt, promptedRequest, type Rendering, taughtTools } from '../prompts/first-prompt.js'
import { promptBound } from '../prompts/prompt-bound.js'
import type { FirstPrompt } from '../prompts/prompt-ids.js'
import { type EnforcedParts, enforcedParts } from '../strict/enforced-parts.js'
import { strictParts } from '../strict/strict-parts.js'
import { hostedBuiltins } from './hosted-builtins.js'
import { checkContainer } from './known-container.js'
import { operatorAdditions } from './operator-additions.js'
import { listingsOf } from './server-listings.js'
import { isUnavailable } from './unavailable.js'

/** The options of an open entry, with their defaults applied. */
export interface OpenOptions extends RespondOptions {
  readonly policy: RecipientPolicy
  readonly responseId: string
  readonly onError: (error: unknown) => void
  /** Called with requested features that have no effect. */
  readonly notice?: (code: NoticeCode, subject: string) => void
}

/** The parts of a request's first model call. */
export interface Prepared {
  /** The request with all tools that its conversation declares. */
  readonly request: ResponseRequest
  readonly isCompaction: boolean
  readonly capabilities: EngineCapabilities
  readonly enforcedBy: EnforcedParts
  readonly listings: readonly McpListing[]
  /** The operator's additions to the request. */
  readonly operator: OperatorAdditions | undefined
  readonly tools: TaughtTools
  readonly rendering: Rendering
  readonly prompt: FirstPrompt
}

/**
 * Reads a request, and renders its prompt.
 *
 * @param counted - the maximum number of tokens to count, if the engine's context does not matter
 * @throws like {@link openEntry}
 */
export async function prepareRequest(
  request: ResponseRequest,
  options: OpenOptions,
  at: number,
  signal: AbortSignal,
  counted?: number,
): Promise<Prepared> {
  const { onUnsupportedConstraint = 'relax', onError, notice, pause = nextTurn, policy, approvedCalls } = options
  // Each of the following passes over the items costs as much as encoding a character of each.
  const pace = createPace(pause, signal)
  const pass = (): Promise<void> | undefined => pace(Array.isArray(request.input) ? request.input.length : 0)
  const isCompaction = checkCompaction(request, options)
  await pass()
  const { request: whole, placeOf: placeOfTool } = withConversationTools(request)
  await pass()
  const placeOf = (param: string): string => placeOfSetting(request, placeOfTool(param))
  const choice = toolChoiceOf(promptedRequest(request, isCompaction))
  const parts = isCompaction ? [] : strictParts(whole, choice)
  const hasTools = (whole.tools ?? []).length > 0
  const isCallOpen = hasTools && isCalleeOpen(choice.demand)
  const isConstrained = counted === undefined && (parts.length > 0 || isCallOpen)
  const needsAnswer = parts.some(({ isAsked }) => isAsked) || isCallOpen
  const capabilities = await capabilitiesOf(options, { isNeeded: needsAnswer, isConstrained }, signal)
  const enforcing = enforcedParts(parts, capabilities, { onUnsupportedConstraint, onError })
  const enforcedBy = await withPauses(enforcing, pause, signal).catch(placed(placeOf))
  for (const subject of enforcedBy.relaxed) notice?.('relaxed_schema', placeOf(subject))
  // A summary is written without tools.
  const offered = isCompaction ? [] : toolsFor(whole, options.offered ?? {})
  const listings = await listingsOf(withAdditions(whole, { tools: offered }), options, signal)
  const additions = isCompaction ? undefined : operatorAdditions(whole, offered, listings, options)
  const operator = await additions?.catch(placed(placeOf))
  const prompted = promptedRequest(withAdditions(request, operator), isCompaction)
  const given = operator?.isExempt ? toolChoiceOf(prompted) : choice
  const hosted = hostedBuiltins(options.tools ?? [], onError)
  if (hosted.includes('code_interpreter')) checkContainer(whole, placeOf)
  await pass()
  const teaching = taughtTools(prompted, { listings, hosted, policy, choice: given })
  const tools = await withPauses(teaching, pause, signal)
  await pass()
  checkDemand(tools)
  const rendering = renderingOf(options, hosted, at, capabilities)
  const contextLength = counted === undefined ? promptBound(capabilities) : counted + 1
  const how = { rendering, tools, isCompaction, contextLength, ...(approvedCalls && { approvedCalls }) }
  const prompt = await firstPrompt(prompted, how, options, signal)
  if (prompt === undefined) throw counted === undefined ? contextLengthExceeded(contextLength) : tooManyToCount(counted)
  return { request: whole, isCompaction, capabilities, enforcedBy, listings, operator, tools, rendering, prompt }
}

/** Returns a function that throws an error about a tool with the place of its declaration in the request. */
function placed(placeOf: (param: string) => string): (error: unknown) => never {
  return (error) => {
    throw error instanceof RequestError && error.param !== null ? withParam(error, placeOf(error.param)) : error
  }
}

/** Returns how the prompts of a response are rendered. @param at - when it began, in Unix time */
function renderingOf(
  { images, identity, knowledgeCutoff, date = dateOf, began }: OpenOptions,
  hosted: readonly HostedBuiltin[],
  at: number,
  { seesImages = false }: EngineCapabilities,
): Rendering {
  const told = date(began ?? at)
  return {
    ...(told !== undefined && { date: told }),
    hosted,
    ...(seesImages && (images ?? 'refuse-last') === 'refuse-last' ? { images: 'seen' } : images && { images }),
    ...(identity !== undefined && { identity }),
    ...(knowledgeCutoff !== undefined && { knowledgeCutoff }),
  }
}

/**
 * Returns the engine's capabilities.
 *
 * @param isNeeded - whether the response depends on constraints. Otherwise, an engine that cannot report its
 * capabilities counts as one without any.
 * @param isConstrained - whether a call may be constrained; otherwise, the engine need not find out by which means
 * @throws EngineError if the engine cannot report them
 */
async function capabilitiesOf(
  { engine, onError }: OpenOptions,
  { isNeeded, isConstrained }: { readonly isNeeded: boolean; readonly isConstrained: boolean },
  signal: AbortSignal,
): Promise<EngineCapabilities> {
  try {
    return (await engine.capabilities?.({ signal, constraints: isConstrained })) ?? {}
  } catch (error) {
    // The caller aborted: the response itself reports it.
    if (signal.aborted) return {}
    // A call would fail for the same reason, after the client has been shown the beginning of its response.
    if (isNeeded || isUnavailable(error)) throw error
    onError(error)
    return {}
  }
}

/**
 * Whether the request asks for a compaction.
 *
 * @throws RequestError if there is no seal for it
 */
function checkCompaction({ input }: ResponseRequest, { sealCompaction }: OpenOptions): boolean {
  const items = Array.isArray(input) ? (input as readonly { readonly type?: unknown }[]) : []
  const at = items.findIndex(({ type }) => type === 'compaction_trigger')
  if (at !== -1 && sealCompaction === undefined) throw unsupported(`input[${at}].type`, 'compaction is')
  return at !== -1
}
