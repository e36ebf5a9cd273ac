import type { BuiltinCallee } from './builtin-tools.js'

/** How a callee was found that the model called by another name. @inline */
interface Misspelled {
  /** The recipient as the model wrote it; absent if it is a name of the callee. */
  readonly written?: string
}

/** The addressee of a model's message, which determines the kind of its output item. */
export type Recipient =
  /** No recipient, channel `analysis`. */
  | { kind: 'reasoning' }
  /** No recipient, any other channel: `commentary` is a preamble, everything else is the answer. */
  | { kind: 'message'; phase: 'commentary' | 'final_answer' }
  /** `declared` is false if the request has no such function. `namespace` is set if that namespace is declared. */
  | ({ kind: 'function_call'; name: string; namespace?: string; declared: boolean } & Misspelled)
  /** A custom tool of the request. */
  | ({ kind: 'custom_tool_call'; name: string; namespace?: string } & Misspelled)
  /**
   * `available` is false if the request excludes the tool, its server does not list it, or the policy makes undeclared
   * tools unavailable. `candidates` are the names of the tools that the model may have meant.
   */
  | ({
      kind: 'mcp_call'
      serverLabel: string
      name: string
      available: boolean
      candidates?: readonly string[]
    } & Misspelled)
  /** A tool whose calls need the user's approval. */
  | ({ kind: 'mcp_approval_request'; serverLabel: string; name: string } & Misspelled)
  /**
   * A built-in tool: `kind` is the type of its item. A web search has its `action`, a shell call its `environment`: the
   * host's `container`, the client's machine (`local`), or null if the request does not say.
   */
  | BuiltinCallee

/**
 * Returns the callee as a string: equal for two spellings of the same callee (`github.search`, `mcp.github.search`),
 * different for different callees. Matches a tool result, by its author, with the waiting call.
 */
export function recipientKey(recipient: { readonly kind: string }): string {
  // `declared` and `available` do not distinguish callees.
  const { kind, name, namespace, serverLabel, action } = recipient as {
    readonly kind: string
    readonly [field: string]: unknown
  }
  // The result of an approved call comes from a tool whose calls need approval.
  const type = kind === 'mcp_approval_request' ? 'mcp_call' : kind
  return JSON.stringify([type, name, serverLabel ?? namespace, action])
}
