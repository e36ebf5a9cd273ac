import type { ToolHints } from '../recipients/mcp-server.js'
import type { McpListedTool } from '../responses/items.js'
import { plainCopy } from './plain-copy.js'

/** A tool as an MCP server lists it: in the server's own form, or in the API's. */
export interface ListedTool {
  readonly name: string
  readonly description?: string | null | undefined
  readonly inputSchema?: unknown
  readonly input_schema?: unknown
  readonly annotations?: unknown
}

/** What a declared MCP server said when the host asked for its tools. */
export interface McpListing {
  readonly serverLabel: string
  readonly tools?: readonly ListedTool[]
  /** Why it could not be asked. */
  readonly error?: string
}

/** A listing in the API's words, detached. Plain JSON. */
export interface Listing {
  readonly serverLabel: string
  readonly tools: readonly McpListedTool[]
  readonly error: string | null
}

/**
 * The listings as they are shown: of a server that could not be asked, no tools.
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

/** What a server left out stays out: the AI SDK fails the whole turn at a description or annotations that are null. */
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

/** Which tools only read, by what their annotations say in either form. What a listing leaves out does not. */
export function hintsOf(listings: readonly Listing[]): ToolHints {
  return (serverLabel, name) => {
    const listed = listings.filter((listing) => listing.serverLabel === serverLabel && listing.error === null)
    if (listed.length === 0) return undefined
    const annotations = listed.flatMap((listing) => listing.tools).find((tool) => tool.name === name)?.annotations
    const { readOnlyHint, read_only } = Object(annotations) as { readOnlyHint?: unknown; read_only?: unknown }
    return (readOnlyHint ?? read_only) === true
  }
}
