import type { InputItem, InputItemReference, InputMessage } from './input-items.js'
import type {
  AllowedTools,
  BackgroundOptions,
  ContextManagement,
  Includable,
  NamedTool,
  PromptCacheOptions,
  PromptCacheRetention,
  ReasoningOptions,
  ServiceTier,
  StreamOptions,
  TextOptions,
  ToolChoice,
} from './request-parameters.js'
import type { RequestTool } from './request-tools.js'

/** An input item of a parsed request. Unlike one of a body, it always has a type. */
export type ParsedInputItem =
  | Exclude<InputItem, InputMessage | InputItemReference>
  | (InputMessage & { readonly type: 'message' })
  | (InputItemReference & { readonly type: 'item_reference' })

/** {@link ToolChoice} of a parsed request: every tool that it allows is known. */
export type ParsedToolChoice =
  | Exclude<ToolChoice, AllowedTools>
  | (Omit<AllowedTools, 'tools'> & { readonly tools: readonly NamedTool[] })

/**
 * A checked Responses create request. A parameter that the client omitted, or sent as null, an empty string or an empty
 * object, is absent. It can be passed wherever a request is expected.
 */
export interface ParsedRequest {
  readonly background?: boolean
  readonly background_options?: BackgroundOptions
  readonly context_management?: readonly ContextManagement[]
  /** The conversation's id, or an object with it. */
  readonly conversation?: string | { readonly id: string }
  readonly enable_response_messages?: boolean
  readonly frequency_penalty?: number
  /** False: the request prepares a later one and generates nothing. */
  readonly generate?: boolean
  readonly include?: readonly Includable[]
  /** Absent only if another parameter identifies the conversation. */
  readonly input?: string | readonly ParsedInputItem[]
  readonly instructions?: string
  readonly max_output_tokens?: number
  readonly max_tool_calls?: number
  readonly metadata?: { readonly [key: string]: string }
  readonly model?: string
  readonly parallel_tool_calls?: boolean
  readonly presence_penalty?: number
  readonly previous_response_id?: string
  readonly prompt_cache_key?: string
  readonly prompt_cache_options?: PromptCacheOptions
  readonly prompt_cache_retention?: PromptCacheRetention
  readonly reasoning?: Omit<ReasoningOptions, 'generate_summary'>
  readonly safety_identifier?: string
  readonly seed?: number
  readonly service_tier?: ServiceTier
  /** The strings that end the answer. */
  readonly stop?: string | readonly string[]
  readonly store?: boolean
  readonly stream?: boolean
  /** The stream of a WebSocket to which the events belong. */
  readonly stream_id?: string
  readonly stream_options?: StreamOptions
  readonly temperature?: number
  readonly text?: TextOptions
  readonly tool_choice?: ParsedToolChoice
  readonly tools?: readonly RequestTool[]
  readonly top_logprobs?: number
  readonly top_p?: number
  readonly truncation?: 'auto' | 'disabled'
  readonly user?: string
}
