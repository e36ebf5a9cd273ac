import { resolvePolicy } from '../recipients/policy.js'
import { resolveTools } from '../recipients/request-tools.js'
import { readToolChoice } from '../recipients/tool-choice.js'
import { ALL_FIELDS } from './all-fields.js'
import type { Catalog } from './catalog.js'
import { checkCitations } from './citations/check-citations.js'
import { CORE_KINDS } from './core-catalog.js'
import { applyPatchCall } from './items/apply-patch-call.js'
import { citedMessage } from './items/cited-message.js'
import { codeInterpreterCall } from './items/code-interpreter-call.js'
import { customToolCall } from './items/custom-tool-call.js'
import type { AllKinds } from './items/kinds.js'
import { localShellCall } from './items/local-shell-call.js'
import { shellCall } from './items/shell-call.js'
import { shellCallOutput } from './items/shell-call-output.js'
import { spelledCall } from './items/spelled-call.js'
import { webSearchCall } from './items/web-search-call.js'
import { wholeFunctionCall, wholeMcpApprovalRequest, wholeMcpCall } from './items/whole-arguments.js'
import { checkListings } from './options/options.js'

const ALL_KINDS: AllKinds = {
  ...CORE_KINDS,
  message: citedMessage,
  function_call: wholeFunctionCall,
  custom_tool_call: spelledCall(customToolCall),
  mcp_call: wholeMcpCall,
  mcp_approval_request: wholeMcpApprovalRequest,
  code_interpreter_call: codeInterpreterCall,
  web_search_call: webSearchCall,
  shell_call: shellCall,
  shell_call_output: shellCallOutput,
  local_shell_call: localShellCall,
  apply_patch_call: applyPatchCall,
}

/** The complete catalog. */
export const FULL_CATALOG: Catalog = {
  kinds: ALL_KINDS,
  resolveTools({ tools, tool_choice: choice, text }, listings, { policy, mcpApproval, knownListings = [] }) {
    checkListings('knownListings', knownListings)
    const request = { tools, text, choice: readToolChoice(choice) }
    return resolveTools(request, [...listings, ...knownListings], resolvePolicy(policy, mcpApproval))
  },
  fields: ALL_FIELDS,
  checkCitations,
}
