/**
 * The items of a client's `input`: the conversation so far. `type` narrows an item; a message may omit it. Source: the
 * `openai` 7.59 union, and requests of Codex, the AI SDK, the Agents SDK and LangChain.
 */

import type { InputContent } from './input-content.js'
import type { InputCaller, InputCallFields, InputItemFields, InputStatus } from './input-status.js'
import type { McpError, McpListedTool } from './items.js'
import type { InputOtherItem } from './other-input-items.js'

/** A message of any role. Clients may omit its `type`. */
export interface InputMessage extends InputItemFields {
  readonly type?: 'message'
  readonly role: 'user' | 'assistant' | 'system' | 'developer'
  readonly content: string | readonly InputContent[]
  /**
   * Whether an assistant's message is a preamble or the answer. Send it back: without it, only a preamble before a call
   * is recognized.
   */
  readonly phase?: 'commentary' | 'final_answer' | null
}

/** The model's earlier reasoning: as text, or as the server sealed it (`encrypted_content`). */
export interface InputReasoning extends InputItemFields {
  readonly type: 'reasoning'
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[]
  readonly content?: readonly { readonly type: 'reasoning_text'; readonly text: string }[] | null
  readonly encrypted_content?: string | null
}

/** A call of the client's function that the model made. `arguments` is JSON, as the model wrote it. */
export interface InputFunctionCall extends InputCallFields {
  readonly type: 'function_call'
  readonly name: string
  readonly namespace?: string | null
  readonly arguments: string
  readonly async?: boolean | null
}

/** The result of the client's function. */
export interface InputFunctionCallOutput extends InputItemFields {
  readonly type: 'function_call_output'
  readonly call_id?: string | null
  readonly output: string | readonly InputContent[]
  /** The function's name and namespace, which the call has too. */
  readonly name?: string | null
  readonly namespace?: string | null
  readonly caller?: InputCaller | null
}

/** A call of the client's custom tool that the model made. */
export interface InputCustomToolCall extends InputCallFields {
  readonly type: 'custom_tool_call'
  readonly name: string
  readonly namespace?: string | null
  readonly input: string
  readonly async?: boolean | null
}

/** The result of the client's custom tool. */
export interface InputCustomToolCallOutput extends InputCallFields {
  readonly type: 'custom_tool_call_output'
  readonly output: string | readonly InputContent[]
}

/** The tools that an MCP server listed before, so that it is not asked again. */
export interface InputMcpListTools {
  readonly type: 'mcp_list_tools'
  readonly id?: string | null
  readonly server_label: string
  readonly tools: readonly (Omit<McpListedTool, 'description'> & { readonly description?: string | null })[]
  readonly error?: string | null
}

/** A call of an MCP server's tool that the host ran, with its result. */
export interface InputMcpCall extends InputItemFields {
  readonly type: 'mcp_call'
  readonly server_label: string
  readonly name: string
  readonly arguments: string
  readonly approval_request_id?: string | null
  readonly output?: string | null
  /** A string in older SDKs. */
  readonly error?: Readonly<McpError> | string | null
}

/** A call that waited for approval. An `mcp_approval_response` with its id follows. */
export interface InputMcpApprovalRequest {
  readonly type: 'mcp_approval_request'
  readonly id: string
  readonly server_label: string
  readonly name: string
  readonly arguments: string
}

/** Whether the user approved a call. */
export interface InputMcpApprovalResponse {
  readonly type: 'mcp_approval_response'
  readonly id?: string | null
  readonly approval_request_id: string
  readonly approve: boolean
  readonly reason?: string | null
}

/** Code that the host ran, with its outputs. */
export interface InputCodeInterpreterCall extends InputItemFields {
  readonly type: 'code_interpreter_call'
  readonly code: string | null
  readonly container_id: string
  readonly outputs:
    | readonly ({ readonly type: 'logs'; readonly logs: string } | { readonly type: 'image'; readonly url: string })[]
    | null
}

/** The action of a web search. */
export type InputWebSearchAction =
  | {
      readonly type: 'search'
      readonly query?: string | null
      readonly queries?: readonly string[] | null
      readonly sources?: readonly { readonly type: 'url'; readonly url: string }[] | null
    }
  | { readonly type: 'open_page'; readonly url?: string | null }
  | { readonly type: 'find_in_page'; readonly url: string; readonly pattern: string }
  /** Codex sends this for actions that it does not know. */
  | { readonly type: 'other' }

/** Codex omits the id, and an action that it does not know. */
export interface InputWebSearchCall extends InputItemFields {
  readonly type: 'web_search_call'
  readonly action?: InputWebSearchAction | null
}

/** Commands that the model wrote for a shell. `timeout_ms` is in milliseconds, `max_output_length` in characters. */
export interface InputShellCall extends InputCallFields {
  readonly type: 'shell_call'
  readonly action: {
    readonly commands: readonly string[]
    readonly max_output_length?: number | null
    readonly timeout_ms?: number | null
  }
  readonly environment?: { readonly type: string; readonly container_id?: string } | null
}

/** The result of a shell call: one output for each command. */
export interface InputShellCallOutput extends InputCallFields {
  readonly type: 'shell_call_output'
  readonly output: readonly {
    readonly stdout: string
    readonly stderr: string
    readonly outcome: { readonly type: 'timeout' } | { readonly type: 'exit'; readonly exit_code: number }
  }[]
  readonly max_output_length?: number | null
}

/** A command that the model wrote for the client's machine. `timeout_ms` is in milliseconds. */
export interface InputLocalShellCall extends InputItemFields {
  readonly type: 'local_shell_call'
  readonly call_id: string
  readonly action: {
    readonly type: 'exec'
    readonly command: readonly string[]
    readonly env?: { readonly [name: string]: string } | null
    readonly timeout_ms?: number | null
    readonly user?: string | null
    readonly working_directory?: string | null
  }
}

/** The result of a command on the client's machine. */
export interface InputLocalShellCallOutput {
  readonly type: 'local_shell_call_output'
  /** The call's `call_id`, if the item has none of its own: OpenAI's type has only this field. */
  readonly id?: string | null
  /** The call's, as the AI SDK and the Agents SDK for Python send it. */
  readonly call_id?: string | null
  readonly output: string
  readonly status?: InputStatus | null
}

/** A reference to an earlier item by its id, for servers that store responses. */
export interface InputItemReference {
  readonly type?: 'item_reference' | null
  readonly id: string
}

/** An item of the conversation. `type` narrows it; without one it is a message, or a reference if it has no role. */
export type InputItem =
  | InputMessage
  | InputReasoning
  | InputFunctionCall
  | InputFunctionCallOutput
  | InputCustomToolCall
  | InputCustomToolCallOutput
  | InputMcpListTools
  | InputMcpCall
  | InputMcpApprovalRequest
  | InputMcpApprovalResponse
  | InputCodeInterpreterCall
  | InputWebSearchCall
  | InputShellCall
  | InputShellCallOutput
  | InputLocalShellCall
  | InputLocalShellCallOutput
  | InputItemReference
  | InputOtherItem
