import type {
  CustomTool,
  FunctionTool,
  McpTool,
  NamespaceTool,
  UnknownTool,
} from '../../../src/core/responses/request.js'

export const fn = (name: string): FunctionTool => ({ type: 'function', name })
export const custom = (name: string): CustomTool => ({ type: 'custom', name })
/** A namespace of functions. */
export const ns = (name: string, ...functions: string[]): NamespaceTool => ({
  type: 'namespace',
  name,
  description: '',
  tools: functions.map(fn),
})
/** A server whose tools need no approval. */
export const mcp = (server_label: string, allowed_tools?: McpTool['allowed_tools']): McpTool => ({
  type: 'mcp',
  server_label,
  require_approval: 'never',
  ...(allowed_tools !== undefined && { allowed_tools }),
})
export const builtin = (type: string): UnknownTool => ({ type })
