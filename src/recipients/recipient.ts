/** What a model's message addresses, and so the kind of output item it becomes. */
export type Recipient =
  /** No recipient, channel `analysis`. */
  | { kind: 'reasoning' }
  /** No recipient, any other channel: `commentary` is a preamble, everything else the answer. */
  | { kind: 'message'; phase: 'commentary' | 'final_answer' }
  /** `declared` is false where the request has no such function. */
  | { kind: 'function_call'; name: string; declared: boolean }
  | { kind: 'custom_tool_call'; name: string }
  /** `available` is false where `allowed_tools` leaves the tool out, and where the policy says so of undeclared tools. */
  | { kind: 'mcp_call'; serverLabel: string; name: string; available: boolean }
  | { kind: 'code_interpreter_call' }
  | { kind: 'web_search_call'; action: 'search' | 'open_page' | 'find_in_page' }
  /** `tool` is the declared tool that runs the commands: the host's shell or the client's. */
  | { kind: 'shell_call'; tool: 'shell' | 'local_shell' }

/**
 * The callee as a string: equal for two spellings of the same callee (`github.search`, `mcp.github.search`), different
 * for any two callees. It pairs a tool result, by its author, with the pending call that it answers.
 */
export function recipientKey(recipient: Recipient): string {
  return JSON.stringify(recipient, CALLEE)
}

/** What tells callees apart, in one order. Whether a tool is declared or available does not. */
const CALLEE = ['kind', 'phase', 'name', 'serverLabel', 'action', 'tool']
