import type { InputItem } from './input-items.js'
import type {
  BackgroundOptions,
  ContextManagement,
  PromptCacheOptions,
  ReasoningOptions,
  StreamOptions,
  TextOptions,
  ToolChoice,
} from './request-parameters.js'
import type { RequestTool, UnknownTool } from './request-tools.js'

export type * from './request-tools.js'

/** Fields with any text, as in a JSON body. @inline */
type Untyped<Fields extends string> = { readonly [Field in Fields]?: string | null | undefined }

/**
 * A Responses create request. Every field is optional: a server can pass the body it received, and the SDKs' create
 * params are assignable. `tools`, `include`, `reasoning.summary` and `enable_response_messages` affect the stream.
 * Other fields of the response object are echoed unchanged, `tools` and `tool_choice` without possible secrets; the
 * rest is dropped.
 */
export interface ResponseRequest {
  readonly model?: string | undefined
  readonly tools?:
    | readonly (RequestTool | UnknownTool | (UnknownTool & { readonly [parameter: string]: unknown }))[]
    | null
    | undefined
  readonly include?: readonly string[] | null | undefined
  readonly background?: boolean | null | undefined
  readonly background_options?: BackgroundOptions | object | null | undefined
  readonly conversation?: string | { readonly id: string } | null | undefined
  readonly context_management?: readonly (ContextManagement | object)[] | null | undefined
  readonly enable_response_messages?: boolean | null | undefined
  readonly frequency_penalty?: number | null | undefined
  /** The conversation. It is neither echoed nor kept: the prompt was rendered from it before. */
  readonly input?: string | readonly (InputItem | object)[] | null | undefined
  readonly instructions?: string | null | undefined
  readonly max_output_tokens?: number | null | undefined
  readonly max_tool_calls?: number | null | undefined
  readonly metadata?: { readonly [key: string]: string } | null | undefined
  readonly parallel_tool_calls?: boolean | null | undefined
  readonly presence_penalty?: number | null | undefined
  readonly previous_response_id?: string | null | undefined
  readonly prompt_cache_key?: string | null | undefined
  readonly prompt_cache_options?: PromptCacheOptions | object | null | undefined
  readonly prompt_cache_retention?: string | null | undefined
  readonly reasoning?: ReasoningOptions | Untyped<'effort' | 'summary' | 'generate_summary'> | null | undefined
  readonly safety_identifier?: string | null | undefined
  readonly seed?: number | null | undefined
  readonly service_tier?: string | null | undefined
  readonly stop?: string | readonly string[] | null | undefined
  readonly store?: boolean | null | undefined
  readonly stream?: boolean | null | undefined
  readonly stream_options?: StreamOptions | null | undefined
  readonly temperature?: number | null | undefined
  readonly text?: TextOptions | (Untyped<'verbosity'> & { readonly format?: UnknownTool | null }) | null | undefined
  readonly tool_choice?: ToolChoice | UnknownTool | string | null | undefined
  readonly top_logprobs?: number | null | undefined
  readonly top_p?: number | null | undefined
  readonly truncation?: string | null | undefined
  readonly user?: string | null | undefined
}
