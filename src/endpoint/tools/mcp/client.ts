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
  readonly callTool: (...args: never[]) => Promise<unknown>
  readonly listTools: (...args: never[]) => Promise<unknown>
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
  listTools(cursor: string | undefined, options: McpRequestOptions): Promise<ToolPage>
}

/** The methods as they are called. */
interface AnyClient {
  callTool(...args: unknown[]): Promise<unknown>
  listTools(...args: unknown[]): Promise<ToolPage>
  request?(...args: unknown[]): Promise<ToolPage>
}

/** A page of tools, as version 1 reads results by schemas of zod. */
const PAGE = {
  parse(page: unknown): ToolPage {
    if (Array.isArray((Object(page) as ToolPage).tools)) return page as ToolPage
    throw new Error(`A page of tools has no list of them.`)
  },
  safeParse(page: unknown): { success: true; data: ToolPage } | { success: false; error: unknown } {
    try {
      return { success: true, data: PAGE.parse(page) }
    } catch (error) {
      return { success: false, error }
    }
  },
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
  if ('getProtocolEra' in client) {
    return {
      // It takes schemas from a definition that it is given, instead of from its cache.
      callTool: (call, tool, options) =>
        any.callTool(call, { ...options, toolDefinition: tool ?? { name: call.name, inputSchema: {} } }),
      // It caches lists as long as a server allows; this library decides how old a list may be.
      listTools: (cursor, options) =>
        any.listTools(cursor === undefined ? undefined : { cursor }, { ...options, cacheMode: 'bypass' }),
    }
  }
  return {
    callTool: (call, _, options) => any.callTool(call, undefined, options),
    listTools(cursor, options) {
      const params = cursor === undefined ? undefined : { cursor }
      // Its `listTools` compiles the schemas of every page.
      return any.request?.({ method: 'tools/list', params }, PAGE, options) ?? any.listTools(params, options)
    },
  }
}
