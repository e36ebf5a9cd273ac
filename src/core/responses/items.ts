import type { BuiltinItems, ShellCallOutputItem } from './builtins/index.js'
import type { ItemStatus } from './wire-fields.js'

export type * from './builtins/index.js'
export type { ItemStatus }

/** The output items this library emits, in their wire form. Source: the `openai` 7.59 union and captured streams. */

/**
 * One token of the text with its probability. `bytes` are the token's UTF-8 bytes, which alone may not be text. Events
 * share it, so it is frozen, its lists too: they are not `readonly` here, which the SDK's types would not take.
 */
export interface Logprob {
  readonly token: string
  readonly logprob: number
  readonly bytes: number[]
  readonly top_logprobs: { readonly token: string; readonly logprob: number; readonly bytes: number[] }[]
}

export interface UrlCitation {
  type: 'url_citation'
  url: string
  title: string
  start_index: number
  end_index: number
}

/** The file that a passage of the answer cites. */
export interface FileCitation {
  type: 'file_citation'
  file_id: string
  filename: string
  /** The position of the citation mark, which the text does not contain. In the unit of `start_index`. */
  index: number
}

export type Citation = UrlCitation | FileCitation

export interface OutputText {
  type: 'output_text'
  text: string
  annotations: Citation[]
  logprobs: Logprob[]
}

export interface ReasoningText {
  type: 'reasoning_text'
  text: string
}

export interface SummaryText {
  type: 'summary_text'
  text: string
}

/** A preamble (`commentary`) or the answer (`final_answer`). */
export type Phase = 'commentary' | 'final_answer'

export interface MessageItem {
  type: 'message'
  id: string
  status: ItemStatus
  role: 'assistant'
  phase: Phase
  content: OutputText[]
}

export interface ReasoningItem {
  type: 'reasoning'
  id: string
  status: ItemStatus
  summary: SummaryText[]
  content: ReasoningText[]
  /** The text as the host sealed it; absent until the item is done, or if the request does not include it. */
  encrypted_content?: string
}

export interface FunctionCallItem {
  type: 'function_call'
  id: string
  status: ItemStatus
  call_id: string
  name: string
  /** The namespace in which the tool is declared; absent without one. */
  namespace?: string
  arguments: string
}

export interface CustomToolCallItem {
  type: 'custom_tool_call'
  id: string
  status: ItemStatus
  call_id: string
  name: string
  namespace?: string
  input: string
}

/** A tool of an MCP server, as its listing shows it. */
export interface McpListedTool {
  name: string
  /** Absent, like the annotations, if the server sent none. */
  description?: string
  input_schema: unknown
  annotations?: unknown
}

export interface McpListToolsItem {
  type: 'mcp_list_tools'
  id: string
  server_label: string
  tools: McpListedTool[]
  /** Why the listing failed; absent if it succeeded. */
  error?: string
}

/** A call that needs the user's approval. Added with its complete arguments, and never has a status. */
export interface McpApprovalRequestItem {
  type: 'mcp_approval_request'
  id: string
  arguments: string
  name: string
  server_label: string
}

/** Why an MCP call failed, in the API's three forms. */
export type McpError =
  | { type: 'mcp_protocol_error'; code: number; message: string }
  | { type: 'mcp_tool_execution_error'; content: unknown }
  | { type: 'http_error'; code: number; message: string }

export interface McpCallItem {
  type: 'mcp_call'
  id: string
  status: ItemStatus | 'failed'
  approval_request_id: string | null
  arguments: string
  error: McpError | null
  name: string
  output: string | null
  server_label: string
}

/**
 * Every kind of output item, by its `type`, including those of built-in tools (`builtins/`). The compiler names every place
 * that a new line affects.
 */
export interface OutputItemByType extends BuiltinItems {
  message: MessageItem
  reasoning: ReasoningItem
  function_call: FunctionCallItem
  custom_tool_call: CustomToolCallItem
  mcp_list_tools: McpListToolsItem
  mcp_approval_request: McpApprovalRequestItem
  mcp_call: McpCallItem
  shell_call_output: ShellCallOutputItem
}

export type OutputItem = OutputItemByType[keyof OutputItemByType]
