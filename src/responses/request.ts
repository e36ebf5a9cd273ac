/**
 * The request, as far as it shapes the stream: the Responses create params that are echoed or that drive translation.
 */

/** Anything with a `type`; the tools that steer classification are read from it by shape. */
export interface RequestTool {
  readonly type: string
}

export interface FunctionTool extends RequestTool {
  readonly type: 'function'
  readonly name: string
  readonly description?: string | null
  readonly parameters?: { readonly [key: string]: unknown } | null
  readonly strict?: boolean | null
}

export interface CustomTool extends RequestTool {
  readonly type: 'custom'
  readonly name: string
}

/** Tools of the client's under one name: Codex declares each of its MCP servers so. Calls of them carry the name. */
export interface NamespaceTool extends RequestTool {
  readonly type: 'namespace'
  readonly name: string
  readonly description?: string
  readonly tools: readonly (FunctionTool | CustomTool | RequestTool)[]
}

/** Some tools of an MCP server: those of these names, and those that only read. What is left out rules nothing out. */
export interface McpToolFilter {
  readonly tool_names?: readonly string[] | null
  /** Whether the server's listing says of a tool that it only reads (`annotations.readOnlyHint`). */
  readonly read_only?: boolean | null
}

export interface McpTool extends RequestTool {
  readonly type: 'mcp'
  readonly server_label: string
  /** Which of the server's tools the model may call; absent or null means all of them. */
  readonly allowed_tools?: readonly string[] | McpToolFilter | null
  /**
   * Whose calls the user has to approve first. Where it says nothing (absent, null, or an object of neither), the
   * policy does, and OpenAI asks for all. Of a filter object, `always` wins over `never`, and where `never` is given,
   * every tool that it leaves out needs approval.
   */
  readonly require_approval?:
    | 'always'
    | 'never'
    | { readonly always?: McpToolFilter | null; readonly never?: McpToolFilter | null }
    | null
}

/** Shell commands. In a container the host runs them; anywhere else the client does. */
export interface ShellTool extends RequestTool {
  readonly type: 'shell'
  readonly environment?: { readonly type: string; readonly container_id?: string } | null
}

/** Any other tool, as a literal. */
export interface OtherTool extends RequestTool {
  readonly [parameter: string]: unknown
}

/**
 * A Responses create request. Every field is optional: a server can pass the body it received, and the SDKs' create
 * params fit. `tools`, `include`, `reasoning.summary` and `enable_response_messages` steer the stream. What the
 * response object repeats of the others is echoed as it comes, of `tools` and `tool_choice` without what may be a
 * secret; the rest is not kept.
 */
export interface ResponseRequest {
  readonly model?: string | undefined
  readonly tools?:
    | readonly (FunctionTool | CustomTool | NamespaceTool | McpTool | ShellTool | OtherTool | RequestTool)[]
    | null
    | undefined
  readonly include?: readonly string[] | null | undefined
  readonly background?: unknown
  readonly enable_response_messages?: unknown
  readonly frequency_penalty?: unknown
  readonly input?: unknown
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
