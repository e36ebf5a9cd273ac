import type { OutputItem, OutputItemByType } from '../../responses/items.js'
import type { IdPrefix } from '../ids.js'
import { codeInterpreterCall } from './code-interpreter-call.js'
import { customToolCall } from './custom-tool-call.js'
import { functionCall } from './function-call.js'
import { insertedItem } from './inserted-item.js'
import type { ItemKind } from './item-kind.js'
import { localShellCall } from './local-shell-call.js'
import { mcpApprovalRequest } from './mcp-approval-request.js'
import { mcpCall } from './mcp-call.js'
import { mcpListTools } from './mcp-list-tools.js'
import { message } from './message.js'
import { reasoning } from './reasoning.js'
import { shellCall } from './shell-call.js'
import { shellCallOutput } from './shell-call-output.js'
import { webSearchCall } from './web-search-call.js'

/** The item kinds by type. To add one, create a file beside this one and add a line here and in `KINDS`. */
interface ItemKinds {
  readonly message: typeof message
  readonly reasoning: typeof reasoning
  readonly function_call: typeof functionCall
  readonly custom_tool_call: typeof customToolCall
  readonly mcp_list_tools: typeof mcpListTools
  readonly mcp_approval_request: typeof mcpApprovalRequest
  readonly mcp_call: typeof mcpCall
  readonly code_interpreter_call: typeof codeInterpreterCall
  readonly web_search_call: typeof webSearchCall
  readonly shell_call: typeof shellCall
  readonly shell_call_output: typeof shellCallOutput
  readonly local_shell_call: typeof localShellCall
  readonly host_item: typeof insertedItem
}

/** Every wire type, and `host_item` for whatever the host inserts. */
const KINDS: { readonly [Type in keyof OutputItemByType | 'host_item']: ItemKinds[Type] } = {
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
  host_item: insertedItem,
}

export type ItemType = keyof ItemKinds

/** An item of any kind under construction. */
export type Item = { [Type in ItemType]: ItemKinds[Type] extends ItemKind<infer I, infer _> ? I : never }[ItemType]

/** What an item is created from: the recipient of a model's message, or data from the host. */
export type Subject = { [Type in ItemType]: ItemKinds[Type] extends ItemKind<infer _, infer S> ? S : never }[ItemType]

/** The kind of an item, by its type. */
export function kindOf({ type }: { readonly type: ItemType }): ItemKind<Item, Subject> {
  // TypeScript cannot infer that the kind looked up by an item's type fits that item.
  return KINDS[type] as unknown as ItemKind<Item, Subject>
}

/** The id prefix of items of this type; undefined for types without a kind. */
export function prefixOf(type: string): IdPrefix | undefined {
  return Object.hasOwn(KINDS, type) ? KINDS[type as ItemType].prefix : undefined
}

/** An item's current wire form, as a detached copy. */
export function wireOf(item: Item): OutputItem {
  const { type, id, status } = item
  const { hasNoStatus, wire } = kindOf(item)
  // With two spreads V8 builds the object field by field, which takes thirty times as long.
  return (hasNoStatus ? { type, id, ...wire(item) } : { type, id, status, ...wire(item) }) as OutputItem
}

/** Whether the host runs an item created from this subject, and so has to provide a result. */
export function isHosted(subject: Subject): boolean {
  const kind = kindOf({ type: subject.kind })
  return kind.result !== undefined && (kind.isHosted?.(subject) ?? true)
}

/** What an item calls, for diagnostics. */
export function calleeOf(item: Item): string {
  return kindOf(item).calls?.(item) ?? item.type
}
