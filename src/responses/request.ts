/** The request, as far as it shapes the stream: the Responses create params that are echoed or that drive translation. */

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

export interface McpTool extends RequestTool {
  readonly type: 'mcp'
  readonly server_label: string
  /** Which of the server's tools the model may call; absent or null means all of them. */
  readonly allowed_tools?:
    | readonly string[]
    | { readonly tool_names?: readonly string[]; readonly read_only?: boolean }
    | null
}

/**
 * A Responses create request. Every field is optional and unknown ones are let through, so that a server can pass the
 * body it received; what is not of the API's type is echoed as it came.
 */
export interface ResponseRequest {
  readonly model?: string
  readonly tools?: readonly RequestTool[] | null
  readonly include?: readonly string[] | null
  readonly [parameter: string]: unknown
}
