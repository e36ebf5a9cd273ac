import type { CallResult } from '../../../core/responses/call-result.js'
import type { McpCallItem } from '../../../core/responses/items.js'
import type { McpListing } from '../../../core/responses/mcp-listing.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import type { Concealer } from '../../../engines/sources/http/conceal.js'
import { callSafely } from '../../../shared/call-safely.js'
import { childSignals } from '../../flow/child-signals.js'
import { deadline } from '../deadline.js'
import { saysRepeatable } from '../repeatable.js'
import type { HostedCall, Tool, ToolContext } from '../tool.js'
import { allowedBy, asksForHints, declaredLabels } from './allowed.js'
import { callArguments } from './arguments.js'
import type { McpProgress } from './client.js'
import { createConnection, type McpConnection } from './connection.js'
import { CANCELLED, LATE, mcpFailureOf, NO_LIST } from './failure.js'
import { type McpErrorContext, type McpToolsOptions, settingsOf } from './options.js'
import { resultOf } from './result.js'
import { concealerOf, shownError } from './secrets.js'

/** The tools of the configured MCP servers. */
export interface McpTools extends Tool {
  /** Lists the tools of the configured servers that a request declares. */
  listings(request: ResponseRequest, context: Pick<ToolContext, 'signal'>): Promise<readonly McpListing[]>
  /** Ends connections, sessions and processes, except for clients that you passed. Running calls fail. Never throws. */
  close(): Promise<void>
}

interface Server {
  readonly connection: McpConnection
  readonly conceal: Concealer
}

/** JSON-RPC's "invalid params", with which MCP servers reject unknown tools. */
const INVALID_PARAMS = -32602

/**
 * Creates a tool that runs the `mcp_call`s of the servers that you configure.
 *
 * A request selects a server by its `server_label`, and by `allowed_tools` those of its tools that may run. Servers are
 * connected at first use, and reconnected after a connection was lost. Needs `@modelcontextprotocol/client` 2, unless
 * all servers are given as clients.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { mcpTools } from 'harmony-responses/tools/mcp'
 *
 * const tools = mcpTools({
 *   servers: {
 *     github: { url: 'https://mcp.example.com/github', headers: { authorization: 'Bearer secret' } },
 *     files: { command: 'mcp-server-files', args: ['/srv/files'], allowedTools: ['read', 'list'] },
 *   },
 * }) // for `tools` of respond or createResponsesApp
 * await tools.close()
 * ```
 */
export function mcpTools(options: McpToolsOptions): McpTools {
  const settings = settingsOf(options)
  const { maxOutputBytes } = settings
  const servers = new Map<string, Server>()
  for (const [serverLabel, config] of settings.servers) {
    const connection = createConnection(config, settings, (error) => reportError(error, { serverLabel }))
    servers.set(serverLabel, { connection, conceal: concealerOf(config) })
  }

  /** A handler that throws must not fail the call that it reports. */
  function reportError(error: unknown, context: McpErrorContext): void {
    const server = servers.get(context.serverLabel)
    callSafely(
      (reported) => settings.onError(reported, context),
      server === undefined ? error : shownError(error, server.conceal),
      (thrown) => console.error(thrown),
    )
  }

  function isOffered(label: string, name: string): boolean {
    const { allowedTools, excludedTools = [] } = settings.servers.get(label) ?? {}
    return allowedTools?.includes(name) !== false && !excludedTools.includes(name)
  }

  async function listingOf({ connection }: Server, request: ResponseRequest, label: string, signal: AbortSignal) {
    try {
      const all = await connection.tools(signal)
      const isAllowed = allowedBy(request, label, all)
      return {
        serverLabel: label,
        tools: all.filter(({ name }) => isOffered(label, name) && isAllowed(name)),
      }
    } catch (error) {
      if (!signal.aborted) reportError(error, { serverLabel: label })
      return { serverLabel: label, error: NO_LIST }
    }
  }

  async function isAllowed({ connection }: Server, call: McpCallItem, request: ResponseRequest, signal: AbortSignal) {
    const { server_label: label, name } = call
    if (!isOffered(label, name)) return false
    // The user approved this very call; the request that brings the approval need not declare the server again.
    if (call.approval_request_id !== null && !declaredLabels(request).includes(label)) return true
    const tools = asksForHints(request, label) ? await connection.tools(signal) : undefined
    return allowedBy(request, label, tools)(name)
  }

  async function run(server: Server, call: McpCallItem, context: ToolContext): Promise<CallResult> {
    const args = callArguments(call)
    if (args === undefined) return { error: { code: INVALID_PARAMS, message: 'The arguments are not a JSON object.' } }
    const { connection, conceal } = server
    const limit = deadline(connection.totalTimeoutMs, context.signal)
    const report = (progress: McpProgress): void => {
      try {
        context.report(progressOf(progress))
      } catch (error) {
        reportError(error, { serverLabel: call.server_label, call })
      }
    }
    try {
      if (!(await isAllowed(server, call, context.request, limit.signal))) {
        return { error: { code: INVALID_PARAMS, message: 'The request does not allow this tool.' } }
      }
      const answer = await connection.call(call.name, args, limit.signal, report)
      return resultOf(answer, maxOutputBytes, conceal.text)
    } catch (error) {
      if (limit.signal.aborted && !limit.isOver()) return { error: { message: CANCELLED } }
      const { error: modelError, isOperators } = mcpFailureOf(error, maxOutputBytes, conceal.text)
      if (isOperators) reportError(error, { serverLabel: call.server_label, call })
      return { error: limit.isOver() ? { message: LATE } : modelError }
    } finally {
      limit.clear()
    }
  }

  return {
    serverLabels: [...servers.keys()],
    answers: (call) => serverFor(call) !== undefined,
    async run(call, context) {
      const server = serverFor(call)
      if (server === undefined) return { error: { message: 'No MCP server is configured for this call.' } }
      return run(server, call as McpCallItem, context)
    },
    async isRepeatable(call, { signal }) {
      const server = serverFor(call)
      const tools = server === undefined ? [] : await server.connection.tools(signal)
      return saysRepeatable(tools.find(({ name }) => name === (call as McpCallItem).name)?.annotations)
    },
    listings(request, { signal }) {
      const signals = childSignals(signal)
      return Promise.all(
        declaredLabels(request).flatMap((label) => {
          const server = servers.get(label)
          if (server === undefined) return []
          const child = signals.open()
          return [listingOf(server, request, label, child.signal).finally(child.end)]
        }),
      )
    },
    async close() {
      await Promise.all([...servers.values()].map(({ connection }) => connection.close()))
    },
  }

  function serverFor(call: HostedCall): Server | undefined {
    return call.type === 'mcp_call' ? servers.get(call.server_label) : undefined
  }
}

function progressOf({ progress, total, message }: McpProgress) {
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
}
