import type { OutputItem } from '../responses/items.js'
import type { Builtin } from './builtins/builtin.js'
import { DESCRIPTORS, type Descriptors } from './builtins/index.js'
import { undatedType } from './undated-type.js'

/*
 * What follows from the descriptors of the built-in tools (`builtins/`): to add a tool, write its descriptor and a line in
 * `builtins/index.ts`.
 */

/** The built-in tools that gpt-oss models can call, by the type with which a request declares them. */
export type BuiltinTool = keyof Descriptors

/** Those that a host runs: `shell` in a container. */
export type HostedBuiltin = {
  readonly [Tool in BuiltinTool]: Descriptors[Tool]['runBy'] extends 'client' ? never : Tool
}[BuiltinTool]

/** The types of the items that calls become: of all tools, and of those that a host runs. */
export type BuiltinItemType = Descriptors[BuiltinTool]['item']
export type HostedItemType = Descriptors[HostedBuiltin]['item']

/** What a recipient may address of built-in tools. */
export type BuiltinCallee = ReturnType<Descriptors[BuiltinTool]['callee']>

/** A call of one tool, as its recipient says it: with the action, where the tool has several. */
type CallOf<Tool extends BuiltinTool> = { readonly tool: Tool } & (ReturnType<Descriptors[Tool]['callee']> extends {
  readonly action: infer Action
}
  ? { readonly action: Action }
  : unknown)

/** A call of a built-in tool, as a policy has it. */
export type BuiltinCall = { [Tool in BuiltinTool]: CallOf<Tool> }[BuiltinTool]

/** A descriptor that lacks a fact does not fit. */
type Complete = { readonly [Tool in BuiltinTool]: Builtin<Descriptors[Tool]['item'], Descriptors[Tool]['runBy']> }

const BUILTINS: Descriptors & Complete = DESCRIPTORS

/** The descriptor of a tool. */
export function builtinNamed(tool: BuiltinTool): Builtin {
  // TypeScript cannot relate the methods of one descriptor to the items of all.
  return BUILTINS[tool] as unknown as Builtin
}

/** The built-in tool that a request tool of this type declares. */
export function builtinOf(type: string): BuiltinTool | undefined {
  const undated = undatedType(type)
  return Object.hasOwn(BUILTINS, undated) ? (undated as BuiltinTool) : undefined
}

export const BUILTIN_TOOLS: readonly BuiltinTool[] = /* @__PURE__ */ Object.keys(BUILTINS) as BuiltinTool[]

/** The built-in tool that an MCP server of this label replaces, if it lists nothing: the model calls it, and the server answers. */
export function replacedByServer(label: string): BuiltinTool | undefined {
  return BUILTIN_TOOLS.find((tool) => builtinNamed(tool).replacedBy?.label === label)
}

/** The built-in tool whose calls become items of this type. */
export function builtinOfItem(type: string): BuiltinTool | undefined {
  return BUILTIN_TOOLS.find((tool) => builtinNamed(tool).item === type)
}

/** The descriptor of the tool that an item is a call of. It takes that item, so that no caller checks its type. */
interface CalledBuiltin extends Builtin {
  isHosted(item: OutputItem): boolean
  isWaiting(item: OutputItem): boolean
  recipientOf(item: OutputItem): string
  actionOf(item: OutputItem): string | undefined
}

/** The descriptor of the tool that an item is a call of. */
export function builtinCalled({ type }: Pick<OutputItem, 'type'>): CalledBuiltin | undefined {
  const tool = builtinOfItem(type)
  return tool && builtinNamed(tool)
}

/** Whether a host runs the calls of a tool, at least of one that is declared so. */
export function isHostedBuiltin(tool: string): tool is HostedBuiltin {
  return Object.hasOwn(BUILTINS, tool) && BUILTINS[tool as BuiltinTool].runBy !== 'client'
}

export const HOSTED_BUILTINS: readonly HostedBuiltin[] = /* @__PURE__ */ (() => BUILTIN_TOOLS.filter(isHostedBuiltin))()
