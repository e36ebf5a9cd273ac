import { checkCitations } from '../citations/check-citations.js'
import * as BUILTIN_KINDS from '../items/kinds/builtin-kinds.js'
import { citedMessage } from '../items/kinds/cited-message.js'
import { customToolCall } from '../items/kinds/custom-tool-call.js'
import { shellCallOutput } from '../items/kinds/shell-call-output.js'
import { spelledCall } from '../items/kinds/spelled-call.js'
import { wholeFunctionCall, wholeMcpApprovalRequest, wholeMcpCall } from '../items/kinds/whole-arguments.js'
import type { AllKinds } from '../items/kinds.js'
import { checkListings } from '../options/options.js'
import { resolvePolicy } from '../recipients/policy.js'
import { resolveTools } from '../recipients/request-tools.js'
import { readToolChoice } from '../recipients/tool-choice.js'
import { ALL_FIELDS } from '../response-object/all-fields.js'
import type { Catalog } from './catalog.js'
import { CORE_KINDS } from './core-catalog.js'

const ALL_KINDS: AllKinds = {
  ...CORE_KINDS,
  ...BUILTIN_KINDS,
  message: citedMessage,
  function_call: wholeFunctionCall,
  custom_tool_call: spelledCall(customToolCall),
  mcp_call: wholeMcpCall,
  mcp_approval_request: wholeMcpApprovalRequest,
  shell_call_output: shellCallOutput,
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
