/** What a model's message addresses, and so the kind of output item it becomes. */
export type Recipient =
  /** No recipient, channel `analysis`. */
  | { kind: 'reasoning' }
  /** No recipient, any other channel: `commentary` is a preamble, everything else the answer. */
  | { kind: 'message'; phase: 'commentary' | 'final_answer' }
  /**
   * `declared` is false where the request has no such function. `namespace` is there where one of that name is
   * declared.
   */
  | { kind: 'function_call'; name: string; namespace?: string; declared: boolean }
  | { kind: 'custom_tool_call'; name: string; namespace?: string }
  /**
   * `available` is false where `allowed_tools` leaves the tool out, and where the policy says so of undeclared tools.
   */
  | { kind: 'mcp_call'; serverLabel: string; name: string; available: boolean }
  /** A tool whose calls the user has to approve first. */
  | { kind: 'mcp_approval_request'; serverLabel: string; name: string }
  | { kind: 'code_interpreter_call' }
  | { kind: 'web_search_call'; action: 'search' | 'open_page' | 'find_in_page' }
  /** In a container of the host's the host runs the commands; anywhere else the client does. */
  | { kind: 'shell_call'; environment: 'container' | 'local' | null }
  | { kind: 'local_shell_call' }

/**
 * The callee as a string: equal for two spellings of the same callee (`github.search`, `mcp.github.search`), different
 * for any two callees. It pairs a tool result, by its author, with the pending call that it answers.
 */
export function recipientKey(recipient: { readonly kind: string }): string {
  // Whether a tool is declared or available does not tell callees apart.
  const { kind, name, namespace, serverLabel, action } = recipient as {
    readonly kind: string
    readonly [field: string]: unknown
  }
  // A call that was approved is answered by the tool that calls of it have to be approved of.
  const type = kind === 'mcp_approval_request' ? 'mcp_call' : kind
  return JSON.stringify([type, name, serverLabel ?? namespace, action])
}
