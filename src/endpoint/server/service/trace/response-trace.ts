import type { TraceRecord } from '../../../../core/trace/record.js'
import type { MessageSpan } from '../../../prompt/prompt-message.js'

/** `GET /v1/responses/ID/trace`: what became of each token of a response, a window at a time. */
export interface ResponseTrace {
  /** Always `response.trace`. */
  readonly object: 'response.trace'
  /** The id of the response. */
  readonly response_id: string
  /** Its status at this time. While it is `in_progress`, more tokens may follow the last window. */
  readonly status: string
  /** How many tokens and text chunks the model and the host have written so far. */
  readonly tokens: number
  /** The prompt of its first model call. Only in the first window. */
  readonly prompt?: TracedPrompt
  /** The records of the window: those whose last token is in it, in order. */
  readonly data: readonly (TraceRecord | HiddenRecord)[]
  /** The index of the last token of the window, for `after` of the next one. That of `after`, or -1, if it is empty. */
  readonly last: number
  /** Whether there are tokens after the window. */
  readonly has_more: boolean
}

/** Tokens that the server does not show to clients. Their text and their ids are nowhere in the trace. */
export interface HiddenRecord {
  readonly type: 'hidden'
  /** The index of the first of them. */
  readonly from: number
  /** The index of the last of them. A message that is cut by the border of a window is hidden in parts. */
  readonly to: number
  /** Who wrote them. */
  readonly origin: 'model' | 'host'
  /** How many they are. */
  readonly tokens: number
}

/** The prompt of the first model call of a response. */
export interface TracedPrompt {
  /** How many tokens it has, without the `<|start|>assistant` that begins the model's turn. */
  readonly tokens: number
  /** Its messages in order. Null if they cannot be rendered again: the conversation is not stored, or has changed. */
  readonly messages: readonly TracedPromptMessage[] | null
}

/** A message of the prompt. */
export interface TracedPromptMessage extends MessageSpan {
  /**
   * The id of the item that it came from, as `GET /v1/responses/ID/input_items` lists it. Absent for messages without
   * one, such as the system message.
   */
  readonly item_id?: string
  /** Its token ids. Null if the server does not show them to clients, or after the first 65,536 of a prompt. */
  readonly ids: readonly number[] | null
}
