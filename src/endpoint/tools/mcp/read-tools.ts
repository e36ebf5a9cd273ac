import type { ListedTool } from '../../../core/responses/mcp-listing.js'
import { isFields } from '../../../shared/fields.js'
import { childSignals } from '../../flow/child-signals.js'
import type { McpPeer, McpRequestOptions } from './client.js'
import { isTooDeep } from './too-deep.js'

/** More than any real server has, and few enough that a server with an endless list cannot fill the memory. */
const MOST_TOOLS = 20_000

/**
 * Returns all pages of a server's tools, with the fields that the API has.
 *
 * @param onBroken - called for each tool that is left out, with the reason
 * @throws Error the SDK's, or one for too many tools
 */
export async function readTools(
  peer: McpPeer,
  options: McpRequestOptions & { readonly signal: AbortSignal },
  onBroken: (error: Error) => void,
): Promise<readonly ListedTool[]> {
  const tools = new Map<string, ListedTool>()
  const signals = childSignals(options.signal)
  let cursor: string | undefined
  do {
    // Version 1 of the SDK leaves a listener on the signal of every request.
    const { signal, end } = signals.open()
    const page = await peer.listTools(cursor, { ...options, signal }).finally(end)
    for (const tool of Array.isArray(page.tools) ? page.tools : []) {
      const { name, description, inputSchema, annotations } = Object(tool) as Partial<ListedTool>
      const flaw = flawOf(name, inputSchema, annotations)
      if (flaw !== undefined) onBroken(new Error(`A tool is left out: ${flaw}.`))
      // Of two tools with one name, the server would run the first.
      else if (!tools.has(name as string))
        tools.set(name as string, toolOf(name as string, description, inputSchema, annotations))
    }
    if (tools.size > MOST_TOOLS) throw new Error(`The server lists more than ${MOST_TOOLS} tools.`)
    cursor = typeof page.nextCursor === 'string' ? page.nextCursor : undefined
  } while (cursor !== undefined)
  return [...tools.values()]
}

function toolOf(name: string, description: unknown, inputSchema: unknown, annotations: unknown): ListedTool {
  return {
    name,
    ...(typeof description === 'string' && { description }),
    inputSchema: inputSchema ?? {},
    ...(annotations !== undefined && { annotations }),
  }
}

function flawOf(name: unknown, inputSchema: unknown, annotations: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'it has no name'
  if (inputSchema !== undefined && !isFields(inputSchema)) return `the schema of ${JSON.stringify(name)} is no object`
  return isTooDeep([inputSchema, annotations])
    ? `the schema of ${JSON.stringify(name)} is nested too deeply`
    : undefined
}
