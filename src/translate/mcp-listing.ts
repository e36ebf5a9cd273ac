import type { ToolHints } from '../recipients/mcp-server.js'
import type { McpListedTool } from '../responses/items.js'
import { plainCopy } from './plain-copy.js'

/** A tool as an MCP server lists it, in MCP's own form or in the API's. */
export interface ListedTool {
  readonly name: string
  readonly description?: string | null | undefined
  readonly inputSchema?: unknown
  readonly input_schema?: unknown
  readonly annotations?: unknown
}

/** The answer of a declared MCP server when the host asked for its tools. */
export interface McpListing {
  readonly serverLabel: string
  readonly tools?: readonly ListedTool[]
  /** Why the listing failed. */
  readonly error?: string
}

/** A listing in the API's form, detached. Plain JSON. */
export interface Listing {
  readonly serverLabel: string
  readonly tools: readonly McpListedTool[]
  readonly error: string | null
}

/**
 * The listings in the API's form. A failed listing has no tools.
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

/** Omits what the server omitted: the AI SDK fails the whole turn if a description or annotations are null. */
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

/** Looks up which tools are read-only, by their annotations in either form. Unlisted tools are not. */
export function hintsOf(listings: readonly Listing[]): ToolHints {
  return (serverLabel, name) => {
    const listed = listings.filter((listing) => listing.serverLabel === serverLabel && listing.error === null)
    if (listed.length === 0) return undefined
    const annotations = listed.flatMap((listing) => listing.tools).find((tool) => tool.name === name)?.annotations
    const { readOnlyHint, read_only } = Object(annotations) as { readOnlyHint?: unknown; read_only?: unknown }
    return (readOnlyHint ?? read_only) === true
  }
}
