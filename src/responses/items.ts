/** The output items this library emits, in their wire form. Source: the `openai` 7.55 union and captured streams. */

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** One token of the text with its probability. `bytes` are the token's UTF-8 bytes, which alone may not be text. */
export interface Logprob {
  token: string
  logprob: number
  bytes: number[]
  top_logprobs: { token: string; logprob: number; bytes: number[] }[]
}

export interface UrlCitation {
  type: 'url_citation'
  url: string
  title: string
  start_index: number
  end_index: number
}

export interface OutputText {
  type: 'output_text'
  text: string
  annotations: UrlCitation[]
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
}

export interface FunctionCallItem {
  type: 'function_call'
  id: string
  status: ItemStatus
  call_id: string
  name: string
  arguments: string
}

export interface CustomToolCallItem {
  type: 'custom_tool_call'
  id: string
  status: ItemStatus
  call_id: string
  name: string
  input: string
}

/** Why an MCP call failed, in the three forms the API knows. */
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

export type CodeOutput = { type: 'logs'; logs: string } | { type: 'image'; url: string }

export interface CodeInterpreterCallItem {
  type: 'code_interpreter_call'
  id: string
  status: ItemStatus | 'interpreting' | 'failed'
  code: string
  container_id: string
  outputs: CodeOutput[] | null
}

export type OutputItem =
  | MessageItem
  | ReasoningItem
  | FunctionCallItem
  | CustomToolCallItem
  | McpCallItem
  | CodeInterpreterCallItem
