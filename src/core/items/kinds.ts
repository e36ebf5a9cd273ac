import type { OutputItem, OutputItemByType } from '../responses/items.js'
import type { insertedItem } from './host/inserted-item.js'
import type { ItemKind } from './item-kind.js'
import type { customToolCall } from './kinds/custom-tool-call.js'
import type { functionCall } from './kinds/function-call.js'
import type { mcpApprovalRequest } from './kinds/mcp-approval-request.js'
import type { mcpCall } from './kinds/mcp-call.js'
import type { mcpListTools } from './kinds/mcp-list-tools.js'
import type { message } from './kinds/message.js'
import type { reasoning } from './kinds/reasoning.js'
import type { shellCallOutput } from './kinds/shell-call-output.js'

type BuiltinKinds = typeof import('./kinds/builtin-kinds.js')

/**
 * The item kinds by type. To add one, create a file beside this one and add a line here and in a catalog; for one of a
 * built-in tool, in `builtin-kinds.ts`.
 */
interface ItemKinds extends BuiltinKinds {
  readonly message: typeof message
  readonly reasoning: typeof reasoning
  readonly function_call: typeof functionCall
  readonly custom_tool_call: typeof customToolCall
  readonly mcp_list_tools: typeof mcpListTools
  readonly mcp_approval_request: typeof mcpApprovalRequest
  readonly mcp_call: typeof mcpCall
  readonly shell_call_output: typeof shellCallOutput
  /** An item that the host inserts. */
  readonly host_item: typeof insertedItem
}

/** The kind of every wire type. */
export type AllKinds = { readonly [Type in keyof OutputItemByType]: ItemKinds[Type] }

export type ItemType = keyof ItemKinds

/** The kinds of one translator. The types alone name all of them, so that a bundle has only those of its table. */
export type KindTable = Partial<ItemKinds>

/** An item of any kind under construction. */
export type Item = { [Type in ItemType]: ItemKinds[Type] extends ItemKind<infer I, infer _> ? I : never }[ItemType]

/** The source of an item: the recipient of a model's message, or data from the host. */
export type Subject = { [Type in ItemType]: ItemKinds[Type] extends ItemKind<infer _, infer S> ? S : never }[ItemType]

/** Returns the kind of an item by its type. The table has it, since nothing else begins an item (see `catalog.ts`). */
export function kindOf(kinds: KindTable, { type }: { readonly type: ItemType }): ItemKind<Item, Subject> {
  // TypeScript cannot infer that the kind looked up by an item's type fits that item.
  return kinds[type] as ItemKind<Item, Subject>
}

/** Returns an item's current wire form, as a detached copy. */
export function wireOf(kinds: KindTable, item: Item): OutputItem {
  const { type, id, status } = item
  const { hasNoStatus, wire } = kindOf(kinds, item)
  // With two spreads V8 builds the object field by field, which takes thirty times as long.
  return (hasNoStatus ? { type, id, ...wire(item) } : { type, id, status, ...wire(item) }) as OutputItem
}

/** Whether the host runs an item created from this subject, and so has to provide a result. */
export function isHosted(kinds: KindTable, subject: Subject): boolean {
  const kind = kindOf(kinds, { type: subject.kind })
  return kind.result !== undefined && (kind.isHosted?.(subject) ?? true)
}

/** Returns what an item calls, for diagnostics. */
export function calleeOf(kinds: KindTable, item: Item): string {
  return kindOf(kinds, item).calls?.(item) ?? item.type
}
