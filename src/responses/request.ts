import type { InputItem } from './input-items.js'

/** The part of the request that matters here: the Responses create params that are echoed or that drive translation. */

/** A function of the client's. */
export interface FunctionTool {
  readonly type: 'function'
  readonly name: string
  readonly description?: string | null
  readonly parameters?: { readonly [key: string]: unknown } | null
  readonly strict?: boolean | null
}

/** A tool of the client's whose input is free text. */
export interface CustomTool {
  readonly type: 'custom'
  readonly name: string
}

/** A group of the client's tools. Codex declares each of its MCP servers this way. Calls carry the namespace's name. */
export interface NamespaceTool {
  readonly type: 'namespace'
  readonly name: string
  readonly description?: string
  readonly tools: readonly (FunctionTool | CustomTool)[]
}

/** Selects tools of an MCP server, by name and by whether they are read-only. An absent field selects all. */
export interface McpToolFilter {
  readonly tool_names?: readonly string[] | null
  /** Whether a tool is read-only according to the server's listing (`annotations.readOnlyHint`). */
  readonly read_only?: boolean | null
}

export interface McpTool {
  readonly type: 'mcp'
  readonly server_label: string
  /** The server's tools that the model may call; absent or null means all. */
  readonly allowed_tools?: readonly string[] | McpToolFilter | null
  /**
   * The tools whose calls the user has to approve first. If it is unset (absent, null, or an object with neither key),
   * the policy decides; OpenAI requires approval for all. In a filter object, `always` wins over `never`, and if
   * `never` is given, every tool that it does not select needs approval.
   */
  readonly require_approval?:
    | 'always'
    | 'never'
    | { readonly always?: McpToolFilter | null; readonly never?: McpToolFilter | null }
    | null
}

/** A shell. The host runs its commands in a container; otherwise the client runs them. */
export interface ShellTool {
  readonly type: 'shell'
  readonly environment?: { readonly type: string; readonly container_id?: string } | null
}

/** Code that the host runs: what the model writes for `python`. */
export interface CodeInterpreterTool {
  readonly type: 'code_interpreter'
  /** A container's id, or the configuration of a new one. */
  readonly container?: string | { readonly type: string } | null
}

/** A search that the host runs: what the model writes for `browser`. */
export interface WebSearchTool {
  readonly type: 'web_search' | 'web_search_preview' | `web_search_${number}_${string}` | `web_search_preview_${string}`
}

/** Commands that the client runs on its own machine. */
export interface LocalShellTool {
  readonly type: 'local_shell'
}

/** The API's other tools. No recipient addresses them: they are only echoed. */
export interface EchoedOnlyTool {
  readonly type:
    | 'apply_patch'
    | 'computer'
    | 'computer_use_preview'
    | 'file_search'
    | 'image_generation'
    | 'programmatic_tool_calling'
    | 'tool_search'
}

/** A tool that a request declares. `type` narrows it. */
export type RequestTool =
  | FunctionTool
  | CustomTool
  | NamespaceTool
  | McpTool
  | ShellTool
  | CodeInterpreterTool
  | WebSearchTool
  | LocalShellTool
  | EchoedOnlyTool

/** A tool of any type and with any parameters, as it is in a JSON body. */
export interface UnknownTool {
  readonly type: string
}

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
  readonly background?: unknown
  readonly enable_response_messages?: unknown
  readonly frequency_penalty?: unknown
  /** The conversation. It is neither echoed nor kept: the prompt was made of it before. */
  readonly input?: string | readonly (InputItem | object)[] | null | undefined
  readonly instructions?: unknown
  readonly max_output_tokens?: unknown
  readonly max_tool_calls?: unknown
  readonly metadata?: unknown
  readonly parallel_tool_calls?: unknown
  readonly presence_penalty?: unknown
  readonly previous_response_id?: unknown
  readonly prompt_cache_key?: unknown
  readonly reasoning?: unknown
  readonly safety_identifier?: unknown
  readonly service_tier?: unknown
  readonly store?: unknown
  readonly stream?: unknown
  readonly stream_options?: unknown
  readonly temperature?: unknown
  readonly text?: unknown
  readonly tool_choice?: unknown
  readonly top_logprobs?: unknown
  readonly top_p?: unknown
  readonly truncation?: unknown
  readonly user?: unknown
}
