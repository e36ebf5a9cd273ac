/** The answers of the Messages API, in their wire form. Source: the `@anthropic-ai/sdk` 1.14 types. */

export type MessageStopReason = 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'refusal'

/** Text of the answer. */
export interface MessageTextBlock {
  type: 'text'
  text: string
  /** The pages that the text cites; null if there are none. The block ends with the first. */
  citations: MessageCitation[] | null
}

/** A page that a text cites. */
export interface MessageCitation {
  type: 'web_search_result_location'
  url: string
  title: string
  /** The beginning of the cited lines, at most 150 characters. Empty if the server does not know them. */
  cited_text: string
  /** Empty: the page that the model read is sealed with its reasoning. */
  encrypted_index: string
}

/** The model's reasoning; empty if the client asked to omit it. */
export interface MessageThinkingBlock {
  type: 'thinking'
  thinking: string
  /** The server's own seals, which it opens when the block comes back. */
  signature: string
}

/**
 * Seals without a text, for the model when the block comes back: reasoning that the client did not ask to see, or how a
 * call was sampled.
 */
export interface MessageRedactedThinkingBlock {
  type: 'redacted_thinking'
  data: string
}

/** A call of the client's tool. `input` is its arguments, parsed. */
export interface MessageToolUseBlock {
  type: 'tool_use'
  id: string
  name: string
  input: { [name: string]: unknown }
}

/** A search or code that the server ran. Its `input` is a query, the page that the model opened, or the code. */
export interface MessageServerToolUseBlock {
  type: 'server_tool_use'
  id: string
  name: 'web_search' | 'code_execution'
  input: { [name: string]: unknown }
}

/** A page that a search found. */
export interface MessageWebSearchResult {
  type: 'web_search_result'
  url: string
  title: string
  /** Empty: the page that the model read is sealed with its reasoning. */
  encrypted_content: string
  page_age: string | null
}

/** The result of a web search: its pages, or why there are none. */
export interface MessageWebSearchToolResultBlock {
  type: 'web_search_tool_result'
  tool_use_id: string
  content:
    | MessageWebSearchResult[]
    | { type: 'web_search_tool_result_error'; error_code: 'unavailable' | 'max_uses_exceeded' }
}

/** The result of code: what it printed, errors included, or that nobody knows what it did. */
export interface MessageCodeExecutionToolResultBlock {
  type: 'code_execution_tool_result'
  tool_use_id: string
  content:
    | { type: 'code_execution_result'; stdout: string; stderr: string; return_code: number; content: [] }
    | { type: 'code_execution_tool_result_error'; error_code: 'unavailable' }
}

/** A call of an MCP server's tool that the server ran. */
export interface MessageMcpToolUseBlock {
  type: 'mcp_tool_use'
  id: string
  name: string
  server_name: string
  input: { [name: string]: unknown }
}

/** The result of a call of an MCP server's tool. `is_error`: the model reads an error. */
export interface MessageMcpToolResultBlock {
  type: 'mcp_tool_result'
  tool_use_id: string
  is_error: boolean
  content: { type: 'text'; text: string }[]
}

/** A block of an answer. `type` narrows it. */
export type MessageBlock =
  | MessageTextBlock
  | MessageThinkingBlock
  | MessageRedactedThinkingBlock
  | MessageToolUseBlock
  | MessageServerToolUseBlock
  | MessageWebSearchToolResultBlock
  | MessageCodeExecutionToolResultBlock
  | MessageMcpToolUseBlock
  | MessageMcpToolResultBlock

/** Token counts. `input_tokens` excludes cached ones. */
export interface MessageUsage {
  input_tokens: number
  output_tokens: number
  /** Always 0, since engines do not report it. */
  cache_creation_input_tokens: number
  cache_read_input_tokens: number
  /** How often the server searched the web, once the message has ended. Absent if it did not. */
  server_tool_use?: { web_search_requests: number; web_fetch_requests: number }
}

/** Where the server's code ran, for `container` of the next request. */
export interface MessageContainer {
  id: string
  /** Until when it is kept if nothing uses it: RFC 3339. */
  expires_at: string
  /** Always null: there are none. */
  skills: null
}

/** An answer of the Messages API that is not streamed. */
export interface Message {
  id: string
  type: 'message'
  role: 'assistant'
  model: string
  content: MessageBlock[]
  /** Null until the message has ended, like `stop_sequence`, which stays null unless one ended it. */
  stop_reason: MessageStopReason | null
  stop_sequence: string | null
  /** Absent if no code ran, or its container has ended. */
  container?: MessageContainer
  usage: MessageUsage
}

/** What an event adds to a block. `type` narrows it. */
export type MessageDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'citations_delta'; citation: MessageCitation }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'input_json_delta'; partial_json: string }

/** The kinds of errors of the Messages API. */
export type MessageErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'overloaded_error'

/** The error that ends a failed stream, and the body of an HTTP error. */
export type MessageError = {
  type: 'error'
  error: { type: MessageErrorType; message: string; details?: { [name: string]: unknown } }
  request_id?: string
}

/** The events of a stream. `index` is the position of the block in `content`, from 0. */
export type MessageStreamEvent =
  | { type: 'message_start'; message: Message }
  | { type: 'content_block_start'; index: number; content_block: MessageBlock }
  | { type: 'content_block_delta'; index: number; delta: MessageDelta }
  | { type: 'content_block_stop'; index: number }
  | {
      type: 'message_delta'
      delta: { stop_reason: MessageStopReason; stop_sequence: string | null; container?: MessageContainer }
      usage: MessageUsage
    }
  | { type: 'message_stop' }
  | { type: 'ping' }
  | MessageError
