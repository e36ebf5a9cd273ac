import type { OutputItem } from './items.js'

/** `queued`: a response in the background that waits for its turn. */
export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'

/** Token counts, in tokens. `cache_write_tokens` is always 0 here; clients that know it require it. */
export interface ResponseUsage {
  input_tokens: number
  input_tokens_details: {
    cached_tokens: number
    cache_write_tokens: number
    /** Counts of each model call, if the host enabled `usageByTurn`; vLLM always sends them. */
    input_tokens_per_turn?: number[]
    cached_tokens_per_turn?: number[]
  }
  output_tokens: number
  output_tokens_details: {
    reasoning_tokens: number
    /** Tool output between the model calls. */
    tool_output_tokens?: number
    output_tokens_per_turn?: number[]
    tool_output_tokens_per_turn?: number[]
  }
  total_tokens: number
}

/**
 * The codes of the API's type that a gpt-oss server needs. Others occur on the wire, and a host's own code is passed
 * through.
 */
export type ResponseErrorCode = 'server_error' | 'rate_limit_exceeded' | 'invalid_prompt'

/** Why a response failed. `message` is for humans. */
export interface ResponseError {
  code: ResponseErrorCode
  message: string
}

/** The request as the response echoes it, with OpenAI's defaults for omitted fields. */
export interface RequestEcho {
  background: boolean
  /** Null without one. */
  conversation: { id: string } | null
  frequency_penalty: number
  instructions: string | null
  max_output_tokens: number | null
  max_tool_calls: number | null
  metadata: { [key: string]: string }
  model: string
  parallel_tool_calls: boolean
  presence_penalty: number
  previous_response_id: string | null
  prompt_cache_key: string | null
  /** Only if the request has some, with OpenAI's defaults. Engines cache the beginnings of prompts by themselves. */
  prompt_cache_options?: { mode: 'implicit' | 'explicit'; ttl: '30m' | '12h'; comparison_response_id?: string | null }
  prompt_cache_retention: 'in_memory' | '24h' | null
  reasoning: {
    effort: ReasoningEffort | 'max' | null
    summary: 'auto' | 'concise' | 'detailed' | null
    context?: 'auto' | 'current_turn' | 'all_turns' | null
    mode?: string
  }
  safety_identifier: string | null
  service_tier: 'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast' | 'ultrafast'
  store: boolean
  temperature: number
  /** The format as the request has it. */
  text: { format: { type: 'text' }; verbosity?: 'low' | 'medium' | 'high' | null }
  tool_choice: 'none' | 'auto' | 'required'
  tools: EchoedTool[]
  top_logprobs: number
  top_p: number
  truncation: 'auto' | 'disabled'
  user: string | null
}

/** How much the model reasons. gpt-oss has `low`, `medium` and `high`. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh'

/**
 * A tool as the response echoes it: the API's fields for its type, as the request declared them, without any that may
 * contain a secret. For unknown types, only `type` and `name`.
 */
export type EchoedTool =
  | {
      type: 'function'
      name: string
      description?: string | null
      parameters: { [key: string]: unknown } | null
      strict: boolean | null
    }
  | { type: 'custom'; name: string; description?: string }
  | { type: 'mcp'; server_label: string; server_url?: string; headers?: null }
  | { type: 'code_interpreter'; container: string | { type: 'auto' } }
  | { type: 'web_search' | 'web_search_2025_08_26' }
  | { type: 'web_search_preview' | 'web_search_preview_2025_03_11' }
  | { type: 'shell' }
  | { type: 'local_shell' }

/**
 * The response object. From `response.created` on it has every field that Open Responses requires. It never has
 * `output_text`, which the SDKs compute: they would use a server's value unchecked.
 */
export interface ResponseObject extends RequestEcho {
  id: string
  object: 'response'
  /** Unix time in whole seconds. */
  created_at: number
  /** Unix time in whole seconds; null until the response is completed. */
  completed_at: number | null
  status: ResponseStatus
  error: ResponseError | null
  incomplete_details: { reason: 'max_output_tokens' | 'content_filter' } | null
  output: OutputItem[]
  /** Null until the terminal event, and in a response that failed or was cancelled. */
  usage: ResponseUsage | null
  access_programs: null
  /**
   * The prompt as Harmony messages, provided by the host. Only if the request has `enable_response_messages` and the
   * host's `responseMessages` allows it.
   */
  input_messages?: unknown[] | null
  /** The messages since the prompt, including tool messages. Only under the same conditions. */
  output_messages?: ResponseMessage[] | null
}

/** The same by the SDK's name. Where fetch's `Response` is in scope too, {@link ResponseObject} keeps them apart. */
export type Response = ResponseObject

/** A Harmony message in vLLM's shape, without fields that its header omits. */
export interface ResponseMessage {
  role: string
  /** The tool's or author's name. */
  name: string | null
  content: { type: 'text'; text: string }[]
  channel?: string
  recipient?: string
  content_type?: string
}
