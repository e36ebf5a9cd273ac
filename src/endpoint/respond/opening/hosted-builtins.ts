import {
  type BuiltinTool,
  builtinNamed,
  HOSTED_BUILTINS,
  type HostedBuiltin,
} from '../../../core/recipients/builtin-tools.js'
import type { UnknownTool } from '../../../core/responses/request.js'
import type { HostedCall, Tool } from '../../tools/tool.js'

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
  return declared.flatMap((one) => tools.flatMap((tool) => fieldsOf(one, tool).map((field) => `${one.type}: ${field}`)))
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
