import { BUILTIN_TOOLS, type BuiltinItemType, builtinNamed } from '../../../core/recipients/builtin-tools.js'
import { lookUp } from '../../../core/recipients/policy.js'
import type { InputItem } from '../../../core/responses/input-items.js'
import { invalidValue, RequestError } from '../../../shared/request-error.js'
import { nameIn } from '../../../shared/request-fields.js'
import { readAdditionalTools } from './additional-tools.js'
import { readBuiltinCall } from './builtin-call.js'
import { readCompaction, readCompactionTrigger } from './compaction.js'
import {
  readAgentMessage,
  readComputerCall,
  readComputerCallOutput,
  readMultiAgentCall,
  readMultiAgentCallOutput,
  readProgram,
  readProgramOutput,
  readToolSearchCall,
  readToolSearchOutput,
} from './foreign.js'
import { readCustomToolCall, readFunctionCall, readOutput } from './function-call.js'
import { readHostItem } from './host-items.js'
import type { ItemReader } from './item-reader.js'
import { readMcpApprovalRequest, readMcpApprovalResponse, readMcpCall, readMcpListTools } from './mcp.js'
import { readMessage } from './message.js'
import { readApplyPatchCallOutput } from './patch-output.js'
import { readReasoning } from './reasoning.js'
import { readLocalShellCallOutput, readShellCallOutput } from './shell-output.js'

type InputType = NonNullable<InputItem['type']>

/**
 * The reader of each type of input item, except calls of built-in tools, which their descriptors read. docs/prompt.md has
 * the same table in words.
 */
const READERS: { readonly [Type in Exclude<InputType, BuiltinItemType>]: ItemReader } = {
  message: readMessage,
  reasoning: readReasoning,
  function_call: readFunctionCall,
  function_call_output: readOutput('function call'),
  custom_tool_call: readCustomToolCall,
  custom_tool_call_output: readOutput('custom tool call'),
  mcp_list_tools: readMcpListTools,
  mcp_call: readMcpCall,
  mcp_approval_request: readMcpApprovalRequest,
  mcp_approval_response: readMcpApprovalResponse,
  shell_call_output: readShellCallOutput,
  local_shell_call_output: readLocalShellCallOutput,
  item_reference: (item, _context, _index, param) => {
    const id = nameIn(item, 'id', param)
    throw new RequestError(`Item with id '${id}' not found.`, { param: `${param}.id`, status: 404 })
  },
  compaction: readCompaction,
  compaction_trigger: readCompactionTrigger,
  image_generation_call: readHostItem,
  additional_tools: readAdditionalTools,
  // What it sets is in the request by now.
  configuration_update: () => {},
  apply_patch_call_output: readApplyPatchCallOutput,
  agent_message: readAgentMessage,
  computer_call: readComputerCall,
  computer_call_output: readComputerCallOutput,
  multi_agent_call: readMultiAgentCall,
  multi_agent_call_output: readMultiAgentCallOutput,
  program: readProgram,
  program_output: readProgramOutput,
  tool_search_call: readToolSearchCall,
  tool_search_output: readToolSearchOutput,
}

const ALL_READERS: { readonly [type: string]: ItemReader } = {
  ...READERS,
  ...Object.fromEntries(BUILTIN_TOOLS.map((tool) => [builtinNamed(tool).item, readBuiltinCall(tool)])),
}

/** @throws RequestError for an unknown type of item */
export function readerOf(type: string, param: string): ItemReader {
  const reader = lookUp(ALL_READERS, type)
  if (reader !== undefined) return reader
  throw invalidValue(`${param}.type`, type, Object.keys(ALL_READERS))
}
