import { MCP, nameIn } from '../harmony/namespaces.js'
import { type DeclaredTools, declaredMcpTool, type McpToolName } from './declared-tools.js'
import { lookUp, type RecipientPolicy } from './policy.js'
import type { Recipient } from './recipient.js'

/**
 * Matches a tool of a declared MCP server, by the server's label or, if no label matches, by the policy's alias for it.
 */
export function matchMcpTool(recipient: string, tools: DeclaredTools, policy: RecipientPolicy): Recipient | undefined {
  const tool = declaredMcpTool(recipient, tools) ?? splitMcpTool(recipient, policy.aliases)
  const server = tools.mcpServers.get(tool.serverLabel)
  if (server === undefined) return undefined
  if (server.needsApproval(tool.name, policy.mcpApproval)) return { kind: 'mcp_approval_request', ...tool }
  return { kind: 'mcp_call', ...tool, available: server.allows(tool.name) }
}

/**
 * Splits a recipient that matches no declared label at the first dot, after an optional `mcp.`: `github.issues.list` is
 * the tool `issues.list` of `github`. Without a rest, the first segment is also the name.
 */
export function splitMcpTool(recipient: string, aliases: RecipientPolicy['aliases']): McpToolName {
  const path = nameIn(MCP, recipient) ?? recipient
  const dot = path.indexOf('.', 1)
  const segment = dot === -1 ? path : path.slice(0, dot)
  return { serverLabel: lookUp(aliases, segment) ?? segment, name: path.slice(segment.length + 1) || segment }
}
