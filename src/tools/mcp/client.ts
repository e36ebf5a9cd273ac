/*
 * The parts of the MCP SDK that are used, as shapes: users of this library need not install the SDK. A `Client` of
 * `@modelcontextprotocol/client` 2 fits, and so does one of `@modelcontextprotocol/sdk` 1.
 */

/** How far a call is, as the server reports it. */
export interface McpProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** Options of one request to the server. Both majors of the SDK take these. */
export interface McpRequestOptions {
  readonly signal?: AbortSignal
  /** In milliseconds. */
  readonly timeout?: number
  readonly resetTimeoutOnProgress?: boolean
  readonly onprogress?: (progress: McpProgress) => void
}

/** The connection below a client. */
export interface McpTransport {
  /** The client sets it when it connects. Called with every message from the server. */
  onmessage?: unknown
  close(): Promise<void>
  /** Of HTTP: tells the server that the session is over. */
  terminateSession?(): Promise<void>
}

/**
 * A connected client: `Client` of `@modelcontextprotocol/client` 2 or of `@modelcontextprotocol/sdk` 1. What its
 * methods take differs between the two, so that only names are declared.
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

/** Either major of the SDK, with one order of arguments. */
export interface McpPeer {
  callTool(call: { name: string; arguments: object }, options: McpRequestOptions): Promise<unknown>
  listTools(cursor: string | undefined, options: McpRequestOptions): Promise<ToolPage>
}

/** The methods as they are called. */
interface AnyClient {
  callTool(...args: unknown[]): Promise<unknown>
  listTools(...args: unknown[]): Promise<ToolPage>
}

/**
 * The one place that knows the SDK's majors apart. Version 1 takes a schema of the result before the options; given the
 * other's order it throws, and version 2 drops time-out and signal in silence.
 */
export function mcpPeerOf(client: McpClient): McpPeer {
  // The SDK is an optional peer, known here by shape alone.
  const any = client as unknown as AnyClient
  const isVersion2 = 'getProtocolEra' in client
  return {
    callTool: (call, options) => (isVersion2 ? any.callTool(call, options) : any.callTool(call, undefined, options)),
    // Version 2 keeps lists as long as a server says; how old a list may be is decided here.
    listTools: (cursor, options) =>
      any.listTools(cursor === undefined ? undefined : { cursor }, { ...options, cacheMode: 'refresh' }),
  }
}
