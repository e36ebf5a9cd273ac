import type { z } from 'zod'
import type {
  InputMcpApprovalRequest,
  InputMcpApprovalResponse,
  InputMcpCall,
  InputMcpListTools,
} from '../../../../core/responses/input-items.js'
import type { McpError } from '../../../../core/responses/items.js'
import { anything, byType, either, flag, integer, key, list, object, optional, text, typed } from '../builders.js'
import { id, status } from './common.js'

export const mcpListTools: z.ZodType<InputMcpListTools> = typed('mcp_list_tools', {
  id,
  server_label: key,
  tools: list(
    'objects',
    object({ name: text, input_schema: anything, description: optional(text), annotations: optional(anything) }),
  ),
  error: optional(text),
})

const error = byType<McpError>({
  mcp_protocol_error: typed('mcp_protocol_error', { code: integer, message: text }),
  mcp_tool_execution_error: typed('mcp_tool_execution_error', { content: anything }),
  http_error: typed('http_error', { code: integer, message: text }),
})

export const mcpCall: z.ZodType<InputMcpCall> = typed('mcp_call', {
  id,
  server_label: key,
  name: text,
  arguments: text,
  approval_request_id: optional(text),
  output: optional(text),
  error: optional(either('one of a string or object', text, error)),
  status,
})

export const mcpApprovalRequest: z.ZodType<InputMcpApprovalRequest> = typed('mcp_approval_request', {
  id: key,
  server_label: key,
  name: text,
  arguments: text,
})

export const mcpApprovalResponse: z.ZodType<InputMcpApprovalResponse> = typed('mcp_approval_response', {
  id,
  approval_request_id: key,
  approve: flag,
  reason: optional(text),
})
