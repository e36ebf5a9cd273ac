import type { CallResult } from '../responses/call-result.js'
import type { BuiltinWires, OutputItem } from '../responses/items.js'
import type { Builtin } from './builtins/builtin.js'
import * as DESCRIPTORS from './builtins/index.js'
import { undatedType } from './undated-type.js'

/*
 * Everything here is derived from the descriptors of the built-in tools (`builtins/`): to add a tool, write its
 * descriptor and a line in `builtins/index.ts`.
 */

type Descriptors = typeof DESCRIPTORS

/** The built-in tools that gpt-oss models can call, by the type with which a request declares them. */
export type BuiltinTool = keyof BuiltinWires

/** The tools that a host runs: `shell` in a container. */
export type HostedBuiltin = {
  readonly [Tool in BuiltinTool]: Descriptors[Tool]['runBy'] extends 'client' ? never : Tool
}[BuiltinTool]

/** The types of the items that calls become, for all tools and for those that a host runs. */
export type BuiltinItemType = Descriptors[BuiltinTool]['item']
export type HostedItemType = Descriptors[HostedBuiltin]['item']

/** The callees of built-in tools. */
export type BuiltinCallee = ReturnType<Descriptors[BuiltinTool]['callee']>

/** A call of one tool as its recipient states it: with the action if the tool has several. */
type CallOf<Tool extends BuiltinTool> = { readonly tool: Tool } & (ReturnType<Descriptors[Tool]['callee']> extends {
  readonly action: infer Action
}
  ? { readonly action: Action }
  : unknown)

/** A call of a built-in tool, as a policy has it. */
export type BuiltinCall = { [Tool in BuiltinTool]: CallOf<Tool> }[BuiltinTool]

/** Rejects a tool without a descriptor, and a descriptor that lacks a fact. */
type Complete = {
  readonly [Tool in BuiltinTool]: Builtin<BuiltinWires[Tool]['item']['type'], Descriptors[Tool]['runBy']>
}

const BUILTINS: Descriptors & Complete = DESCRIPTORS

/** Returns the descriptor of a tool. */
export function builtinNamed(tool: BuiltinTool): Builtin {
  // TypeScript cannot relate the methods of one descriptor to the union of all items.
  return BUILTINS[tool] as Builtin
}

/** Returns the built-in tool that a request tool of this type declares. */
export function builtinOf(type: string): BuiltinTool | undefined {
  const undated = undatedType(type)
  return Object.hasOwn(BUILTINS, undated) ? (undated as BuiltinTool) : undefined
}

/** The tools that a host runs come first, so that `shell` precedes `local_shell`, which has the same recipient. */
export const BUILTIN_TOOLS: readonly BuiltinTool[] = /* @__PURE__ */ (() =>
  (Object.keys(BUILTINS) as BuiltinTool[]).sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1)))()

function rank(tool: BuiltinTool): number {
  return BUILTINS[tool].runBy === 'client' ? 1 : 0
}

/** The possible calls of each recipient. */
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

/** Returns the possible calls of a recipient. If it has several, as the shells' has, the first declared tool gets the call. */
export function builtinsCalled(recipient: string): readonly BuiltinCall[] {
  return CALLS.get(recipient) ?? []
}

/** The recipients of all built-in tools. */
export const BUILTIN_RECIPIENTS: readonly string[] = /* @__PURE__ */ (() => [...CALLS.keys()])()

/**
 * Returns the built-in tool that an MCP server with this label replaces, if the server lists no tools: the model calls
 * the tool, and the server answers.
 */
export function replacedByServer(label: string): BuiltinTool | undefined {
  return BUILTIN_TOOLS.find((tool) => builtinNamed(tool).replacedBy?.label === label)
}

/** Returns the built-in tool whose calls become items of this type. */
export function builtinOfItem(type: string): BuiltinTool | undefined {
  return BUILTIN_TOOLS.find((tool) => builtinNamed(tool).item === type)
}

/** The descriptor of the tool that an item calls. Its methods accept that item, so that callers need no cast. */
interface CalledBuiltin extends Builtin {
  isHosted(item: OutputItem): boolean
  isWaiting(item: OutputItem): boolean
  recipientOf(item: OutputItem): string
  actionOf(item: OutputItem): string | undefined
  asked(item: OutputItem): unknown
}

/** Returns the descriptor of the tool that an item calls. */
export function builtinCalled({ type }: Pick<OutputItem, 'type'>): CalledBuiltin | undefined {
  const tool = builtinOfItem(type)
  return tool && builtinNamed(tool)
}

/** The fields of results that contain a tool's data. Each is a list. */
export const RESULT_DATA: readonly string[] = /* @__PURE__ */ (() =>
  BUILTIN_TOOLS.flatMap((tool) => builtinNamed(tool).data))()

/** Formats the data of a result for the model; undefined if the result has none. */
export function textOfData(result: CallResult, callId: string): string | undefined {
  for (const tool of BUILTIN_TOOLS) {
    const text = builtinNamed(tool).resultText(result, callId)
    if (text !== undefined) return text
  }
  return undefined
}

/** Whether a host runs calls of a tool, under at least one declaration of it. */
function isHostedBuiltin(tool: string): tool is HostedBuiltin {
  return Object.hasOwn(BUILTINS, tool) && BUILTINS[tool as BuiltinTool].runBy !== 'client'
}

/** Whether items of this type are calls of a tool that a host runs. */
export function isHostedBuiltinItem(type: string): type is HostedItemType {
  const tool = builtinOfItem(type)
  return tool !== undefined && isHostedBuiltin(tool)
}

export const HOSTED_BUILTINS: readonly HostedBuiltin[] = /* @__PURE__ */ (() => BUILTIN_TOOLS.filter(isHostedBuiltin))()
