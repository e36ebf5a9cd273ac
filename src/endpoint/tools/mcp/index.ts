/**
 * Tools of MCP servers, which the host lists and calls. docs/tools.md explains them.
 *
 * @packageDocumentation
 */

export type { HostedCall, Tool, ToolContext, ToolProgress } from '../tool.js'
export type { McpClient } from './client.js'
export { type McpTools, mcpTools } from './mcp-tools.js'
export type {
  McpClientServer,
  McpConnectServer,
  McpErrorContext,
  McpHttpServer,
  McpServerConfig,
  McpStdioServer,
  McpToolsOptions,
} from './options.js'
