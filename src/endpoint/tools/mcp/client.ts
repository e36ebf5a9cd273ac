/*
 * The parts of the MCP SDK that are used, as structural types: users of this library need not install the SDK. A
 * `Client` of `@modelcontextprotocol/client` 2 fits, and so does one of `@modelcontextprotocol/sdk` 1.
 */

import type { ListedTool } from '../../../core/responses/mcp-listing.js'

/** The progress of a call, as the server reports it. */
export interface McpProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** Options of one request to the server. Both majors of the SDK accept these. */
export interface McpRequestOptions {
  readonly signal?: AbortSignal
  /** In milliseconds. */
  readonly timeout?: number
  readonly resetTimeoutOnProgress?: boolean
  readonly onprogress?: (progress: McpProgress) => void
}

/** The transport of a client. */
export interface McpTransport {
  /** Set by the client when it connects. Called with every message from the server. */
  onmessage?: unknown
  close(): Promise<void>
  /** For HTTP: tells the server that the session has ended. */
  terminateSession?(): Promise<void>
}

/**
 * A connected client: `Client` of `@modelcontextprotocol/client` 2 or of `@modelcontextprotocol/sdk` 1. The parameters
 * of its methods differ between the two, so only their names are declared.
 */
export interface McpClient {
  /** Undefined as soon as the connection is closed. */
  readonly transport?: unknown
  /** Calls a tool. */
  readonly callTool: (...args: never[]) => Promise<unknown>
  /** Lists a page of tools. */
  readonly listTools: (...args: never[]) => Promise<unknown>
  /** Closes the connection. */
  readonly close: () => Promise<void>
}

/** One page of a server's tools. */
export interface ToolPage {
  readonly tools?: unknown
  readonly nextCursor?: unknown
}

/** The SDK's client, with one order of arguments for both majors. */
export interface McpPeer {
  /** @param tool - the tool as it was listed, if it was */
  callTool(
    call: { name: string; arguments: object },
    tool: ListedTool | undefined,
    options: McpRequestOptions,
  ): Promise<unknown>
  /** Returns one page of its tools, as the server sent it. */
  listTools(cursor: string | undefined, options: McpRequestOptions): Promise<ToolPage>
  /** Whether the protocol allows to call a tool that is listed so. */
  isCallable(tool: object): boolean
}

/** The methods as they are called. */
interface AnyClient {
  callTool(...args: unknown[]): Promise<unknown>
  listTools(...args: unknown[]): Promise<ToolPage>
  request?(...args: unknown[]): Promise<unknown>
  getProtocolEra?(): unknown
  getServerCapabilities?(): { readonly tools?: unknown } | undefined
  _excludeInvalidXMcpHeaderTools?(page: { tools: unknown[] }): void
}

/**
 * A schema that accepts every result, as version 1 of the SDK and version 2 ask for one. Their own would fail a whole
 * list for one tool, and describe each flaw of a result: a list of a million empty objects exhausts the memory. So
 * results are read by this library.
 */
const ANYTHING = {
  parse: (value: unknown) => value,
  safeParse: (data: unknown) => ({ success: true, data }),
  '~standard': { version: 1, vendor: 'harmony-responses', validate: (value: unknown) => ({ value }) },
}

/**
 * Handles the differences between the SDK's majors, in this one place. Version 1 takes a schema of the result before
 * the options; with the other order, version 1 throws, and version 2 silently drops time-out and signal.
 *
 * Neither gets to see an `outputSchema`: the SDK would compile those of all tools at once and check results by the
 * server's own regular expressions, for which no time-out exists, although every result becomes text in any case.
 */
export function mcpPeerOf(client: McpClient): McpPeer {
  // The SDK is an optional peer, so only its structure is known here.
  const any = client as AnyClient
  const isVersion2 = any.getProtocolEra !== undefined
  const isModern = any.getProtocolEra?.() === 'modern'
  const ask = (method: string, params: object | undefined, options: McpRequestOptions) =>
    any.request?.({ method, ...(params !== undefined && { params }) }, ANYTHING, options)
  return {
    callTool(call, tool, options) {
      if (!isVersion2) return ask('tools/call', call, options) ?? any.callTool(call, undefined, options)
      // Parameters that become headers: it takes them from a definition that it is given, instead of from its cache.
      const withDefinition = { ...options, toolDefinition: tool ?? { name: call.name, inputSchema: {} } }
      return (isModern ? undefined : ask('tools/call', call, options)) ?? any.callTool(call, withDefinition)
    },
    async listTools(cursor, options) {
      const params = cursor === undefined ? undefined : { cursor }
      if (isVersion2 && any.getServerCapabilities?.()?.tools === undefined) return { tools: [] }
      // One page at a time. Its `listTools` gathers all pages, and version 1 compiles the schemas of each.
      const page = ask('tools/list', params, options)
      return (await (page ?? any.listTools(params, options))) as ToolPage
    },
    // A tool whose parameters cannot become headers has to be left out, by the protocol of 2026 over HTTP.
    isCallable(tool) {
      const page = { tools: [tool] }
      if (isModern) any._excludeInvalidXMcpHeaderTools?.(page)
      return page.tools.length > 0
    },
  }
}
