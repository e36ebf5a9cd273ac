import { declareTools } from '../recipients/declared-tools.js'
import { narrowToFormat } from '../recipients/format-classifier.js'
import { createRequestClassifier } from '../recipients/request-classifier.js'
import { hintsOf } from '../recipients/tool-hints.js'
import { ALL_FIELDS } from './all-fields.js'
import type { Catalog } from './catalog.js'
import { checkCitations } from './check-citations.js'
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
import { checkListings } from './options.js'

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

/** Everything. */
export const FULL_CATALOG: Catalog = {
  kinds: ALL_KINDS,
  declareTools: (tools, hints, { knownListings = [] }) => {
    checkListings('knownListings', knownListings)
    const known = hintsOf(knownListings)
    return declareTools(tools, (label, name) => {
      const [said, before] = [hints?.(label, name), known(label, name)]
      // Null, a list without the tool, counts only if no other list has it.
      return said ?? before ?? (said === null ? said : before)
    })
  },
  createClassifier({ request, listings }, tools, policy, { knownListings = [] }) {
    const facts = { toolChoice: request.tool_choice, listings: [...listings, ...knownListings] }
    return narrowToFormat(request, createRequestClassifier(facts, tools, policy))
  },
  fields: ALL_FIELDS,
  checkCitations,
}
