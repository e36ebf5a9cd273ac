/**
 * What a client sends as `input`: the conversation so far. `type` narrows an item; a message may leave it out. Source:
 * the `openai` 7.57 union, and what Codex, the AI SDK, the Agents SDK and LangChain send.
 */

import type { LocalShellCallItem, McpListedTool } from './items.js'

export interface InputText {
  readonly type: 'input_text'
  readonly text: string
}

export interface InputImage {
  readonly type: 'input_image'
  readonly detail?: string | null
  readonly image_url?: string | null
  readonly file_id?: string | null
}

export interface InputFile {
  readonly type: 'input_file'
  readonly file_id?: string | null
  readonly file_url?: string | null
  readonly file_data?: string | null
  readonly filename?: string | null
}

/** Text of an assistant's earlier message. */
export interface InputOutputText {
  readonly type: 'output_text'
  readonly text: string
}

export interface InputRefusal {
  readonly type: 'refusal'
  readonly refusal: string
}

export type InputContent = InputText | InputImage | InputFile | InputOutputText | InputRefusal

/** A message of any role. Clients leave out its `type`. */
export interface InputMessage {
  readonly type?: 'message'
  readonly id?: string | null
  readonly role: 'user' | 'assistant' | 'system' | 'developer'
  readonly content: string | readonly InputContent[]
  /** Of an assistant's message: a preamble or the answer. Send it back: without it, a preamble reads as an answer. */
  readonly phase?: 'commentary' | 'final_answer' | null
}

export interface InputReasoning {
  readonly type: 'reasoning'
  readonly id?: string | null
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[]
  readonly content?: readonly { readonly type: 'reasoning_text'; readonly text: string }[] | null
  readonly encrypted_content?: string | null
}

export interface InputFunctionCall {
  readonly type: 'function_call'
  readonly id?: string | null
  readonly call_id: string
  readonly name: string
  readonly namespace?: string | null
  readonly arguments: string
}

/** What the client's function returned. */
export interface InputFunctionCallOutput {
  readonly type: 'function_call_output'
  readonly id?: string | null
  readonly call_id?: string | null
  readonly output: string | readonly InputContent[]
}

export interface InputCustomToolCall {
  readonly type: 'custom_tool_call'
  readonly id?: string | null
  readonly call_id: string
  readonly name: string
  readonly namespace?: string | null
  readonly input: string
}

export interface InputCustomToolCallOutput {
  readonly type: 'custom_tool_call_output'
  readonly id?: string | null
  readonly call_id: string
  readonly output: string | readonly InputContent[]
}

export interface InputMcpListTools {
  readonly type: 'mcp_list_tools'
  readonly id: string
  readonly server_label: string
  readonly tools: readonly (Omit<McpListedTool, 'description'> & { readonly description?: string | null })[]
  readonly error?: string | null
}

export interface InputMcpCall {
  readonly type: 'mcp_call'
  readonly id: string
  readonly server_label: string
  readonly name: string
  readonly arguments: string
  readonly approval_request_id?: string | null
  readonly output?: string | null
  readonly error?: unknown
}

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

export interface InputCodeInterpreterCall {
  readonly type: 'code_interpreter_call'
  readonly id: string
  readonly code: string | null
  readonly container_id: string
  readonly outputs: readonly unknown[] | null
}

export interface InputWebSearchCall {
  readonly type: 'web_search_call'
  readonly id: string
  readonly action: { readonly type: string }
}

export interface InputShellCall {
  readonly type: 'shell_call'
  readonly id?: string | null
  readonly call_id: string
  readonly action: { readonly commands: readonly string[] }
}

export interface InputShellCallOutput {
  readonly type: 'shell_call_output'
  readonly id?: string | null
  readonly call_id: string
  readonly output: readonly { readonly stdout: string; readonly stderr: string; readonly outcome: unknown }[]
}

export interface InputLocalShellCall {
  readonly type: 'local_shell_call'
  readonly id: string
  readonly call_id: string
  readonly action: Readonly<Pick<LocalShellCallItem['action'], 'type' | 'env'>> & {
    readonly command: readonly string[]
  }
}

export interface InputLocalShellCallOutput {
  readonly type: 'local_shell_call_output'
  readonly id: string
  readonly output: string
}

/** An earlier item by its id, of a server that stores responses. */
export interface InputItemReference {
  readonly type?: 'item_reference' | null
  readonly id: string
}

/** Items of tools that gpt-oss was not trained on, and of the API's own context management. */
export interface InputOtherItem {
  readonly type:
    | 'additional_tools'
    | 'apply_patch_call'
    | 'apply_patch_call_output'
    | 'compaction'
    | 'compaction_trigger'
    | 'computer_call'
    | 'computer_call_output'
    | 'configuration_update'
    | 'file_search_call'
    | 'image_generation_call'
    | 'program'
    | 'program_output'
    | 'tool_search_call'
    | 'tool_search_output'
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
