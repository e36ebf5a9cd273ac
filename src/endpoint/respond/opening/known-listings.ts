import type { McpListing } from '../../../core/responses/mcp-listing.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { listingsWith } from '../../prompt/read-input.js'

export interface KnownListingsOptions {
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
