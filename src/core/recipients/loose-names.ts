import { MCP, nameIn } from '../harmony/namespaces.js'
import { CONTENT_TYPES } from '../harmony/vocabulary.js'
import { classifyRecipient } from './classify.js'
import type { DeclaredFunctions, DeclaredTools } from './declared-tools.js'
import type { RecipientPolicy } from './policy.js'
import { type Recipient, recipientKey } from './recipient.js'
import { addressOf, functionSpellings, mcpSpellings } from './spellings.js'
import type { Listed } from './tool-hints.js'

/** A tool that a recipient may mean, and the name under which it is taught. */
export interface NamedTool {
  readonly callee: Recipient
  readonly name: string
}

/**
 * Finds the declared tools that an unknown recipient may mean. Models write `__` for a dot, `mcp__` in front of a
 * server or a namespace, `functions.` in front of anything, and a tool's name alone:
 *
 *     mcp__docs__lookup   functions.mcp__docs__lookup   functions.docs.lookup   lookup   functions.lookup
 *
 * for `mcp__docs.lookup` of a namespace, or for `docs.lookup` of a server. They also write another case, `-` for `_` and
 * `function.`, and engines lose the `<|constrain|>` before a content type:
 *
 *     functions.Get-Weather   function.get_weather   functions.get_weatherjson
 *
 * @param listings - the listings of the declared servers; the bare names of other servers' tools are unknown
 */
export function looseNames(
  tools: DeclaredTools,
  policy: RecipientPolicy,
  listings: readonly Listed[],
): (recipient: string) => readonly NamedTool[] {
  // Built at the first look-up: most models write the names that they are taught.
  let index: Index | undefined
  const named = (recipient: string): readonly NamedTool[] => {
    index ??= indexOf(tools, policy, listings)
    const path = recipient.replace(FUNCTIONS_PREFIX, '')
    for (const [map, keyOf] of [
      [index.exact, sameKey],
      [index.folded, foldedKey],
    ] as const) {
      const found = new Map<string, NamedTool>()
      for (const key of keysOf(path)) {
        for (const tool of map.get(keyOf(key)) ?? []) found.set(recipientKey(tool.callee), tool)
      }
      if (found.size > 0) return [...found.values()]
    }
    return []
  }
  return (recipient) => {
    const found = named(recipient)
    if (found.length > 0) return found
    const untyped = withoutType(recipient)
    const calledBuiltin = untyped !== undefined && policy.order.includes('builtins')
    const builtin = calledBuiltin ? tools.matchBuiltin(untyped, policy) : undefined
    if (untyped !== undefined && builtin !== undefined) return [{ callee: builtin, name: untyped }]
    const without = untyped === undefined ? [] : named(untyped)
    return without.length > 0 ? without : unlisted(recipient.replace(FUNCTIONS_PREFIX, ''), tools, policy)
  }
}

/** `functions.` in any case, with or without its last letter. */
const FUNCTIONS_PREFIX = /^functions?\./i

/** Returns a recipient without a content type at its end: engines lose the `<|constrain|>` of `shell<|constrain|>json`. */
function withoutType(recipient: string): string | undefined {
  const type = CONTENT_TYPES.find((name) => recipient.endsWith(name) && recipient.length > name.length)
  return type && recipient.slice(0, -type.length)
}

/** The tools by the keys of their names, whole and bare: as written, and in lower case with `_` for `-`. */
interface Index {
  readonly exact: ReadonlyMap<string, readonly NamedTool[]>
  readonly folded: ReadonlyMap<string, readonly NamedTool[]>
}

const sameKey = (key: string): string => key

function foldedKey(key: string): string {
  return key.toLowerCase().replaceAll('-', '_')
}

/** Returns the name with dots for `__`, and the same without a leading `mcp`. */
function keysOf(path: string): Set<string> {
  const key = path.replaceAll('__', '.')
  return new Set([key, nameIn(MCP, key) ?? key])
}

function indexOf(tools: DeclaredTools, policy: RecipientPolicy, listings: readonly Listed[]): Index {
  const [exact, folded] = [new Map<string, NamedTool[]>(), new Map<string, NamedTool[]>()]
  const add = (callee: Recipient, spellings: readonly string[], names: readonly string[]): void => {
    const name = addressOf(callee, spellings, tools, policy)
    if (name === undefined) return
    // Classified, since the request may exclude it or require an approval.
    const tool = { callee: classifyRecipient(name, undefined, tools, policy), name }
    for (const key of new Set(names.flatMap((one) => [...keysOf(one)]))) {
      for (const [map, of] of [
        [exact, key],
        [folded, foldedKey(key)],
      ] as const) {
        const others = map.get(of)
        if (others === undefined) map.set(of, [tool])
        else others.push(tool)
      }
    }
  }
  const addFunctions = ({ functions, customTools }: DeclaredFunctions, namespace?: string): void => {
    const at = namespace === undefined ? {} : { namespace }
    const namesOf = (name: string): string[] => [name, ...(namespace === undefined ? [] : [`${namespace}.${name}`])]
    for (const name of functions) {
      add({ kind: 'function_call', name, ...at, declared: true }, functionSpellings(name, namespace), namesOf(name))
    }
    for (const name of customTools) {
      add({ kind: 'custom_tool_call', name, ...at }, functionSpellings(name, namespace), namesOf(name))
    }
  }
  addFunctions(tools)
  for (const [name, inside] of tools.namespaces) addFunctions(inside, name)
  for (const { serverLabel, tools: listed = [], error } of listings) {
    if (error != null || !tools.mcpServers.has(serverLabel)) continue
    for (const { name } of listed) {
      const callee = { kind: 'mcp_call', serverLabel, name, available: true } as const
      add(callee, mcpSpellings(serverLabel, name), [name, `${serverLabel}.${name}`])
    }
  }
  return { exact, folded }
}

/** Returns the tool of a declared server by the server's label, listed or not. The longest label wins. */
function unlisted(path: string, tools: DeclaredTools, policy: RecipientPolicy): readonly NamedTool[] {
  const rest = path.replace(/^mcp(__|\.)/, '')
  const labels = [...tools.mcpServers.keys()].sort((a, b) => b.length - a.length)
  for (const label of labels) {
    const name = [`${label}__`, `${label}.`].flatMap((start) =>
      rest.startsWith(start) ? [rest.slice(start.length)] : [],
    )
    const callee = { kind: 'mcp_call', serverLabel: label, name: name[0] ?? '', available: true } as const
    const address = callee.name === '' ? undefined : addressOf(callee, mcpSpellings(label, callee.name), tools, policy)
    if (address !== undefined) {
      return [{ callee: classifyRecipient(address, undefined, tools, policy), name: address }]
    }
  }
  return []
}
