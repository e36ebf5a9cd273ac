import type { CallResult } from '../responses/call-result.js'
import type { BuiltinWires, OutputItem } from '../responses/items.js'
import type { Builtin } from './builtins/builtin.js'
import * as DESCRIPTORS from './builtins/index.js'
import { undatedType } from './undated-type.js'

/*
 * What follows from the descriptors of the built-in tools (`builtins/`): to add a tool, write its descriptor and a line in
 * `builtins/index.ts`.
 */

type Descriptors = typeof DESCRIPTORS

/** The built-in tools that gpt-oss models can call, by the type with which a request declares them. */
export type BuiltinTool = keyof BuiltinWires

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

/** A tool without a descriptor, and a descriptor that lacks a fact, do not fit. */
type Complete = {
  readonly [Tool in BuiltinTool]: Builtin<BuiltinWires[Tool]['item']['type'], Descriptors[Tool]['runBy']>
}

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

/** Those that a host runs come first: of both shells, `shell` has the calls. */
export const BUILTIN_TOOLS: readonly BuiltinTool[] = /* @__PURE__ */ (() =>
  (Object.keys(BUILTINS) as BuiltinTool[]).sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1)))()

function rank(tool: BuiltinTool): number {
  return BUILTINS[tool].runBy === 'client' ? 1 : 0
}

/** The tools that a recipient may be a call of, by their recipients. */
const CALLS: ReadonlyMap<string, readonly BuiltinCall[]> = /* @__PURE__ */ (() => {
  const calls = new Map<string, BuiltinCall[]>()
  for (const tool of BUILTIN_TOOLS) {
    for (const [recipient, action] of Object.entries(builtinNamed(tool).recipients)) {
      // The descriptor says which actions its tool has.
      const call = (action === null ? { tool } : { tool, action }) as BuiltinCall
      calls.set(recipient, [...(calls.get(recipient) ?? []), call])
    }
  }
  return calls
})()

/** The tools that a recipient may be a call of: both shells have one. Of several, the first that is declared has the call. */
export function builtinsCalled(recipient: string): readonly BuiltinCall[] {
  return CALLS.get(recipient) ?? []
}

/** Every recipient of a built-in tool. */
export const BUILTIN_RECIPIENTS: readonly string[] = /* @__PURE__ */ (() => [...CALLS.keys()])()

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
  asked(item: OutputItem): unknown
}

/** The descriptor of the tool that an item is a call of. */
export function builtinCalled({ type }: Pick<OutputItem, 'type'>): CalledBuiltin | undefined {
  const tool = builtinOfItem(type)
  return tool && builtinNamed(tool)
}

/** The fields of results that have data of some tool: lists. */
export const RESULT_DATA: readonly string[] = /* @__PURE__ */ (() =>
  BUILTIN_TOOLS.flatMap((tool) => builtinNamed(tool).data))()

/** What the model reads of a result that has no text; undefined if it has no data of any tool. */
export function textOfData(result: CallResult, callId: string): string | undefined {
  for (const tool of BUILTIN_TOOLS) {
    const text = builtinNamed(tool).resultText(result, callId)
    if (text !== undefined) return text
  }
  return undefined
}

/** Whether a host runs the calls of a tool, at least of one that is declared so. */
export function isHostedBuiltin(tool: string): tool is HostedBuiltin {
  return Object.hasOwn(BUILTINS, tool) && BUILTINS[tool as BuiltinTool].runBy !== 'client'
}

/** Whether a host runs calls that become items of this type. */
export function isHostedBuiltinItem(type: string): type is HostedItemType {
  const tool = builtinOfItem(type)
  return tool !== undefined && isHostedBuiltin(tool)
}

export const HOSTED_BUILTINS: readonly HostedBuiltin[] = /* @__PURE__ */ (() => BUILTIN_TOOLS.filter(isHostedBuiltin))()
