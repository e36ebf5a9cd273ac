import type { CustomTool, FunctionTool, McpTool, RequestTool } from '../../src/responses/request.js'

export const fn = (name: string): FunctionTool => ({ type: 'function', name })
export const custom = (name: string): CustomTool => ({ type: 'custom', name })
export const mcp = (server_label: string, allowed_tools?: McpTool['allowed_tools']): McpTool =>
  allowed_tools === undefined ? { type: 'mcp', server_label } : { type: 'mcp', server_label, allowed_tools }
export const builtin = (type: string): RequestTool => ({ type })
