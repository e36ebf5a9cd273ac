import type { McpListing } from '../responses/mcp-listing.js'

/**
 * What declared servers listed that is no item of the response, since the conversation has a listing of theirs: names,
 * and whether the tools are read-only. Calls of other names are refused.
 *
 * @param known - the listings that the prompt was made with
 * @param shown - those that are items of the response
 * @param declared - the labels of the declared servers: a client may send any listing back
 */
export function knownListings(
  known: readonly McpListing[],
  shown: readonly McpListing[],
  declared: ReadonlySet<unknown>,
): McpListing[] {
  return known
    .filter((listing) => declared.has(listing.serverLabel) && listing.error === undefined && !shown.includes(listing))
    .map(({ serverLabel, tools = [] }) => ({
      serverLabel,
      tools: tools.map(({ name, annotations }) => (annotations == null ? { name } : { name, annotations })),
    }))
}
