/** The tools that a request can declare. Source: the `openai` 7.59 types. */

import type { BuiltinWires } from './builtins/index.js'
import type { AllowedCallers } from './wire-fields.js'

export type * from './builtins/index.js'
export type { AllowedCallers }

/** A function of the client's. */
export interface FunctionTool {
  readonly type: 'function'
  readonly name: string
  readonly description?: string | null
  readonly parameters?: { readonly [key: string]: unknown } | null
  readonly strict?: boolean | null
  readonly output_schema?: { readonly [key: string]: unknown } | null
  readonly async?: boolean | null
  readonly defer_loading?: boolean | null
  readonly allowed_callers?: AllowedCallers | null
}

/** The format of a custom tool's input. */
export type CustomToolFormat =
  | { readonly type: 'text' }
  | { readonly type: 'grammar'; readonly syntax: 'lark' | 'regex'; readonly definition: string }

/** A tool of the client's whose input is free text. */
export interface CustomTool {
  readonly type: 'custom'
  readonly name: string
  readonly description?: string | null
  readonly format?: CustomToolFormat | null
  readonly async?: boolean | null
  readonly defer_loading?: boolean | null
  readonly allowed_callers?: AllowedCallers | null
}

/** A group of the client's tools. Codex declares each of its MCP servers this way. Calls carry the namespace's name. */
export interface NamespaceTool {
  readonly type: 'namespace'
  readonly name: string
  readonly description?: string | null
  readonly tools: readonly (FunctionTool | CustomTool)[]
}

/** Selects tools of an MCP server, by name and by whether they are read-only. An absent field selects all. */
export interface McpToolFilter {
  readonly tool_names?: readonly string[] | null
  /** Whether a tool is read-only according to the server's listing (`annotations.readOnlyHint`). */
  readonly read_only?: boolean | null
}

/** An MCP server whose tools the host lists and calls. The host's configuration decides how it is reached. */
export interface McpTool {
  readonly type: 'mcp'
  readonly server_label: string
  readonly server_description?: string | null
  /** The client's address and credentials for the server. Never used or echoed. */
  readonly server_url?: string | null
  readonly connector_id?: string | null
  readonly tunnel_id?: string | null
  readonly authorization?: string | null
  readonly headers?: { readonly [name: string]: string } | null
  /** The server's tools that the model may call; absent or null means all. */
  readonly allowed_tools?: readonly string[] | McpToolFilter | null
  /**
   * The tools whose calls need the user's approval. If it is unset (absent, null, or an object with neither key), the
   * policy decides; OpenAI requires approval for all. In a filter object, `always` wins over `never`, and if `never` is
   * given, every tool that it does not select needs approval.
   */
  readonly require_approval?:
    | 'always'
    | 'never'
    | { readonly always?: McpToolFilter | null; readonly never?: McpToolFilter | null }
    | null
  readonly defer_loading?: boolean | null
  readonly allowed_callers?: AllowedCallers | null
}

/** The API's other tools. No recipient addresses them, so they are only echoed. */
export interface EchoedOnlyTool {
  readonly type: Exclude<
    'computer' | 'computer_use_preview' | 'image_generation' | 'programmatic_tool_calling' | 'tool_search',
    keyof BuiltinWires
  >
}

/** A tool that a request declares. `type` narrows it. */
export type RequestTool =
  | FunctionTool
  | CustomTool
  | NamespaceTool
  | McpTool
  | BuiltinWires[keyof BuiltinWires]['tool']
  | EchoedOnlyTool

/** A tool of any type with any parameters, as in a JSON body. */
export interface UnknownTool {
  readonly type: string
}
