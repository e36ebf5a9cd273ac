import type { OutputItem } from '../../responses/items.js'
import { codeInterpreterCall } from './code-interpreter-call.js'
import { customToolCall } from './custom-tool-call.js'
import { functionCall } from './function-call.js'
import { hostItem } from './host-item.js'
import type { Item, ItemKind, ItemType } from './item.js'
import { localShellCall } from './local-shell-call.js'
import { mcpApprovalRequest } from './mcp-approval-request.js'
import { mcpCall } from './mcp-call.js'
import { mcpListTools } from './mcp-list-tools.js'
import { message } from './message.js'
import { reasoning } from './reasoning.js'
import { shellCall } from './shell-call.js'
import { shellCallOutput } from './shell-call-output.js'
import { webSearchCall } from './web-search-call.js'

/** Every kind of item. To add one: a file beside this one, a line here. */
const KINDS: { readonly [T in ItemType]: ItemKind<Extract<Item, { type: T }>> } = {
  message,
  reasoning,
  function_call: functionCall,
  custom_tool_call: customToolCall,
  mcp_list_tools: mcpListTools,
  mcp_approval_request: mcpApprovalRequest,
  mcp_call: mcpCall,
  code_interpreter_call: codeInterpreterCall,
  web_search_call: webSearchCall,
  shell_call: shellCall,
  shell_call_output: shellCallOutput,
  local_shell_call: localShellCall,
  host_item: hostItem,
}

/** The kind of an item, by its type. */
export function kindOf({ type }: { readonly type: ItemType }): ItemKind<Item> {
  // The one cast of the table: the compiler does not see that what is looked up by an item's type fits that item.
  return KINDS[type] as unknown as ItemKind<Item>
}

/** An item in its wire form as of now, a detached copy. */
export function wireOf(item: Item): OutputItem {
  const { type, id, status } = item
  const { hasNoStatus, wire } = kindOf(item)
  // One spread each, and the last thing: engines make a literal with two field by field, thirty times as slowly.
  return (hasNoStatus ? { type, id, ...wire(item) } : { type, id, status, ...wire(item) }) as OutputItem
}
