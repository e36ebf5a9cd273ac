import * as z from 'zod'
import type { ParsedInputItem } from '../../../core/responses/parsed-request.js'
import { isFields } from '../../../shared/fields.js'
import { TEXT_OR_OBJECTS } from '../../../shared/request-fields.js'
import { withoutEval } from '../../../shared/system/without-eval.js'
import { byType, either, list, text } from './builders.js'
import { itemReference, message, reasoning } from './items/conversation.js'
import { customToolCall, customToolCallOutput, functionCall, functionCallOutput } from './items/functions.js'
import {
  codeInterpreterCall,
  localShellCall,
  localShellCallOutput,
  shellCall,
  shellCallOutput,
  webSearchCall,
} from './items/hosted.js'
import { mcpApprovalRequest, mcpApprovalResponse, mcpCall, mcpListTools } from './items/mcp.js'
import {
  additionalTools,
  agentMessage,
  applyPatchCall,
  applyPatchCallOutput,
  compaction,
  compactionTrigger,
  computerCall,
  computerCallOutput,
  configurationUpdate,
  fileSearchCall,
  imageGenerationCall,
  multiAgentCall,
  multiAgentCallOutput,
  program,
  programOutput,
  toolSearchCall,
  toolSearchOutput,
} from './items/others.js'

withoutEval()

/** The schemas of all items that a conversation can contain. */
export const ITEMS: {
  readonly [Type in ParsedInputItem['type']]: z.ZodType<Extract<ParsedInputItem, { type: Type }>>
} = {
  additional_tools: additionalTools,
  agent_message: agentMessage,
  apply_patch_call: applyPatchCall,
  apply_patch_call_output: applyPatchCallOutput,
  code_interpreter_call: codeInterpreterCall,
  compaction,
  compaction_trigger: compactionTrigger,
  computer_call: computerCall,
  computer_call_output: computerCallOutput,
  configuration_update: configurationUpdate,
  custom_tool_call: customToolCall,
  custom_tool_call_output: customToolCallOutput,
  file_search_call: fileSearchCall,
  function_call: functionCall,
  function_call_output: functionCallOutput,
  image_generation_call: imageGenerationCall,
  item_reference: itemReference,
  local_shell_call: localShellCall,
  local_shell_call_output: localShellCallOutput,
  mcp_approval_request: mcpApprovalRequest,
  mcp_approval_response: mcpApprovalResponse,
  mcp_call: mcpCall,
  mcp_list_tools: mcpListTools,
  message,
  multi_agent_call: multiAgentCall,
  multi_agent_call_output: multiAgentCallOutput,
  program,
  program_output: programOutput,
  reasoning,
  shell_call: shellCall,
  shell_call_output: shellCallOutput,
  tool_search_call: toolSearchCall,
  tool_search_output: toolSearchOutput,
  web_search_call: webSearchCall,
}

/** Infers a missing or null type: an item with a role is a message, any other one with an id a reference. */
function withType(item: unknown): unknown {
  if (!isFields(item) || item['type'] != null) return item
  if (item['role'] != null) return { ...item, type: 'message' }
  return item['id'] != null ? { ...item, type: 'item_reference' } : item
}

export const input: z.ZodType<string | ParsedInputItem[]> = either(
  TEXT_OR_OBJECTS,
  text,
  list('objects', z.preprocess(withType, byType<ParsedInputItem>(ITEMS))),
)
