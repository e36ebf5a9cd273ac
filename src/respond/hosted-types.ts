import { type HostedBuiltin, isHostedBuiltin } from '../prompt/untaught-tools.js'
import type { BuiltinTool } from '../recipients/builtin-tools.js'
import type { HostedCall, Tool } from '../tools/tool.js'

/** A call of each built-in tool as a tool is asked about it before the model is: with nothing in it. */
const EXAMPLES: { readonly [Builtin in HostedBuiltin]: HostedCall } = {
  code_interpreter: {
    type: 'code_interpreter_call',
    id: '',
    status: 'interpreting',
    code: '',
    container_id: '',
    outputs: null,
  },
  web_search: { type: 'web_search_call', id: '', status: 'searching', action: { type: 'search', query: '' } },
  shell: {
    type: 'shell_call',
    id: '',
    status: 'completed',
    call_id: '',
    action: { commands: [], timeout_ms: null, max_output_length: null },
    environment: { type: 'container_reference', container_id: '' },
  },
}

/** The built-in tools that the host runs: those of which one of its tools answers an empty call. */
export function hostedBuiltins(tools: readonly Tool[], onError: (error: unknown) => void): readonly HostedBuiltin[] {
  return Object.keys(EXAMPLES)
    .filter(isHostedBuiltin)
    .filter((builtin) => isAnswered(EXAMPLES[builtin], tools, onError))
}

/** The tool of an MCP server by which it replaces a built-in tool. None replaces the client's patches. */
const REPLACING: { readonly [Builtin in BuiltinTool]: string } = {
  code_interpreter: 'python',
  web_search: 'search',
  shell: 'exec',
  local_shell: 'exec',
  apply_patch: '',
}

/** Whether the host runs the calls of an MCP server that lists nothing, because it replaces a built-in tool. */
export function isReplacementHosted(
  serverLabel: string,
  replaced: BuiltinTool,
  tools: readonly Tool[],
  onError: (error: unknown) => void,
): boolean {
  const example = { type: 'mcp_call', id: '', status: 'in_progress', arguments: '', name: REPLACING[replaced] } as const
  const call = { ...example, server_label: serverLabel, approval_request_id: null, error: null, output: null }
  return isAnswered(call, tools, onError)
}

/** A tool that throws would fail at the call, too. */
function isAnswered(call: HostedCall, tools: readonly Tool[], onError: (error: unknown) => void): boolean {
  try {
    return tools.some((tool) => tool.answers(structuredClone(call)))
  } catch (error) {
    onError(error)
    return false
  }
}
