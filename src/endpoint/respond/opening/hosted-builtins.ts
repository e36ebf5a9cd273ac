import {
  type BuiltinTool,
  builtinNamed,
  HOSTED_BUILTINS,
  type HostedBuiltin,
} from '../../../core/recipients/builtin-tools.js'
import type { UnknownTool } from '../../../core/responses/request.js'
import { shortened } from '../../../shared/shortened.js'
import type { HostedCall, Tool } from '../../tools/tool.js'

/** The most fields that are named, and the longest name: clients may write them. */
const MAX_IGNORED = 8
const MAX_IGNORED_NAME = 100

/** Returns the built-in tools that the host runs: one of its tools answers an empty call of each. */
export function hostedBuiltins(tools: readonly Tool[], onError: (error: unknown) => void): readonly HostedBuiltin[] {
  return HOSTED_BUILTINS.filter((builtin) => isAnswered(builtinNamed(builtin).example as HostedCall, tools, onError))
}

/** Whether the host runs the calls of an MCP server that lists nothing, because it replaces a built-in tool. */
export function isReplacementHosted(
  serverLabel: string,
  replaced: BuiltinTool,
  tools: readonly Tool[],
  onError: (error: unknown) => void,
): boolean {
  const name = builtinNamed(replaced).replacedBy?.tool ?? ''
  const example = { type: 'mcp_call', id: '', status: 'in_progress', arguments: '', name } as const
  const call = { ...example, server_label: serverLabel, approval_request_id: null, error: null, output: null }
  return isAnswered(call, tools, onError)
}

/** Returns what the host's tools do not regard of those that a request declares: `web_search: user_location.city`. */
export function ignoredFields(
  declared: readonly UnknownTool[],
  tools: readonly Tool[],
  onError: (error: unknown) => void,
): readonly string[] {
  const fieldsOf = (declaration: UnknownTool, tool: Tool): readonly string[] => {
    try {
      return tool.ignores?.(structuredClone(declaration)) ?? []
    } catch (error) {
      onError(error)
      return []
    }
  }
  const named = new Set<string>()
  for (const one of declared) {
    for (const tool of tools) {
      for (const field of fieldsOf(one, tool)) {
        const name = shortened(`${one.type}: ${field}`, MAX_IGNORED_NAME)
        if (named.size === MAX_IGNORED && !named.has(name)) return [...named, 'other fields of tools']
        named.add(name)
      }
    }
  }
  return [...named]
}

/** A tool that throws here would fail at the call, too. */
function isAnswered(call: HostedCall, tools: readonly Tool[], onError: (error: unknown) => void): boolean {
  try {
    return tools.some((tool) => tool.answers(structuredClone(call)))
  } catch (error) {
    onError(error)
    return false
  }
}
