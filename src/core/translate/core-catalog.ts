import { customToolCall } from '../items/kinds/custom-tool-call.js'
import { functionCall } from '../items/kinds/function-call.js'
import { mcpApprovalRequest } from '../items/kinds/mcp-approval-request.js'
import { mcpCall } from '../items/kinds/mcp-call.js'
import { mcpListTools } from '../items/kinds/mcp-list-tools.js'
import { message } from '../items/kinds/message.js'
import { reasoning } from '../items/kinds/reasoning.js'
import type { AllKinds } from '../items/kinds.js'
import { classifyRecipient } from '../recipients/classify.js'
import { declareCoreTools } from '../recipients/declared-tools.js'
import { resolvePolicy } from '../recipients/policy.js'
import { hintsOf } from '../recipients/tool-hints.js'
import { CORE_FIELDS } from '../response-object/core-fields.js'
import type { Catalog } from './catalog.js'

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
