import { replacedByServer } from '../../../core/recipients/builtin-tools.js'
import type { McpListing } from '../../../core/responses/mcp-listing.js'
import type { McpTool, ResponseRequest } from '../../../core/responses/request.js'
import { EngineError } from '../../../engines/contract/engine-error.js'
import { childSignals } from '../../flow/child-signals.js'
import { listingsWith } from '../../prompt/read-input.js'
import type { Tool } from '../../tools/tool.js'
import type { RespondOptions } from '../options.js'
import { isReplacementHosted } from './hosted-builtins.js'

/** Returns the listings of the servers that the request declares. A tool that fails counts as one without tools. */
export async function listingsOf(
  request: ResponseRequest,
  { tools = [], onError }: Pick<RespondOptions, 'tools'> & { readonly onError: (error: unknown) => void },
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

export const UNKNOWN_SERVER = 'The server is not available.'

/** A request may declare as many servers as tools: the log names only the first of them. */
const MAX_NAMED = 5

/** For the operator only: a client is not told which servers exist. */
export function unknownServers(labels: readonly string[], tools: readonly Tool[]): string {
  const known = tools.flatMap(({ serverLabels = [] }) => serverLabels)
  const there =
    known.length === 0 ? 'none is known by its label' : `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`
  const named = labels.slice(0, MAX_NAMED).map((label) => JSON.stringify(label.slice(0, 100)))
  const more = labels.length > named.length ? ` and ${labels.length - named.length} more` : ''
  return `${named.join(', ')}${more}; ${there}`
}

export function declaredServers({ tools }: ResponseRequest): ReadonlySet<string> {
  return new Set((tools ?? []).flatMap((tool) => (tool.type === 'mcp' ? [(tool as McpTool).server_label] : [])))
}

/** Returns the servers whose listings the conversation contains. */
export function listedIn({ input }: ResponseRequest): ReadonlySet<unknown> {
  const items = Array.isArray(input) ? (input as readonly { type?: unknown; server_label?: unknown }[]) : []
  return new Set(items.flatMap(({ type, server_label }) => (type === 'mcp_list_tools' ? [server_label] : [])))
}

interface KnownListingsOptions {
  /** The current listings of the host's servers. */
  readonly listings: readonly McpListing[]
  /** Those that are items of the response. */
  readonly shown: readonly McpListing[]
  /** The labels of the declared servers: a client may send any listing back. */
  readonly declared: ReadonlySet<string>
}

/**
 * Returns the listings that the conversation already contains, for servers that the request declares: names and
 * annotations. Calls of other names are refused. The host's listing takes precedence over the conversation's, which
 * counts even if the server does not answer now. Listings that are items of the response are not included.
 */
export function knownListings(
  { input }: ResponseRequest,
  { listings, shown, declared }: KnownListingsOptions,
): McpListing[] {
  if (declared.size === 0) return []
  const answered = listings.filter(({ error }) => error === undefined)
  return listingsWith(input, answered)
    .filter((listing) => declared.has(listing.serverLabel) && !shown.includes(listing))
    .map(({ serverLabel, tools = [] }) => ({
      serverLabel,
      tools: tools.map(({ name, annotations }) => (annotations == null ? { name } : { name, annotations })),
    }))
}
