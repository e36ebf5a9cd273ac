import type { ApprovedCall } from '../../../core/options/options.js'
import { itemWithoutSecrets, withoutSecrets } from '../../../core/response-object/without-secrets.js'
import type { InputItem } from '../../../core/responses/input-items.js'
import type { McpListing } from '../../../core/responses/mcp-listing.js'
import type { ParsedRequest } from '../../../core/responses/parsed-request.js'
import type { RequestTool, ResponseRequest, UnknownTool } from '../../../core/responses/request.js'
import type { EngineCapabilities } from '../../../engines/contract/constraint.js'
import { createPace } from '../../../shared/slices.js'
import { nextTurn } from '../../flow/next-turn.js'
import { BEHAVIOR_VERSION, type ConversationAddition, type OpenEntry } from '../../journal/entry.js'
import type { TaughtTools } from '../../prompt/taught-tools.js'
import { compactThreshold } from '../compaction/compact-threshold.js'
import { calleesOf } from '../demand/callees.js'
import { withAdditions } from '../offered.js'
import { promptDigest } from '../prompts/prompt-digest.js'
import type { PromptIds } from '../prompts/prompt-ids.js'
import type { EnforcedParts } from '../strict/enforced-parts.js'
import { ignoredFields } from './hosted-builtins.js'
import { knownContainer } from './known-container.js'
import { knownFiles } from './known-files.js'
import { knownPages } from './known-pages.js'
import { ownParameters } from './own-parameters.js'
import { type OpenOptions, type Prepared, prepareRequest } from './prepare-request.js'
import { relisted } from './relisted.js'
import { declaredServers, knownListings, listedIn, UNKNOWN_SERVER, unknownServers } from './server-listings.js'

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
  const prepared = await prepareRequest(request, options, at, signal)
  const { prompt, tools, capabilities } = prepared
  const compactAbove = compactThreshold(request, options, capabilities)
  noteUnread(prepared, options)
  // The entry and the response each copy the request's declarations in one piece.
  const pace = createPace(options.pause ?? nextTurn, signal)
  await pace(CHARACTERS * prompt.ids.length)
  const entry = entryOf(request, options, prepared, compactAbove)
  await pace(CHARACTERS * prompt.ids.length)
  return { entry, prompt, tools }
}

/** Tells the host what the model does not read, and what the tools do not regard. */
function noteUnread(
  { prompt, listings, request, operator }: Prepared,
  { notice, tools = [], onError }: OpenOptions,
): void {
  const { untaught, placeholders } = prompt
  if (untaught.length > 0) notice?.('unhosted_tool', untaught.join(', '))
  const unknown = listings.flatMap(({ serverLabel, error }) => (error === UNKNOWN_SERVER ? [serverLabel] : []))
  if (unknown.length > 0) notice?.('unknown_mcp_server', unknownServers(unknown, tools))
  const declared = withAdditions(request, operator).tools ?? []
  for (const field of ignoredFields(declared, tools, onError)) notice?.('ignored_parameter', field)
  if (placeholders > 0) notice?.('unread_attachment', String(placeholders))
}

function entryOf(
  request: ResponseRequest,
  options: OpenOptions,
  prepared: Prepared,
  compactAbove: number | undefined,
): OpenEntry {
  const { request: whole, isCompaction, capabilities, enforcedBy, operator, tools, rendering, prompt } = prepared
  const { approvedCalls = [], notice, responseId, addition, maxSearches } = options
  const { enforced: constrained, typeOnly, free } = enforcedBy
  const { ids, idsAfter, messageCount } = prompt
  const { fit: _, ...abilities } = capabilities
  const { shown, known, others } = listingsIn(request, prepared)
  const files = options.citations && knownFiles(request, options.history ?? [])
  const isQuoted = request.include?.includes('web_search_call.results') === true
  const pages = tools.hosted.includes('web_search') ? knownPages(ids, options.tokenTable, isQuoted) : undefined
  const container = tools.hosted.includes('code_interpreter') ? knownContainer(request) : undefined
  const callees = isCompaction ? undefined : calleesOf(tools, capabilities)
  const isPreparation = (request as ParsedRequest).generate === false
  const isCompacted = compactAbove !== undefined && !isCompaction && !isPreparation
  return {
    type: 'open',
    behaviour: BEHAVIOR_VERSION,
    responseId,
    request: {
      ...withStrict(withoutSecrets(request), capabilities, free),
      ...ownParameters(request, capabilities, notice),
    },
    ...(operator && { operator }),
    ...(addition ?? wholeInput(request)),
    prompt: {
      ...{ tokens: ids.length, digest: promptDigest(ids), ...rendering },
      ...(whole !== request && { tools: ownTools(request) }),
      ...(others.length > 0 && { listings: others }),
    },
    ...(isCompaction && { isCompaction }),
    ...(isPreparation && { isPreparation }),
    ...(isCompacted && { compactAbove, ...(messageCount <= 1 && { isOneMessage: true as const }) }),
    ...(maxSearches !== undefined && { maxSearches }),
    ...(Object.keys(abilities).length > 0 && { capabilities: abilities }),
    ...(constrained.length > 0 && { constrained }),
    ...(typeOnly.length > 0 && { typeOnly }),
    ...(callees !== undefined && { callees }),
    listings: shown,
    ...(known.length > 0 && { knownListings: known }),
    ...(files && { knownFiles: files }),
    ...(pages && { knownPages: pages }),
    ...(container !== undefined && { knownContainerId: container }),
    approvedCalls: inOrder(approvedCalls, idsAfter),
  }
}

/** The listings of a response's servers. */
interface Listings {
  /** Those that its output shows. */
  readonly shown: readonly McpListing[]
  /** Those whose tools it may call without showing them. */
  readonly known: readonly McpListing[]
  /** Those that only its prompt needs. */
  readonly others: readonly McpListing[]
}

function listingsIn(
  request: ResponseRequest,
  { request: whole, isCompaction, listings, operator }: Prepared,
): Listings {
  const listed = listings.length === 0 ? new Set() : listedIn(request)
  const own = declaredServers(whole)
  // A compaction is a single item.
  const shown = isCompaction
    ? []
    : listings.filter(({ serverLabel }) => own.has(serverLabel) && !listed.has(serverLabel))
  const declared = declaredServers(withAdditions(whole, operator))
  const known = isCompaction ? [] : knownListings(request, { listings, shown, declared })
  const others = relisted(
    request,
    listings.filter((listing) => !shown.includes(listing)),
  )
  return { shown, known, others }
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
function wholeInput({ input }: ResponseRequest): ConversationAddition {
  if (typeof input === 'string') return { input: [{ type: 'message', role: 'user', content: input }] }
  return { input: (input ?? []).map((item) => itemWithoutSecrets(item as InputItem)) }
}

/** Returns the tools of the request itself, without secrets. */
function ownTools({ tools }: ResponseRequest): NonNullable<ResponseRequest['tools']> {
  return withoutSecrets({ tools }).tools ?? []
}

/** Returns the request with an explicit `strict` in all functions, which the response echoes. */
function withStrict(
  request: ResponseRequest,
  { constraints = [] }: EngineCapabilities,
  free: EnforcedParts['free'],
): ResponseRequest {
  const { tools } = request
  if (!tools) return request
  const isEnforced = (param: string): boolean => constraints.includes('json_schema') && !free.has(param)
  return { ...request, tools: resolveStrict(tools, isEnforced) }
}

type Tools = readonly (RequestTool | UnknownTool)[]
type Loose = UnknownTool & { readonly strict?: boolean | null; readonly tools?: Tools }

/**
 * Returns the tools of a request with an explicit `strict` in each function: as in OpenAI's Responses API, functions
 * are strict by default.
 *
 * @param isEnforced - whether its schema is enforced, by the path of its parameters: `tools[2].parameters`
 */
function resolveStrict(tools: Tools, isEnforced: (param: string) => boolean, at = 'tools'): UnknownTool[] {
  return tools.map((tool, index) => {
    const { type, strict, tools: members } = Object(tool) as Loose
    const path = `${at}[${index}]`
    if (type === 'namespace' && Array.isArray(members)) {
      return { ...tool, tools: resolveStrict(members, isEnforced, `${path}.tools`) }
    }
    if (type !== 'function' || (strict ?? undefined) !== undefined) return tool
    return { ...tool, strict: isEnforced(`${path}.parameters`) }
  })
}
