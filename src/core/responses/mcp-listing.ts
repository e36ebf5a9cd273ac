/** A tool as an MCP server lists it, in MCP's own form or in the API's. */
export interface ListedTool {
  /** The tool's name on its server. */
  readonly name: string
  /** What the model reads about it. */
  readonly description?: string | null | undefined
  /** The JSON Schema of its arguments, as MCP names it. */
  readonly inputSchema?: unknown
  /** The JSON Schema of its arguments, as the API names it. */
  readonly input_schema?: unknown
  /** MCP's hints, such as `readOnlyHint`; filters of the request select by them. */
  readonly annotations?: unknown
}

/** The answer of a declared MCP server when the host asked for its tools. */
export interface McpListing {
  /** The `server_label` of the declaration. */
  readonly serverLabel: string
  /** The listed tools. Absent if the listing failed. */
  readonly tools?: readonly ListedTool[]
  /** Why the listing failed. */
  readonly error?: string
}
