import { declareTools } from '../../../core/recipients/declared-tools.js'
import { hintsOf } from '../../../core/recipients/tool-hints.js'
import type { ListedTool } from '../../../core/responses/mcp-listing.js'
import type { McpTool, ResponseRequest } from '../../../core/responses/request.js'

/** Returns the labels of the MCP servers that the request declares, each once. */
export function declaredLabels(request: ResponseRequest): string[] {
  return [...new Set(mcpToolsOf(request).map((tool) => tool.server_label))]
}

/**
 * Returns a test for the names of tools that the request allows on this server: none if it does not declare the server.
 *
 * @param tools - the server's tools; undefined if unknown
 */
export function allowedBy(
  request: ResponseRequest,
  serverLabel: string,
  tools: readonly ListedTool[] | undefined,
): (name: string) => boolean {
  const listings = tools === undefined ? [] : [{ serverLabel, tools }]
  const { mcpServers } = declareTools(mcpToolsOf(request), hintsOf(listings))
  return (name) => mcpServers.get(serverLabel)?.allows(name) === true
}

/** Whether the request selects tools by the server's annotations. */
export function asksForHints(request: ResponseRequest, serverLabel: string): boolean {
  return mcpToolsOf(request).some(
    ({ server_label, allowed_tools: filter }) =>
      server_label === serverLabel && (Object(filter) as { read_only?: unknown }).read_only != null,
  )
}

function mcpToolsOf({ tools }: ResponseRequest): McpTool[] {
  return (tools ?? []).filter((tool): tool is McpTool => tool.type === 'mcp')
}
