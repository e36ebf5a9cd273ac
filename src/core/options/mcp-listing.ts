import { plainCopy } from '../../shared/plain-copy.js'
import type { McpListedTool } from '../responses/items.js'
import type { ListedTool, McpListing } from '../responses/mcp-listing.js'

/** A listing in the API's form, detached. Plain JSON. */
export interface Listing {
  readonly serverLabel: string
  readonly tools: readonly McpListedTool[]
  readonly error: string | null
}

/**
 * Converts listings to the API's form. A failed listing has no tools.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function listingsOf(listings: readonly McpListing[]): Listing[] {
  return listings.map(({ serverLabel, tools = [], error = null }) => ({
    serverLabel,
    tools: error === null ? plainCopy(`mcpListings of ${serverLabel}`, tools.map(toolOf)) : [],
    error,
  }))
}

/** Omits fields that the server omitted: the AI SDK fails the whole turn if a description or annotations are null. */
function toolOf({
  name,
  description,
  inputSchema,
  input_schema = inputSchema ?? {},
  annotations,
}: ListedTool): McpListedTool {
  return {
    name,
    ...(description != null && { description }),
    input_schema,
    ...(annotations != null && { annotations }),
  }
}
