/**
 * The id prefixes of the API's items, without the underscore, by item type. A separate table, because `hostItem` needs
 * all of them and no kind. Unlisted types have `item`.
 */
export const PREFIXES = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  mcp_list_tools: 'mcpl',
  mcp_approval_request: 'mcpr',
  mcp_call: 'mcp',
  code_interpreter_call: 'ci',
  web_search_call: 'ws',
  shell_call: 'sh',
  shell_call_output: 'sho',
  local_shell_call: 'lsh',
  apply_patch_call: 'apc',
  // These never come from tokens.
  compaction: 'cmp',
  file_search_call: 'fs',
  image_generation_call: 'ig',
  computer_call: 'cu',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
  host_item: 'item',
} as const

/** The prefix of an item type; `never` for a type that the table lacks. */
export type PrefixOf<Type extends string> = Type extends keyof typeof PREFIXES ? (typeof PREFIXES)[Type] : never
