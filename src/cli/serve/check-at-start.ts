import type { ServeOptions } from '../../endpoint/server/node.js'
import type { McpTools } from '../../endpoint/tools/mcp/index.js'
import { complaint, type Io, messageOf } from '../io.js'
import type { OpenedEngine } from './engines/engine.js'
import type { NamedServer } from './mcp-servers.js'

/** Warns if the engine does not answer yet. An engine behind HTTP may start later, so that is no error. */
export function checkHealth({ engine, namesContext }: OpenedEngine, io: Io): void {
  const options = { signal: AbortSignal.timeout(5000), constraints: false }
  const check = async (): Promise<void> => {
    await engine.health(options)
    if (namesContext !== true || (await engine.capabilities?.(options))?.contextLength !== undefined) return
    const why = 'the engine names no context length (max_model_len): set it by --context-size'
    io.complain(complaint(new Error(`${why}, or requests without max_output_tokens fail`)))
  }
  check().catch((error: unknown) => {
    io.complain(complaint(new Error(`the engine does not answer yet: ${messageOf(error)}`)))
  })
}

/** How long a tool server may take before it is said that it does not answer. */
const TOOLS_MS = 10_000

/** Returns the MCP servers, for the operator to see whether they answer. */
export function partsOf(
  mcp: McpTools | undefined,
  servers: readonly NamedServer[],
): NonNullable<ServeOptions['parts']> {
  if (mcp === undefined) return []
  return servers.map(({ label }) => ({
    type: 'mcp' as const,
    name: label,
    async check(signal: AbortSignal) {
      const tools = [{ type: 'mcp' as const, server_label: label }]
      const [listing] = await mcp.listings({ tools }, { signal })
      if (listing?.tools === undefined) throw new Error(`MCP server ${label} does not answer`)
    },
  }))
}

/** Connects to the MCP servers, so that a wrong command or address is reported now and not at some request. */
export function checkTools(
  mcp: McpTools | undefined,
  servers: readonly NamedServer[],
  report: (error: unknown) => void,
): void {
  const tools = servers.map(({ label }) => ({ type: 'mcp' as const, server_label: label }))
  mcp?.listings({ tools }, { signal: AbortSignal.timeout(TOOLS_MS) }).catch(report)
}
