import type { Logprob } from '../../core/responses/items.js'

/** The answers of Chat Completions, in their wire form. Source: the `openai` 7.59 types, and `reasoning_content`. */

export type ChatFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

/** A call of a function. `arguments` is JSON, as the model wrote it. */
export interface ChatToolCallOfFunction {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** A call of a custom tool, whose `input` is free text. */
export interface ChatToolCallOfCustomTool {
  id: string
  type: 'custom'
  custom: { name: string; input: string }
}

/** A call in an answer. `type` narrows it. */
export type ChatToolCall = ChatToolCallOfFunction | ChatToolCallOfCustomTool

/** A citation in the answer of Chat Completions. */
export interface ChatAnnotation {
  type: 'url_citation'
  /** Characters of `content`, from 0. */
  url_citation: { start_index: number; end_index: number; title: string; url: string }
}

/** The model's message. Empty fields that OpenAI omits are omitted. */
export interface ChatMessage {
  role: 'assistant'
  /** Null if the model wrote no text. */
  content: string | null
  /** Always null: gpt-oss refuses in its text. */
  refusal: null
  reasoning_content?: string
  reasoning?: string
  annotations?: ChatAnnotation[]
  tool_calls?: ChatToolCall[]
  function_call?: { name: string; arguments: string }
}

/** The log-probabilities of the text, if the request asks for them. */
export interface ChatLogprobs {
  content: Logprob[] | null
  refusal: null
}

/** Token counts, in tokens. */
export interface ChatUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number }
  completion_tokens_details: { reasoning_tokens: number }
}

/** An answer that is not streamed. It has one choice. */
export interface ChatCompletion {
  id: string
  object: 'chat.completion'
  /** Unix time in whole seconds. */
  created: number
  model: string
  choices: {
    index: number
    message: ChatMessage
    logprobs: ChatLogprobs | null
    finish_reason: ChatFinishReason
  }[]
  usage?: ChatUsage
}

/** The beginning of a call has its id, type and name; later pieces have its index and some text. */
export interface ChatToolCallDelta {
  /** Position of the call in `tool_calls`, from 0. */
  index: number
  id?: string
  type?: 'function' | 'custom'
  function?: { name?: string; arguments?: string }
  custom?: { name?: string; input?: string }
}

/**
 * What a chunk adds to the message. Reasoning is in `reasoning_content`, in `reasoning`, or in both, as the host chose.
 */
export interface ChatDelta {
  role?: 'assistant'
  content?: string | null
  refusal?: null
  reasoning_content?: string
  reasoning?: string
  /** All annotations, in the last chunk. */
  annotations?: ChatAnnotation[]
  tool_calls?: ChatToolCallDelta[]
  function_call?: { name?: string; arguments?: string }
}

/** One chunk of a streamed answer. `created` is Unix time in whole seconds. */
export interface ChatChunk {
  id: string
  object: 'chat.completion.chunk'
  created: number
  model: string
  /** One choice; none in the chunk of the token counts. */
  choices: {
    index: number
    delta: ChatDelta
    logprobs: ChatLogprobs | null
    finish_reason: ChatFinishReason | null
  }[]
  /** Only if the request asks for the token counts: null in all but the last chunk. */
  usage?: ChatUsage | null
}

/** The error in place of the last chunk of a failed stream, and the body of an HTTP error. */
export interface ChatError {
  error: { message: string; type: string; param: string | null; code: string | null }
}
