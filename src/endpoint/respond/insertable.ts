import { type CompleteItem, hostItem } from '../../core/items/host/host-item.js'
import { type BuiltinItemType, builtinNamed, builtinOfItem } from '../../core/recipients/builtin-tools.js'
import { lookUp } from '../../core/recipients/policy.js'
import type { InputItem } from '../../core/responses/input-items.js'
import type { OutputItem } from '../../core/responses/items.js'
import { check } from '../../shared/errors.js'

type Type = NonNullable<InputItem['type']> | OutputItem['type']

/**
 * Whether a host may insert an item of the type, except for calls of built-in tools, whose descriptors decide. Excluded
 * are items that request something, since clients run calls and ask their users; and items that the next request would
 * read as a client's words or as declarations. Unlisted types are the host's own.
 */
const INSERTABLE: { readonly [Other in Exclude<Type, BuiltinItemType>]: boolean } = {
  message: true,
  reasoning: true,
  compaction: true,
  image_generation_call: true,
  mcp_call: true,
  mcp_list_tools: false,
  mcp_approval_request: false,
  mcp_approval_response: false,
  function_call: false,
  function_call_output: false,
  custom_tool_call: false,
  custom_tool_call_output: false,
  shell_call_output: false,
  agent_message: false,
  multi_agent_call: false,
  multi_agent_call_output: false,
  local_shell_call_output: false,
  apply_patch_call_output: false,
  computer_call: false,
  computer_call_output: false,
  tool_search_call: false,
  tool_search_output: false,
  program: false,
  program_output: false,
  additional_tools: false,
  configuration_update: false,
  compaction_trigger: false,
  item_reference: false,
}

/**
 * Converts an item to its form in the journal.
 *
 * @throws HarmonyResponsesError `bad_option` if a host may not insert it
 */
export function insertable(item: CompleteItem): CompleteItem {
  const { whole } = hostItem(item)
  const builtin = builtinOfItem(whole.type)
  const isInsertable = builtin === undefined ? lookUp(INSERTABLE, whole.type) : builtinNamed(builtin).isInsertable
  check(isInsertable ?? true, 'insert: type', 'a type that a host may insert', whole.type)
  check(whole.type !== 'message' || whole['role'] === 'assistant', 'insert: role', "'assistant'", whole['role'])
  // In the journal's form: only this process would show values that JSON lacks.
  return JSON.parse(JSON.stringify(whole))
}
