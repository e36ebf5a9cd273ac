import { type BuiltinTool, builtinOf, builtinOfItem, replacedByServer } from './builtin-tools.js'
import type { Recipient } from './recipient.js'
import { undatedType } from './undated-type.js'

/** Whether `tool_choice` allows a tool. One without a name stands for some tool of its type or server. */
export type ToolSelection = (tool: SelectedTool) => boolean

interface SelectedTool {
  readonly type: string
  readonly name?: string | undefined
  readonly label?: string | undefined
}

/** A call that the first turn has to make. */
export type DemandedCall =
  /** A call of any tool: the model chooses. */
  | { readonly of: 'any' }
  /** A call of some tool of an MCP server, or of any MCP server. */
  | { readonly of: 'server'; readonly label: string | undefined }
  | { readonly of: 'server_tool'; readonly label: string | undefined; readonly name: string }
  | { readonly of: 'function' | 'custom'; readonly name: string }
  /** `builtin` is undefined for a type that no model can call. `type` is the client's spelling. */
  | { readonly of: 'builtin'; readonly type: string; readonly builtin: BuiltinTool | undefined }

/** A parsed `tool_choice`: the prompt teaches by it, calls are accepted by it, and the first turn is held to it. */
export interface ToolChoice {
  readonly isAllowed: ToolSelection
  /** Undefined if the model may answer without a call. */
  readonly demand: DemandedCall | undefined
}

/** The choice of a request without `tool_choice`. */
export const FREE_CHOICE: ToolChoice = { isAllowed: () => true, demand: undefined }

/** Parses any value: an invalid entry matches no tool. */
export function readToolChoice(choice: unknown): ToolChoice {
  return { isAllowed: selectionOf(choice), demand: demandOf(choice) }
}

/** A value with the fields of a choice, or of an entry of `allowed_tools`. */
type Entry = { readonly [Field in 'type' | 'name' | 'server_label' | 'mode' | 'tools']?: unknown }

/**
 * Selects all tools, none, or those on the list, where an entry without a name allows all tools of its type or server.
 * A named tool and `required` exclude none.
 */
function selectionOf(choice: unknown): ToolSelection {
  if (choice === 'none') return () => false
  const { type, tools } = Object(choice) as Entry
  if (type !== 'allowed_tools') return FREE_CHOICE.isAllowed
  /** The allowed names of each type or server. */
  const allowed = new Map<string, Set<unknown> | 'all'>()
  for (const entry of Array.isArray(tools) ? tools : []) {
    const { type, name, server_label: label } = Object(entry) as Entry
    const group = groupOf(String(type), label ?? undefined)
    const names = allowed.get(group) ?? new Set()
    if (names !== 'all' && name != null) names.add(name)
    allowed.set(group, name == null ? 'all' : names)
  }
  return ({ type, name, label }) => {
    const names = allowed.get(groupOf(type, label))
    return names !== undefined && (names === 'all' || name === undefined || names.has(name))
  }
}

function groupOf(type: string, label: unknown): string {
  return JSON.stringify([undatedType(type), label])
}

function demandOf(choice: unknown): DemandedCall | undefined {
  if (choice === 'required') return { of: 'any' }
  if (choice == null || choice === 'none' || choice === 'auto') return undefined
  const { mode, ...entry } = Object(choice) as Entry
  const [type = '', name, label] = [entry.type, entry.name, entry.server_label].map(textOf)
  switch (type) {
    case 'allowed_tools':
      return mode === 'required' ? { of: 'any' } : undefined
    case 'function':
    case 'custom':
      return { of: type, name: name ?? '' }
    case 'mcp':
      return name === undefined ? { of: 'server', label } : { of: 'server_tool', label, name }
    default:
      return { of: 'builtin', type, builtin: builtinOf(type) }
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Whether a function or a custom tool is allowed: by its own entry, or by its namespace's. */
export function isClientToolLeft(
  isAllowed: ToolSelection,
  { type, name, namespace }: { readonly type: string; readonly name: string; readonly namespace?: string | undefined },
): boolean {
  return isAllowed({ type, name }) || (namespace !== undefined && isAllowed({ type: 'namespace', name: namespace }))
}

/** Whether a callee is allowed: it is no tool, or one of the selection. */
export function isCalleeLeft(isAllowed: ToolSelection, callee: Recipient): boolean {
  switch (callee.kind) {
    case 'reasoning':
    case 'message':
      return true
    case 'function_call':
      return isClientToolLeft(isAllowed, { ...callee, type: 'function' })
    case 'custom_tool_call':
      return isClientToolLeft(isAllowed, { ...callee, type: 'custom' })
    case 'mcp_call':
    case 'mcp_approval_request': {
      const { serverLabel: label, name } = callee
      // Under the policy `vllm`, a declared built-in tool is called by the name of such a server.
      const replaced = replacedByServer(label)
      return isAllowed({ type: 'mcp', label, name }) || (replaced !== undefined && isAllowed({ type: replaced }))
    }
    default:
      return isAllowed({ type: builtinOfItem(callee.kind) as BuiltinTool })
  }
}
