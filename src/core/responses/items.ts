import type { BuiltinItems, ShellCallOutputItem } from './builtins/index.js'
import type { ItemFields, ItemStatus } from './wire-fields.js'

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

/**
 * A source that a passage of the answer cites. The passage is `text` from `start_index` (included) to `end_index`
 * (excluded), in
 * Unicode code points unless the host chose another unit (`urlCitations`).
 */
export interface UrlCitation {
  type: 'url_citation'
  url: string
  title: string
  start_index: number
  end_index: number
  /** The text of the cited lines, at most 150 characters, which the API does not have: `web_search_call.results` adds it. */
  cited_text?: string
}

/** The file that a passage of the answer cites. */
export interface FileCitation {
  type: 'file_citation'
  file_id: string
  filename: string
  /** The position of the citation mark, which the text does not contain. In the unit of `start_index`. */
  index: number
}

/** A source of a passage of the answer. `type` narrows it. */
export type Citation = UrlCitation | FileCitation

/** A part of an answer. `logprobs` has one entry for each token, or none if the request does not include them. */
export interface OutputText {
  type: 'output_text'
  text: string
  annotations: Citation[]
  logprobs: Logprob[]
}

/** A part of the model's raw reasoning. */
export interface ReasoningText {
  type: 'reasoning_text'
  text: string
}

/** A part of the summary of reasoning. */
export interface SummaryText {
  type: 'summary_text'
  text: string
}

/** A preamble (`commentary`) or the answer (`final_answer`). */
export type Phase = 'commentary' | 'final_answer'

/** A message of the model's: a preamble or the answer. */
export interface MessageItem extends ItemFields {
  type: 'message'
  role: 'assistant'
  phase: Phase
  content: OutputText[]
}

/** The model's reasoning: its text in `content`, or in `summary` if the request asks for a summary, or in neither. */
export interface ReasoningItem extends ItemFields {
  type: 'reasoning'
  summary: SummaryText[]
  content: ReasoningText[]
  /** The text as the host sealed it; absent until the item is done, or if the request does not include it. */
  encrypted_content?: string
}

/** A call of the client's function. `arguments` is what the model wrote: JSON, but for its mistakes. */
export interface FunctionCallItem extends ItemFields {
  type: 'function_call'
  call_id: string
  name: string
  /** The namespace in which the tool is declared; absent without one. */
  namespace?: string
  arguments: string
}

/** A call of the client's custom tool, whose `input` is free text. */
export interface CustomToolCallItem extends ItemFields {
  type: 'custom_tool_call'
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

/** The tools of an MCP server, as it listed them. */
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

/** A call of an MCP server's tool, which the host runs. `output` is null until it has a result, and if it failed. */
export interface McpCallItem extends ItemFields<'failed'> {
  type: 'mcp_call'
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

/** An item of the output. `type` narrows it. */
export type OutputItem = OutputItemByType[keyof OutputItemByType]
