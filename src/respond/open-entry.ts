import type { EngineCapabilities } from '../engine/constraint.js'
import { BEHAVIOUR, type OpenEntry } from '../journal/entry.js'
import { listingsWith } from '../prompt/read-input.js'
import type { RenderPromptOptions } from '../prompt/render-prompt.js'
import { replacedByServer } from '../recipients/builtin-tools.js'
import { unsupported } from '../request-error.js'
import type { McpListing } from '../responses/mcp-listing.js'
import type { ParsedRequest } from '../responses/parsed-request.js'
import type { McpTool, ResponseRequest } from '../responses/request.js'
import { FULL_CATALOG } from '../translate/full-catalog.js'
import { withoutSecrets } from '../translate/without-secrets.js'
import { calleesOf, isCalleeOpen } from './callees.js'
import { dateOf } from './date-of.js'
import { heldParts } from './held-parts.js'
import { knownListings } from './known-listings.js'
import type { RespondOptions } from './options.js'
import { strictParts } from './strict-parts.js'
import { summaryRequest } from './summarize.js'
import { fittingPrompt } from './truncate.js'

/** What an open entry is made with: options whose defaults are known. */
export interface OpenOptions extends RespondOptions {
  readonly responseId: string
  readonly onError: (error: unknown) => void
}

/**
 * The first entry of a response.
 *
 * @param at - Unix time in whole seconds
 * @throws RequestError if the request cannot be rendered, is too long, or wants what the engine cannot do
 * @throws EngineError if the engine cannot say what it can do, and the response depends on it
 */
export async function openEntry(
  request: ResponseRequest,
  options: OpenOptions,
  at: number,
  signal: AbortSignal,
): Promise<OpenEntry> {
  const { approvedCalls = [], policy, unconstrained = 'validate', onError } = options
  const isCompaction = checkCompaction(request, options)
  const parts = isCompaction ? [] : strictParts(request)
  const needsAnswer = parts.length > 0 || (!isCompaction && isCalleeOpen(request))
  const capabilities = await capabilitiesOf(options, needsAnswer, signal)
  const constrained = heldParts(parts, capabilities, { unconstrained, onError })
  const listings = await listingsOf(request, options, signal)
  const { tokens, messages } = fittingPrompt(
    isCompaction ? summaryRequest(request) : request,
    promptOptions(options, listings, at),
    capabilities.contextLength,
  )
  const callees = isCompaction ? undefined : calleesOf(request, listings, capabilities, policy)
  const { refuses: _, ...abilities } = capabilities
  const listed = listedIn(request)
  // A compaction is one item, and nothing else.
  const shown = isCompaction ? [] : listings.filter(({ serverLabel }) => !listed.has(serverLabel))
  const known = isCompaction
    ? []
    : knownListings(listingsWith(request.input, listings), shown, declaredServers(request))
  return {
    type: 'open',
    behaviour: BEHAVIOUR,
    responseId: options.responseId,
    request: {
      ...withoutSecrets(request, FULL_CATALOG.fields),
      // No response echoes it, and whoever goes on from the entries has to know.
      ...((request as ParsedRequest).generate === false && { generate: false }),
    },
    prompt: Array.from(tokens.subarray(0, messages.at(-1)?.end ?? 0)),
    ...(isCompaction && { isCompaction }),
    ...((request as ParsedRequest).generate === false && { isPreparation: true as const }),
    ...(Object.keys(abilities).length > 0 && { capabilities: abilities }),
    ...(constrained.length > 0 && { constrained }),
    ...(callees !== undefined && { callees }),
    listings: shown,
    ...(known.length > 0 && { knownListings: known }),
    approvedCalls: [...approvedCalls],
  }
}

function promptOptions(options: OpenOptions, listings: readonly McpListing[], at: number): RenderPromptOptions {
  const { tokenTable, history, images, identity, knowledgeCutoff, policy } = options
  return {
    tokenTable,
    listings,
    date: dateOf(at),
    ...(history && { history }),
    ...(images && { images }),
    ...(identity !== undefined && { identity }),
    ...(knowledgeCutoff !== undefined && { knowledgeCutoff }),
    ...(policy !== undefined && { policy }),
  }
}

/**
 * What the engine can do.
 *
 * @param isNeeded - whether the response depends on what it can be held to. Else an engine that cannot say is as one
 *   that can do nothing.
 * @throws EngineError if the engine cannot say
 */
async function capabilitiesOf(
  { engine, onError }: OpenOptions,
  isNeeded: boolean,
  signal: AbortSignal,
): Promise<EngineCapabilities> {
  try {
    return (await engine.capabilities?.({ signal })) ?? {}
  } catch (error) {
    // Whoever aborted wants no answer, and is told so by the response.
    if (signal.aborted) return {}
    if (isNeeded) throw error
    onError(error)
    return {}
  }
}

/**
 * Whether the request asks for a compaction.
 *
 * @throws RequestError if nobody would seal it
 */
function checkCompaction({ input }: ResponseRequest, { sealCompaction }: OpenOptions): boolean {
  const items = Array.isArray(input) ? (input as readonly { readonly type?: unknown }[]) : []
  const at = items.findIndex(({ type }) => type === 'compaction_trigger')
  if (at !== -1 && sealCompaction === undefined) throw unsupported(`input[${at}].type`, 'compaction is')
  return at !== -1
}

/** What the servers that the request declares list. A tool that cannot say is as if it had none. */
async function listingsOf(
  request: ResponseRequest,
  { tools = [], onError }: OpenOptions,
  signal: AbortSignal,
): Promise<McpListing[]> {
  const declared = declaredServers(request)
  if (declared.size === 0) return []
  const answers = await Promise.all(
    tools.map(async (tool) => {
      try {
        return (await tool.listings?.(request, { signal })) ?? []
      } catch (error) {
        onError(error)
        return []
      }
    }),
  )
  const listed = new Map<string, McpListing>()
  // As with calls, the first tool that knows a server speaks for it.
  for (const listing of answers.flat()) {
    const { serverLabel } = listing
    if (declared.has(serverLabel) && !listed.has(serverLabel)) listed.set(serverLabel, listing)
  }
  // A tool that lists nothing may answer for any server. If there is none, nobody does, and the client has to learn it.
  const isKnown = (label: string): boolean =>
    listed.has(label) || replacedByServer(label) !== undefined || tools.some(({ listings }) => listings === undefined)
  const unknown = [...declared].filter((label) => !isKnown(label))
  return [...listed.values(), ...unknown.map((serverLabel) => ({ serverLabel, error: UNKNOWN_SERVER }))]
}

const UNKNOWN_SERVER = 'The server is not available.'

function declaredServers({ tools }: ResponseRequest): ReadonlySet<string> {
  return new Set((tools ?? []).flatMap((tool) => (tool.type === 'mcp' ? [(tool as McpTool).server_label] : [])))
}

/** The servers whose listings the conversation has. */
function listedIn({ input }: ResponseRequest): ReadonlySet<unknown> {
  const items = Array.isArray(input) ? (input as readonly { type?: unknown; server_label?: unknown }[]) : []
  return new Set(items.flatMap(({ type, server_label }) => (type === 'mcp_list_tools' ? [server_label] : [])))
}
