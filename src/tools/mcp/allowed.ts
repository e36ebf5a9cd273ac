import { declareCoreTools } from '../../recipients/declared-tools.js'
import { hintsOf } from '../../recipients/tool-hints.js'
import type { ListedTool } from '../../responses/mcp-listing.js'
import type { McpTool, ResponseRequest } from '../../responses/request.js'

/** The labels of the MCP servers that the request declares, each once. */
export function declaredLabels(request: ResponseRequest): string[] {
  return [...new Set(mcpToolsOf(request).map((tool) => tool.server_label))]
}

/**
 * A test for the names of tools that the request allows on this server: none if it does not declare the server.
 *
 * @param tools - what the server has; undefined if that is not known
 */
export function allowedBy(
  request: ResponseRequest,
  serverLabel: string,
  tools: readonly ListedTool[] | undefined,
): (name: string) => boolean {
  const listings = tools === undefined ? [] : [{ serverLabel, tools }]
  const { mcpServers } = declareCoreTools(mcpToolsOf(request), hintsOf(listings))
  return (name) => mcpServers.get(serverLabel)?.allows(name) === true
}

/** Whether the request tells tools apart by what the server says of them. */
export function asksForHints(request: ResponseRequest, serverLabel: string): boolean {
  return mcpToolsOf(request).some(
    ({ server_label, allowed_tools: filter }) =>
      server_label === serverLabel && (Object(filter) as { read_only?: unknown }).read_only != null,
  )
}

function mcpToolsOf({ tools }: ResponseRequest): McpTool[] {
  return (tools ?? []).filter((tool): tool is McpTool => tool.type === 'mcp')
}
