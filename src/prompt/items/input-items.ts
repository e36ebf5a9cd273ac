import { invalidValue, RequestError, unsupported } from '../../request-error.js'
import type { InputItem } from '../../responses/input-items.js'
import { nameIn } from '../fields.js'
import { readAdditionalTools } from './additional-tools.js'
import { readApplyPatchCall, readApplyPatchCallOutput } from './apply-patch-call.js'
import { readCodeInterpreterCall } from './code-interpreter-call.js'
import { readCompaction, readCompactionTrigger } from './compaction.js'
import { readCustomToolCall, readFunctionCall, readOutput } from './function-call.js'
import { readHostItem } from './host-items.js'
import type { ItemReader } from './item-reader.js'
import { readMcpApprovalRequest, readMcpApprovalResponse, readMcpCall, readMcpListTools } from './mcp.js'
import { readMessage } from './message.js'
import { readReasoning } from './reasoning.js'
import { readLocalShellCall, readLocalShellCallOutput, readShellCall, readShellCallOutput } from './shell-call.js'
import { readWebSearchCall } from './web-search-call.js'

type InputType = NonNullable<InputItem['type']>

/** The reader of each type of input item. docs/prompt.md has the same table in words. */
const READERS: { readonly [Type in InputType]: ItemReader } = {
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
  code_interpreter_call: readCodeInterpreterCall,
  web_search_call: readWebSearchCall,
  shell_call: readShellCall,
  shell_call_output: readShellCallOutput,
  local_shell_call: readLocalShellCall,
  local_shell_call_output: readLocalShellCallOutput,
  item_reference: (item, _context, _index, param) => {
    const id = nameIn(item, 'id', param)
    throw new RequestError(`Item with id '${id}' not found.`, { param: `${param}.id`, status: 404 })
  },
  compaction: readCompaction,
  compaction_trigger: readCompactionTrigger,
  file_search_call: readHostItem,
  image_generation_call: readHostItem,
  additional_tools: readAdditionalTools,
  apply_patch_call: readApplyPatchCall,
  apply_patch_call_output: readApplyPatchCallOutput,
  computer_call: refuse('computer use is'),
  computer_call_output: refuse('computer use is'),
  configuration_update: refuse('configuration updates are'),
  program: refuse('programs are'),
  program_output: refuse('programs are'),
  tool_search_call: refuse('tool search is'),
  tool_search_output: refuse('tool search is'),
}

/** Rejects a type without a counterpart in gpt-oss. */
function refuse(what: string): ItemReader {
  return (_item, _context, _index, param) => {
    throw unsupported(`${param}.type`, what)
  }
}

/** @throws RequestError for an unknown type of item */
export function readerOf(type: string, param: string): ItemReader {
  if (Object.hasOwn(READERS, type)) return READERS[type as InputType]
  throw invalidValue(`${param}.type`, type, Object.keys(READERS))
}
