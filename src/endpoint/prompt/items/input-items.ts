import { BUILTIN_TOOLS, type BuiltinItemType, builtinNamed } from '../../../core/recipients/builtin-tools.js'
import { lookUp } from '../../../core/recipients/policy.js'
import type { InputItem } from '../../../core/responses/input-items.js'
import { invalidValue, RequestError } from '../../../shared/request-error.js'
import { fieldOf, listAt, nameIn, optionalTextIn, textIn, wordIn } from '../../../shared/request-fields.js'
import { readWindow } from '../compacted-window.js'
import { textOfContent } from '../content.js'
import { readBuiltinCall } from './builtin-call.js'
import { FOREIGN_READERS } from './foreign.js'
import { readCustomToolCall, readFunctionCall, readOutput } from './function-call.js'
import type { ItemReader } from './item-reader.js'
import { readMcpApprovalRequest, readMcpApprovalResponse, readMcpCall, readMcpListTools } from './mcp.js'
import { readReasoning, unopened } from './reasoning.js'
import { readLocalShellCallOutput, readShellCallOutput } from './shell-output.js'

type InputType = NonNullable<InputItem['type']>

/**
 * Reads message: the user's, an earlier answer or preamble (`phase`), or instructions. A client's `system` message
 * becomes a developer message, because Harmony's system message is the host's alone.
 */
const readMessage: ItemReader = (item, { conversation, attach }, index, param) => {
  const role = wordIn(item, 'role', param, ROLES)
  const content = textOfContent(fieldOf(item, 'content') ?? '', `${param}.content`, attach)
  if (role === 'assistant') {
    const phase = optionalTextIn(item, 'phase', param)
    const channel = phase === 'commentary' ? 'commentary' : 'final'
    conversation.add({ role, channel, content, item: index, ...(phase === undefined && { hasNoPhase: true }) })
  } else conversation.add({ role: role === 'system' ? 'developer' : role, content, item: index })
}

/**
 * Reads compaction: its summary, once the host has opened it, and the user's unanswered messages. A model wrote the
 * summary, so it must not carry the weight of instructions.
 */
const readCompaction: ItemReader = (item, { conversation, unsealed }, index, param) => {
  const text = unsealed(textIn(item, 'encrypted_content', param))?.text
  if (text === undefined) throw unopened(`${param}.encrypted_content`)
  const { before, summary, after } = readWindow(text) ?? { before: [], summary: text, after: [] }
  const addUserMessages = (texts: readonly string[]): void => {
    for (const content of texts) conversation.add({ role: 'user', content, item: index })
  }
  addUserMessages(before)
  conversation.add({ role: 'user', content: `${HEADING}\n\n${summary}`, item: index, isSummary: true })
  addUserMessages(after)
}

/**
 * Reads additional_tools: a developer message that teaches the tools at the item's place, so that the prompt before it is
 * the same as before they were declared. Leading items belong to the head.
 */
const readAdditionalTools: ItemReader = (item, { conversation, taughtAt }, index, param) => {
  wordIn(item, 'role', param, ['developer'])
  listAt(fieldOf(item, 'tools') ?? [], `${param}.tools`)
  const teaches = taughtAt?.get(item) ?? []
  if (teaches.length > 0) conversation.add({ role: 'developer', content: '', item: index, teaches })
}

/** apply_patch_call_output: the client's output or, without one, whether it made the change. */
const readApplyPatchCallOutput: ItemReader = (item, { conversation }, index, param) => {
  const hasFailed = fieldOf(item, 'status') === 'failed'
  const output = optionalTextIn(item, 'output', param) ?? ''
  const text = hasFailed ? [FAILED, ...(output === '' ? [] : [output])].join('\n') : output || DONE
  conversation.output(nameIn(item, 'call_id', param), { kind: 'apply patch call', item: index, param, text })
}

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
  // The loop that answers the request has compacted the conversation before it.
  compaction_trigger: () => {},
  // gpt-oss has no such calls: the host created it for its client, and the result of the call behind it tells the model.
  image_generation_call: () => {},
  additional_tools: readAdditionalTools,
  // What it sets is in the request by now.
  configuration_update: () => {},
  apply_patch_call_output: readApplyPatchCallOutput,
  ...FOREIGN_READERS,
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

const HEADING = 'A summary of the conversation so far:'

const ROLES = ['user', 'assistant', 'system', 'developer'] as const

/** The output of gpt-oss's own tool. */
const DONE = 'Done!'
const FAILED = 'The patch was not applied.'
