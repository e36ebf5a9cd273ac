/** The output items this library emits, in their wire form. Source: the `openai` 7.57 union and captured streams. */

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

export type CodeOutput = { type: 'logs'; logs: string } | { type: 'image'; url: string }

export interface CodeInterpreterCallItem {
  type: 'code_interpreter_call'
  id: string
  status: ItemStatus | 'interpreting' | 'failed'
  code: string
  container_id: string
  outputs: CodeOutput[] | null
}

/** The action of a web search. Fields that the model omitted and unknown page addresses are empty. */
export type WebSearchAction =
  | { type: 'search'; query: string; sources?: { type: 'url'; url: string }[] }
  | { type: 'open_page'; url: string }
  | { type: 'find_in_page'; pattern: string; url: string }

export interface WebSearchCallItem {
  type: 'web_search_call'
  id: string
  status: ItemStatus | 'searching' | 'failed'
  action: WebSearchAction
}

/** Where shell commands run: in a container of the host's, or on the client's machine. */
export type ShellEnvironment = { type: 'container_reference'; container_id: string } | { type: 'local' }

export interface ShellCallItem {
  type: 'shell_call'
  id: string
  status: ItemStatus
  call_id: string
  action: {
    commands: string[]
    /** Milliseconds. */
    timeout_ms: number | null
    /** Characters. */
    max_output_length: number | null
  }
  environment: ShellEnvironment | null
}

/** The output and the outcome of one command of a shell call. */
export interface ShellOutput {
  stdout: string
  stderr: string
  outcome: { type: 'exit'; exit_code: number } | { type: 'timeout' }
}

export interface ShellCallOutputItem {
  type: 'shell_call_output'
  id: string
  status: ItemStatus
  /** `call_id` of the shell call that it answers. */
  call_id: string
  output: ShellOutput[]
  max_output_length: number | null
}

export interface LocalShellCallItem {
  type: 'local_shell_call'
  id: string
  status: ItemStatus
  call_id: string
  action: {
    type: 'exec'
    command: string[]
    env: { [name: string]: string }
    timeout_ms?: number | null
    user?: string | null
    working_directory?: string | null
  }
}

/** A change of one file. The diff has the V4A format: for a new file, all its lines, each after a `+`. */
export type PatchOperation =
  | { type: 'create_file' | 'update_file'; path: string; diff: string }
  | { type: 'delete_file'; path: string }

export interface ApplyPatchCallItem {
  type: 'apply_patch_call'
  id: string
  /** `in_progress` if it was cut off. */
  status: 'in_progress' | 'completed'
  call_id: string
  operation: PatchOperation
}

/** Every kind of output item, by its `type`. The compiler names every place that a new line affects. */
export interface OutputItemByType {
  message: MessageItem
  reasoning: ReasoningItem
  function_call: FunctionCallItem
  custom_tool_call: CustomToolCallItem
  mcp_list_tools: McpListToolsItem
  mcp_approval_request: McpApprovalRequestItem
  mcp_call: McpCallItem
  code_interpreter_call: CodeInterpreterCallItem
  web_search_call: WebSearchCallItem
  shell_call: ShellCallItem
  shell_call_output: ShellCallOutputItem
  local_shell_call: LocalShellCallItem
  apply_patch_call: ApplyPatchCallItem
}

export type OutputItem = OutputItemByType[keyof OutputItemByType]
