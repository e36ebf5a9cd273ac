/** A tool as an MCP server lists it, in MCP's own form or in the API's. */
export interface ListedTool {
  readonly name: string
  readonly description?: string | null | undefined
  readonly inputSchema?: unknown
  readonly input_schema?: unknown
  readonly annotations?: unknown
}

/** The answer of a declared MCP server when the host asked for its tools. */
export interface McpListing {
  readonly serverLabel: string
  readonly tools?: readonly ListedTool[]
  /** Why the listing failed. */
  readonly error?: string
}
