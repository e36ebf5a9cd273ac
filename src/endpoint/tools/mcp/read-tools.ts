import type { ListedTool } from '../../../core/responses/mcp-listing.js'
import { isFields } from '../../../shared/fields.js'
import { shortened } from '../../../shared/shortened.js'
import { childSignals } from '../../flow/child-signals.js'
import type { McpPeer, McpRequestOptions } from './client.js'
import { memoryOf } from './memory-of.js'
import { isTooDeep } from './too-deep.js'

/** More than any real server has, and few enough that a server with an endless list ends soon. */
const MAX_TOOLS = 5_000
const MAX_PAGES = 1_000
/** In UTF-16 code units; the protocol allows 128. */
const MAX_NAME_LENGTH = 256
/**
 * The limit of the memory of all pages, with what is left out of them. It is many times the model's context, in which
 * each request that declares the server has its tools.
 */
const MAX_LIST_BYTES = 4_194_304
/**
 * The limit of the memory of one tool, such as a schema of some 6,000 properties: objects of tens of thousands take a
 * second to copy.
 */
const MAX_TOOL_BYTES = 262_144
/** How many tools that are left out are reported one by one. */
const MAX_REPORTS = 10

/**
 * Returns all pages of a server's tools, with the fields that the API has.
 *
 * @param onBroken - called for the tools that are left out, with the reason
 * @throws Error the SDK's, or one for a list that is none or too long
 */
export async function readTools(
  peer: McpPeer,
  options: McpRequestOptions & { readonly signal: AbortSignal },
  onBroken: (error: Error) => void,
): Promise<readonly ListedTool[]> {
  const tools = new Map<string, ListedTool>()
  const signals = childSignals(options.signal)
  let [pages, bytes, broken] = [0, 0, 0]
  let cursor: string | undefined
  do {
    // Version 1 of the SDK leaves a listener on the signal of every request.
    const { signal, end } = signals.open()
    const page = await peer.listTools(cursor, { ...options, signal }).finally(end)
    if (!Array.isArray(page.tools)) throw new Error('A page of tools has no list of them.')
    pages += 1
    bytes += memoryOf(page, MAX_LIST_BYTES)
    if (bytes > MAX_LIST_BYTES) throw new Error(`The server's list of tools has more than ${MAX_LIST_BYTES} bytes.`)
    if (pages > MAX_PAGES) throw new Error(`The server lists its tools on more than ${MAX_PAGES} pages.`)
    for (const tool of page.tools) {
      const flaw = flawOf(tool, peer)
      if (flaw !== undefined) {
        broken += 1
        if (broken <= MAX_REPORTS) onBroken(new Error(`A tool is left out: ${flaw}.`))
        // Of two tools with one name, the server would run the first.
      } else if (!tools.has(tool.name)) tools.set(tool.name, toolOf(tool))
    }
    if (tools.size > MAX_TOOLS) throw new Error(`The server lists more than ${MAX_TOOLS} tools.`)
    cursor = typeof page.nextCursor === 'string' ? page.nextCursor : undefined
  } while (cursor !== undefined)
  if (broken > MAX_REPORTS) onBroken(new Error(`${broken - MAX_REPORTS} more tools are left out.`))
  return [...tools.values()]
}

function toolOf({ name, description, inputSchema, annotations }: ListedTool): ListedTool {
  return {
    name,
    ...(typeof description === 'string' && { description }),
    inputSchema: inputSchema ?? {},
    ...(isFields(annotations) && { annotations }),
  }
}

function flawOf(tool: unknown, peer: McpPeer): string | undefined {
  if (!isFields(tool)) return 'it is no object'
  const { name, inputSchema, annotations } = tool
  if (typeof name !== 'string' || name === '') return 'it has no name'
  const shown = JSON.stringify(shortened(name, MAX_NAME_LENGTH))
  if (name.length > MAX_NAME_LENGTH) return `its name ${shown} is longer than ${MAX_NAME_LENGTH} characters`
  const isOfObject =
    inputSchema === undefined || (isFields(inputSchema) && (inputSchema['type'] ?? 'object') === 'object')
  if (!isOfObject) return `the schema of ${shown} is not that of an object`
  if (isTooDeep([inputSchema, annotations])) return `the schema of ${shown} is nested too deeply`
  const kept = [tool['description'], inputSchema, annotations]
  if (memoryOf(kept, MAX_TOOL_BYTES) > MAX_TOOL_BYTES) return `${shown} has more than ${MAX_TOOL_BYTES} bytes`
  return peer.isCallable(tool) ? undefined : `the schema of ${shown} asks for headers that do not exist`
}
