import { classifyRecipient } from '../recipients/classify.js'
import { declareCoreTools } from '../recipients/declared-tools.js'
import { resolvePolicy } from '../recipients/policy.js'
import { hintsOf } from '../recipients/tool-hints.js'
import type { Catalog } from './catalog.js'
import { CORE_FIELDS } from './core-fields.js'
import { customToolCall } from './items/custom-tool-call.js'
import { functionCall } from './items/function-call.js'
import type { AllKinds } from './items/kinds.js'
import { mcpApprovalRequest } from './items/mcp-approval-request.js'
import { mcpCall } from './items/mcp-call.js'
import { mcpListTools } from './items/mcp-list-tools.js'
import { message } from './items/message.js'
import { reasoning } from './items/reasoning.js'

type CoreType =
  | 'message'
  | 'reasoning'
  | 'function_call'
  | 'custom_tool_call'
  | 'mcp_list_tools'
  | 'mcp_approval_request'
  | 'mcp_call'

/** Messages, reasoning, and calls of functions, custom tools and MCP tools. */
export const CORE_KINDS: Pick<AllKinds, CoreType> = {
  message,
  reasoning,
  function_call: functionCall,
  custom_tool_call: customToolCall,
  mcp_list_tools: mcpListTools,
  mcp_approval_request: mcpApprovalRequest,
  mcp_call: mcpCall,
}

/** Without hosted tools: no code interpreter, no web search and its citations, no shell. */
export const CORE_CATALOG: Catalog = {
  kinds: CORE_KINDS,
  resolveTools(request, listings, options) {
    const policy = resolvePolicy(options.policy, options.mcpApproval)
    const declared = declareCoreTools(request.tools, hintsOf(listings))
    return { policy, declared, classify: (name, channel) => classifyRecipient(name, channel, declared, policy) }
  },
  fields: CORE_FIELDS,
}
