import type { NoticeCode } from '../../../core/diagnostics/diagnostic.js'
import type { ApprovedCall } from '../../../core/options/options.js'
import { type HostedBuiltin, replacedByServer } from '../../../core/recipients/builtin-tools.js'
import { placeOfSetting } from '../../../core/recipients/conversation-settings.js'
import { withConversationTools } from '../../../core/recipients/conversation-tools.js'
import type { RecipientPolicy } from '../../../core/recipients/policy.js'
import { itemWithoutSecrets, withoutSecrets } from '../../../core/response-object/without-secrets.js'
import type { InputItem } from '../../../core/responses/input-items.js'
import type { McpListing } from '../../../core/responses/mcp-listing.js'
import type { ParsedRequest } from '../../../core/responses/parsed-request.js'
import type { McpTool, ResponseRequest } from '../../../core/responses/request.js'
import type { EngineCapabilities } from '../../../engines/contract/constraint.js'
import { EngineError } from '../../../engines/contract/engine-error.js'
import {
  contextLengthExceeded,
  RequestError,
  tooManyToCount,
  unsupported,
  withParam,
} from '../../../shared/request-error.js'
import { createPace, withPauses } from '../../../shared/slices.js'
import { dateOf } from '../../../shared/system/unix-seconds.js'
import { childSignals } from '../../flow/child-signals.js'
import { nextTurn } from '../../flow/next-turn.js'
import { type Addition, BEHAVIOUR, type OpenEntry, type OperatorTerms } from '../../journal/entry.js'
import type { TaughtTools } from '../../prompt/taught-tools.js'
import { toolChoiceOf } from '../../prompt/tool-choice.js'
import type { Tool } from '../../tools/tool.js'
import { compactThreshold } from '../compaction/compact-threshold.js'
import { calleesOf, isCalleeOpen } from '../demand/callees.js'
import { checkDemand } from '../demand/check-demand.js'
import { toolsFor, withTerms } from '../offered.js'
import type { RespondOptions } from '../options.js'
import { firstPrompt, promptedRequest, type Rendering, taughtTools } from '../prompts/first-prompt.js'
import { promptBound } from '../prompts/prompt-bound.js'
import { promptDigest } from '../prompts/prompt-digest.js'
import type { FirstPrompt, PromptIds } from '../prompts/prompt-ids.js'
import { type HeldParts, heldParts } from '../strict/held-parts.js'
import { resolveStrict } from '../strict/resolve-strict.js'
import { strictParts } from '../strict/strict-parts.js'
import { hostedBuiltins, isReplacementHosted } from './hosted-builtins.js'
import { knownFiles } from './known-files.js'
import { knownListings } from './known-listings.js'
import { operatorTerms } from './operator-terms.js'
import { ownParameters } from './own-parameters.js'
import { relisted } from './relisted.js'
import { isUnavailable } from './unavailable.js'

/** The options of an open entry, with their defaults applied. */
export interface OpenOptions extends RespondOptions {
  readonly policy: RecipientPolicy
  readonly responseId: string
  readonly onError: (error: unknown) => void
  /** Called with requested features that have no effect. */
  readonly notice?: (code: NoticeCode, subject: string) => void
}

/** The first entry of a response, and the ids of its prompt, which the entry does not contain. */
export interface Opening {
  readonly entry: OpenEntry
  readonly prompt: PromptIds
  /** The tools that its prompts teach. */
  readonly tools: TaughtTools
}

/**
 * Prepares the beginning of a response.
 *
 * @param at - Unix time in whole seconds
 * @throws RequestError if the request cannot be rendered, is too long, or needs a capability that the engine lacks
 * @throws EngineError if the engine cannot report its capabilities, and the response depends on them
 */
export async function openEntry(
  request: ResponseRequest,
  options: OpenOptions,
  at: number,
  signal: AbortSignal,
): Promise<Opening> {
  const { approvedCalls = [], notice, pause = nextTurn } = options
  const prepared = await prepareRequest(request, options, at, signal)
  const { request: whole, isCompaction, capabilities, heldBy, listings, operator, tools, rendering, prompt } = prepared
  const { held: constrained, typeOnly, free } = heldBy
  const { ids, idsAfter, messageCount, untaught, placeholders } = prompt
  const isPreparation = (request as ParsedRequest).generate === false
  const compactAbove = compactThreshold(request, options, capabilities)
  const callees = isCompaction ? undefined : calleesOf(tools, capabilities)
  if (untaught.length > 0) notice?.('unhosted_tool', untaught.join(', '))
  const unknown = listings.flatMap(({ serverLabel, error }) => (error === UNKNOWN_SERVER ? [serverLabel] : []))
  if (unknown.length > 0) notice?.('unknown_mcp_server', unknownServers(unknown, options.tools ?? []))
  if (placeholders > 0) notice?.('unread_attachment', String(placeholders))
  const { fit: _, ...abilities } = capabilities
  const listed = listings.length === 0 ? new Set() : listedIn(request)
  // A compaction is a single item.
  const own = declaredServers(whole)
  const shown = isCompaction
    ? []
    : listings.filter(({ serverLabel }) => own.has(serverLabel) && !listed.has(serverLabel))
  const declared = declaredServers(withTerms(whole, operator))
  const known = isCompaction ? [] : knownListings(request, { listings, shown, declared })
  const files = options.citations && knownFiles(request, options.history ?? [])
  const others = relisted(
    request,
    listings.filter((listing) => !shown.includes(listing)),
  )
  // The entry and the response each copy the request's declarations in one piece.
  const pace = createPace(pause, signal)
  await pace(CHARACTERS * ids.length)
  const entry: OpenEntry = {
    type: 'open',
    behaviour: BEHAVIOUR,
    responseId: options.responseId,
    request: {
      ...withStrict(withoutSecrets(request), capabilities, free),
      ...ownParameters(request, capabilities, notice),
    },
    ...(operator && { operator }),
    ...(options.addition ?? wholeInput(request)),
    prompt: {
      ...{ tokens: ids.length, digest: promptDigest(ids), ...rendering },
      ...(whole !== request && { tools: ownTools(request) }),
      ...(others.length > 0 && { listings: others }),
    },
    ...(isCompaction && { isCompaction }),
    ...(isPreparation && { isPreparation }),
    ...(compactAbove !== undefined &&
      !isCompaction &&
      !isPreparation && {
        compactAbove,
        ...(messageCount <= 1 && { isOneMessage: true as const }),
      }),
    ...(options.maxSearches !== undefined && { maxSearches: options.maxSearches }),
    ...(Object.keys(abilities).length > 0 && { capabilities: abilities }),
    ...(constrained.length > 0 && { constrained }),
    ...(typeOnly.length > 0 && { typeOnly }),
    ...(callees !== undefined && { callees }),
    listings: shown,
    ...(known.length > 0 && { knownListings: known }),
    ...(files && { knownFiles: files }),
    approvedCalls: inOrder(approvedCalls, idsAfter),
  }
  await pace(CHARACTERS * ids.length)
  return { entry, prompt, tools }
}

/** Returns calls in the order in which the model made them, and then those that the prompt does not contain. */
function inOrder(calls: readonly ApprovedCall[], idsAfter: PromptIds['idsAfter'] = new Map()): ApprovedCall[] {
  const nths = new Map([...idsAfter.keys()].map((id, nth) => [id, nth]))
  const nthOf = ({ approvalRequestId }: ApprovedCall): number => nths.get(approvalRequestId) ?? nths.size
  return calls.toSorted((a, b) => nthOf(a) - nthOf(b))
}

/** Characters per token. */
const CHARACTERS = 4

/** Returns the addition of a response that continues no other. */
function wholeInput({ input }: ResponseRequest): Addition {
  if (typeof input === 'string') return { input: [{ type: 'message', role: 'user', content: input }] }
  return { input: (input ?? []).map((item) => itemWithoutSecrets(item as InputItem)) }
}

/** Returns the tools of the request itself, without secrets. */
function ownTools({ tools }: ResponseRequest): NonNullable<ResponseRequest['tools']> {
  return withoutSecrets({ tools }).tools ?? []
}

/** The parts of a request's first model call. */
interface Prepared {
  /** The request with all tools that its conversation declares. */
  readonly request: ResponseRequest
  readonly isCompaction: boolean
  readonly capabilities: EngineCapabilities
  readonly heldBy: HeldParts
  readonly listings: readonly McpListing[]
  /** The operator's additions to the request. */
  readonly operator: OperatorTerms | undefined
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
  const holding = heldParts(parts, capabilities, { onUnsupportedConstraint, onError })
  const heldBy = await withPauses(holding, pause, signal).catch(placed(placeOf))
  for (const subject of heldBy.relaxed) notice?.('relaxed_schema', placeOf(subject))
  // A summary is written without tools.
  const offered = isCompaction ? [] : toolsFor(whole, options.offered ?? {})
  const listings = await listingsOf(withTerms(whole, { tools: offered }), options, signal)
  const terms = isCompaction ? undefined : operatorTerms(whole, offered, listings, options)
  const operator = await terms?.catch(placed(placeOf))
  const prompted = promptedRequest(withTerms(request, operator), isCompaction)
  const given = operator?.isExempt ? toolChoiceOf(prompted) : choice
  const hosted = hostedBuiltins(options.tools ?? [], onError)
  await pass()
  const teaching = taughtTools(prompted, { listings, hosted, policy, choice: given })
  const tools = await withPauses(teaching, pause, signal)
  await pass()
  checkDemand(tools)
  const rendering = renderingOf(options, hosted, at)
  const contextLength = counted === undefined ? promptBound(capabilities) : counted + 1
  const how = { rendering, tools, isCompaction, contextLength, ...(approvedCalls && { approvedCalls }) }
  const prompt = await firstPrompt(prompted, how, options, signal)
  if (prompt === undefined) throw counted === undefined ? contextLengthExceeded(contextLength) : tooManyToCount(counted)
  return { request: whole, isCompaction, capabilities, heldBy, listings, operator, tools, rendering, prompt }
}

/** Returns a function that throws an error about a tool with the place of its declaration in the request. */
function placed(placeOf: (param: string) => string): (error: unknown) => never {
  return (error) => {
    throw error instanceof RequestError && error.param !== null ? withParam(error, placeOf(error.param)) : error
  }
}

/** Returns the request with an explicit `strict` in all functions, which the response echoes. */
function withStrict(
  request: ResponseRequest,
  { constraints = [] }: EngineCapabilities,
  free: HeldParts['free'],
): ResponseRequest {
  const { tools } = request
  if (!tools) return request
  const isHeld = (param: string): boolean => constraints.includes('json_schema') && !free.has(param)
  return { ...request, tools: resolveStrict(tools, isHeld) }
}

/** Returns how the prompts of a response are rendered. @param at - when it began, in Unix time */
function renderingOf(
  { images, identity, knowledgeCutoff, date = dateOf, began }: OpenOptions,
  hosted: readonly HostedBuiltin[],
  at: number,
): Rendering {
  const told = date(began ?? at)
  return {
    ...(told !== undefined && { date: told }),
    hosted,
    ...(images && { images }),
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

/** Returns the listings of the servers that the request declares. A tool that fails counts as one without tools. */
async function listingsOf(
  request: ResponseRequest,
  { tools = [], onError }: OpenOptions,
  signal: AbortSignal,
): Promise<McpListing[]> {
  const declared = declaredServers(request)
  if (declared.size === 0) return []
  const signals = childSignals(signal)
  const answers = await Promise.all(
    tools.map(async (tool) => {
      const child = signals.open()
      try {
        return (await tool.listings?.(request, { signal: child.signal })) ?? []
      } catch (error) {
        // Without room for a listing, the request is refused: it has done nothing yet, and can be sent again.
        if (error instanceof EngineError) throw error
        onError(error)
        return []
      } finally {
        child.end()
      }
    }),
  )
  const listed = new Map<string, McpListing>()
  // As for calls, the first tool that lists a server wins.
  for (const listing of answers.flat()) {
    const { serverLabel } = listing
    if (declared.has(serverLabel) && !listed.has(serverLabel)) listed.set(serverLabel, listing)
  }
  // A tool without `listings` may answer for any server. If there is none, unlisted servers are unknown.
  const isKnown = (label: string): boolean => {
    const replaced = replacedByServer(label)
    if (replaced !== undefined) return listed.has(label) || isReplacementHosted(label, replaced, tools, onError)
    return listed.has(label) || tools.some(({ listings }) => listings === undefined)
  }
  const unknown = [...declared].filter((label) => !isKnown(label))
  return [...listed.values(), ...unknown.map((serverLabel) => ({ serverLabel, error: UNKNOWN_SERVER }))]
}

const UNKNOWN_SERVER = 'The server is not available.'

/** A request may declare as many servers as tools: the log names only the first of them. */
const MOST_NAMED = 5

/** For the operator only: a client is not told which servers exist. */
function unknownServers(labels: readonly string[], tools: readonly Tool[]): string {
  const known = tools.flatMap(({ serverLabels = [] }) => serverLabels)
  const there =
    known.length === 0 ? 'none is known by its label' : `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`
  const named = labels.slice(0, MOST_NAMED).map((label) => JSON.stringify(label.slice(0, 100)))
  const more = labels.length > named.length ? ` and ${labels.length - named.length} more` : ''
  return `${named.join(', ')}${more}; ${there}`
}

function declaredServers({ tools }: ResponseRequest): ReadonlySet<string> {
  return new Set((tools ?? []).flatMap((tool) => (tool.type === 'mcp' ? [(tool as McpTool).server_label] : [])))
}

/** Returns the servers whose listings the conversation contains. */
function listedIn({ input }: ResponseRequest): ReadonlySet<unknown> {
  const items = Array.isArray(input) ? (input as readonly { type?: unknown; server_label?: unknown }[]) : []
  return new Set(items.flatMap(({ type, server_label }) => (type === 'mcp_list_tools' ? [server_label] : [])))
}
