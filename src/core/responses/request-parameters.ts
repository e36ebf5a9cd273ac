/** The parameters of a Responses create request that are objects or closed sets. Source: the `openai` 7.59 types. */

import type { BuiltinWires } from './builtins/index.js'
import type { ReasoningEffort } from './response.js'

/** The optional parts of a response. */
export type Includable =
  | 'code_interpreter_call.outputs'
  | 'computer_call_output.output.image_url'
  | 'file_search_call.results'
  | 'message.input_image.image_url'
  | 'message.output_text.logprobs'
  | 'reasoning.encrypted_content'
  | 'web_search_call.action.sources'
  | 'web_search_call.results'

/** How much the model reasons, and what the client sees of it. */
export interface ReasoningOptions {
  /** gpt-oss has `low`, `medium` and `high`. */
  readonly effort?: ReasoningEffort | 'max' | null
  readonly summary?: 'auto' | 'concise' | 'detailed' | null
  /** The old name of `summary`. */
  readonly generate_summary?: 'auto' | 'concise' | 'detailed' | null
  readonly context?: 'auto' | 'current_turn' | 'all_turns' | null
  /** `standard` or `pro`. */
  readonly mode?: string | null
}

/** The format of an answer that has to be JSON and match a schema. */
export interface JsonSchemaFormat {
  readonly type: 'json_schema'
  readonly name: string
  readonly schema: { readonly [keyword: string]: unknown }
  readonly description?: string | null
  readonly strict?: boolean | null
}

/** The format of the answer: free text, any JSON object, or JSON that matches a schema. */
export type TextFormat = { readonly type: 'text' } | { readonly type: 'json_object' } | JsonSchemaFormat

/** The format and the length of the answer. */
export interface TextOptions {
  readonly format?: TextFormat | null
  readonly verbosity?: 'low' | 'medium' | 'high' | null
}

/** Tools that the API runs, or knows by their type alone. */
export type HostedToolType =
  | keyof BuiltinWires
  | 'computer'
  | 'computer_use'
  | 'computer_use_preview'
  | 'image_generation'
  | 'programmatic_tool_calling'
  | 'web_search_2025_08_26'
  | 'web_search_preview'
  | 'web_search_preview_2025_03_11'

/** A tool that a `tool_choice` names. */
export type NamedTool =
  | { readonly type: 'function'; readonly name: string }
  | { readonly type: 'custom'; readonly name: string }
  /** A tool of an MCP server; without a name, any of its tools; without a label, any server's. */
  | { readonly type: 'mcp'; readonly server_label?: string | null; readonly name?: string | null }
  | { readonly type: HostedToolType }

/** Limits the model to these tools. `required`: it has to call one of them. */
export interface AllowedTools {
  readonly type: 'allowed_tools'
  readonly mode: 'auto' | 'required'
  readonly tools: readonly (NamedTool | { readonly [field: string]: unknown })[]
}

/** Which tools the model may call, or must. */
export type ToolChoice = 'none' | 'auto' | 'required' | NamedTool | AllowedTools

/** What happens when the conversation becomes long. */
export interface ContextManagement {
  /** `compaction`. */
  readonly type: string
  /**
   * The number of input tokens of a turn above which the conversation is compacted. Default: three quarters of the
   * context.
   */
  readonly compact_threshold?: number | null
}

/** When a response in the background is run at OpenAI. Here it begins when the server has a place. */
export interface BackgroundOptions {
  /** By when the response has to be complete; a longer window is cheaper at OpenAI. */
  readonly completion_window?: 'soonest' | '2h' | '8h' | null
  /** Groups requests that OpenAI runs one after another. */
  readonly continuation_id?: string | null
}

/** How the prompt is cached. `prewarm` prepares a later request; engines cache the beginnings of prompts by themselves. */
export interface PromptCacheOptions {
  readonly comparison_response_id?: string | null
  readonly mode?: 'implicit' | 'explicit' | null
  /** Prepares the prompt and generates nothing. */
  readonly prewarm?: boolean | null
  readonly ttl?: '30m' | '12h' | null
}

/** How long OpenAI keeps a cached prompt. The response repeats it. */
export type PromptCacheRetention = 'in_memory' | '24h'

/** Options of a stream. `include_obfuscation` would add random padding to deltas, and has no effect here. */
export interface StreamOptions {
  readonly include_obfuscation?: boolean | null
}

/** The tiers of OpenAI's service. The response repeats it: `auto` as `default`. */
export type ServiceTier = 'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast' | 'ultrafast'
