import { replacedByServer, undatedType } from './builtin-tools.js'
import type { Recipient } from './recipient.js'

/** Whether `tool_choice` leaves a tool. One without a name stands for some tool of its type or server. */
export type ToolSelection = (tool: SelectedTool) => boolean

interface SelectedTool {
  readonly type: string
  readonly name?: string | undefined
  readonly label?: string | undefined
}

/** An entry of `allowed_tools`, or anything else: {@link toolSelection} takes what no request may have for no tool. */
type Entry = { readonly type?: unknown; readonly name?: unknown; readonly server_label?: unknown }

/**
 * Which tools `tool_choice` leaves: all, none, or those on its list, where an entry without a name allows all tools of
 * its type or server. A named tool and `required` leave all. The prompt teaches by it, and calls are accepted by it.
 */
export function toolSelection(choice: unknown): ToolSelection {
  if (choice === 'none') return () => false
  const { type, tools } = Object(choice) as { readonly type?: unknown; readonly tools?: unknown }
  if (type !== 'allowed_tools') return () => true
  /** The names of each type or server. */
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

/** Whether a function or a custom tool is left: by its own entry, or by that of its namespace. */
export function isClientToolLeft(
  isAllowed: ToolSelection,
  { type, name, namespace }: { readonly type: string; readonly name: string; readonly namespace?: string | undefined },
): boolean {
  return isAllowed({ type, name }) || (namespace !== undefined && isAllowed({ type: 'namespace', name: namespace }))
}

/** Whether what a message addresses is left: no tool at all, or one of the selection. */
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
      // Under the policy `vllm` a declared built-in tool is called by the name of such a server.
      const replaced = replacedByServer(label)
      return isAllowed({ type: 'mcp', label, name }) || (replaced !== undefined && isAllowed({ type: replaced }))
    }
    default:
      return isAllowed({ type: callee.kind.replace(/_call$/, '') })
  }
}

/** Whether `tool_choice` demands a call, and leaves it to the model of what. */
export function isCallRequired(choice: unknown): boolean {
  const { type, mode } = Object(choice) as { readonly type?: unknown; readonly mode?: unknown }
  return choice === 'required' || (type === 'allowed_tools' && mode === 'required')
}
