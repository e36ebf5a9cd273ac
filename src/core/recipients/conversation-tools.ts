import type { InputAdditionalTools } from '../responses/other-input-items.js'
import type { NamespaceTool, ResponseRequest, UnknownTool } from '../responses/request.js'
import { isSameJson } from './same-json.js'
import { undatedType } from './undated-type.js'

/** A list of tools that a request declares. */
export interface ToolList {
  readonly tools: readonly UnknownTool[]
  /** Its path: `tools`, `input[4].tools`. */
  readonly path: string
  /** The index of the item that has it; undefined: `tools` of the request. */
  readonly item?: number
}

/** The types of items that declare tools. */
export const DECLARING: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output'])

/** A request as far as it declares tools. */
export type DeclaringRequest = Pick<ResponseRequest, 'tools' | 'input'>

/**
 * Returns all lists of tools that a request and its conversation declare, in order: `tools`, and those of
 * `additional_tools` and `tool_search_output` that are not empty.
 */
export function toolLists({ tools, input }: DeclaringRequest): ToolList[] {
  const lists: ToolList[] = [{ tools: tools ?? [], path: 'tools' }]
  if (!Array.isArray(input)) return lists
  // A plain loop: this runs several times for a request, over up to 100,000 items.
  for (let index = 0; index < input.length; index++) {
    const item = input[index] as Partial<InputAdditionalTools> | null | undefined
    if (!DECLARING.has(item?.type) || !Array.isArray(item?.tools) || item.tools.length === 0) continue
    lists.push({ tools: item.tools, path: `input[${index}].tools`, item: index })
  }
  return lists
}

/** A request whose `tools` are all that its conversation declares. */
export interface WholeRequest<Request> {
  readonly request: Request
  /** Returns the place in the original request of a path in `tools`: `input[4].tools[0].name` for `tools[2].name`. */
  placeOf(param: string): string
}

/**
 * Returns the request with all tools that its conversation declares in its `tools`. An equal declaration is the same
 * tool; a different one of the same name replaces the earlier one. The same object if there is nothing to add.
 */
export function withConversationTools<Request extends DeclaringRequest>(request: Request): WholeRequest<Request> {
  const lists = toolLists(request)
  const same: WholeRequest<Request> = { request, placeOf: (param) => param }
  if (lists.length === 1 || !Array.isArray(lists[0]?.tools)) return same
  const inForce = inForceOf(lists)
  if (inForce.slice(1).every(({ size }) => size === 0)) return same
  const tools: UnknownTool[] = []
  const places = new Map<string, string>()
  const add = (tool: UnknownTool, place: string): void => {
    places.set(`tools[${tools.length}]`, place)
    tools.push(tool)
  }
  for (const [nth, units] of inForce.entries()) {
    const { tools: all, path } = lists[nth] as ToolList
    for (const [index, tool] of all.entries()) {
      const place = `${path}[${index}]`
      const members = membersOf(tool)
      if (members.length === 0 && units.has(String(index))) add(tool, place)
      const some = [...members.entries()].filter(([at]) => units.has(`${index} ${at}`))
      if (some.length === 0) continue
      for (const [to, [from]] of some.entries()) {
        places.set(`tools[${tools.length}].tools[${to}]`, `${place}.tools[${from}]`)
      }
      const left = { tools: some.map(([, member]) => member) }
      add(some.length === members.length ? tool : { ...tool, ...left }, place)
    }
  }
  return {
    request: { ...request, tools },
    placeOf: (param) => param.replace(/^tools\[\d+\](\.tools\[\d+\])?/, (at) => places.get(at) ?? at),
  }
}

/** The declarations of a list by their indexes: `2`, or `3 0` of a member of a namespace. */
export interface ReadList {
  /** Those of tools that no earlier list declares equally. */
  readonly fresh: ReadonlySet<string>
  /** Those of tools that the first list declares equally, and that no list in between has declared again. */
  readonly again: ReadonlySet<string>
}

/**
 * Returns a function that compares each list of tools with those before.
 *
 * @param partOf - returns the part of a tool that is compared
 * @param onReplaced - called for each declaration that another one replaces
 */
export function declarationReader(
  partOf: (tool: UnknownTool) => unknown,
  onReplaced: (list: number, at: string) => void = () => {},
): (tools: readonly UnknownTool[]) => ReadList {
  const latest = new Map<string, { readonly list: number; readonly units: readonly Unit[]; isRepeated: boolean }>()
  let list = -1
  const compared = ({ tool }: Unit): unknown => partOf(tool)
  return (tools) => {
    list += 1
    const fresh = new Set<string>()
    const again = new Set<string>()
    for (const [key, units] of unitsByKey(tools)) {
      const before = latest.get(key)
      if (before !== undefined && isSameJson(before.units.map(compared), units.map(compared))) {
        if (before.list === 0 && !before.isRepeated) for (const { at } of units) again.add(at)
        before.isRepeated = true
        continue
      }
      for (const { at } of before?.units ?? []) onReplaced(before?.list as number, at)
      for (const { at } of units) fresh.add(at)
      latest.set(key, { list, units, isRepeated: false })
    }
    return { fresh, again }
  }
}

/** Returns for each list which of its declarations are in force. */
function inForceOf(lists: readonly ToolList[]): ReadonlySet<string>[] {
  const replaced = lists.map(() => new Set<string>())
  const read = declarationReader(
    (tool) => tool,
    (list, at) => replaced[list]?.add(at),
  )
  const fresh = lists.map(({ tools }) => [...read(tools).fresh])
  return fresh.map((all, list) => new Set(all.filter((at) => replaced[list]?.has(at) !== true)))
}

interface Unit {
  readonly at: string
  readonly tool: UnknownTool
}

/** Maps what identifies a tool to its declarations: entries for one MCP server are merged. */
function unitsByKey(tools: readonly UnknownTool[]): ReadonlyMap<string, readonly Unit[]> {
  const units = new Map<string, Unit[]>()
  const add = (unit: Unit, namespace?: UnknownTool): void => {
    const key = JSON.stringify(keyOf(unit.tool, namespace))
    const others = units.get(key)
    if (others === undefined) units.set(key, [unit])
    else others.push(unit)
  }
  for (const [index, tool] of tools.entries()) {
    const members = membersOf(tool)
    if (members.length === 0) add({ at: String(index), tool })
    for (const [at, member] of members.entries()) add({ at: `${index} ${at}`, tool: member }, tool)
  }
  return units
}

function membersOf(tool: UnknownTool): readonly UnknownTool[] {
  const { type, tools } = Object(tool) as Partial<NamespaceTool>
  return type === 'namespace' && Array.isArray(tools) ? tools : []
}

function keyOf(tool: UnknownTool, namespace?: UnknownTool): readonly unknown[] {
  const [type, name, label] = ['type', 'name', 'server_label'].map((field) => textIn(tool, field))
  if (type === 'function' || type === 'custom') return ['tool', textIn(namespace, 'name'), name]
  return type === 'mcp' ? [type, label] : [undatedType(type ?? ''), name]
}

function textIn(tool: unknown, field: string): string | null {
  const value = (Object(tool) as { readonly [field: string]: unknown })[field]
  return typeof value === 'string' ? value : null
}
