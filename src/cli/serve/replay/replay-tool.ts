import { parseMessages } from '../../../core/harmony/parse-messages.js'
import { builtinCalled, isHostedBuiltinItem } from '../../../core/recipients/builtin-tools.js'
import type { OutputItem } from '../../../core/responses/items.js'
import type { McpListing } from '../../../core/responses/mcp-listing.js'
import type { McpTool, ResponseRequest } from '../../../core/responses/request.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { HostedCall, Tool } from '../../../endpoint/tools/tool.js'
import { replay } from '../../../engines/sources/replay.js'
import type { TokenFixture } from '../../../engines/sources/token-fixture.js'
import { translateBatches } from '../../../index.js'
import { fixedOptions } from '../../replay.js'

/** The tools in the fixtures: the listings of servers, and the results of calls. */
export interface RecordedTools {
  readonly listings: ReadonlyMap<string, McpListing>
  /** The results, by {@link wordsOf} of their calls. */
  readonly results: ReadonlyMap<string, string>
}

export async function recordedTools(fixtures: readonly TokenFixture[], tokenTable: TokenTable): Promise<RecordedTools> {
  const listings = new Map<string, McpListing>()
  const results = new Map<string, string>()
  for (const fixture of fixtures) {
    for (const listing of fixture.setup?.mcpListings ?? []) listings.set(listing.serverLabel, listing)
    const calls = await hostedCalls(fixture)
    const texts = resultTexts(fixture, tokenTable)
    for (const [index, call] of calls.entries()) {
      const text = texts[index]
      if (text !== undefined) results.set(wordsOf(call), text)
      if (call.type === 'mcp_call') list(listings, call.server_label, call.name)
    }
  }
  return { listings, results }
}

/** Returns the labels of all MCP servers that the fixtures declare or list. */
export const recordedServers = (fixtures: readonly TokenFixture[]): ReadonlySet<string> =>
  new Set(
    fixtures.flatMap(({ request = {}, setup }) => [
      ...declaredServers(request),
      ...(setup?.mcpListings ?? []).map(({ serverLabel }) => serverLabel),
    ]),
  )

/**
 * Creates a tool that answers hosted calls with the recorded result, or with a sentence, in place of the fixture's
 * tools.
 *
 * @param servers - the labels of the MCP servers that it plays
 * @param recorded - called on demand
 */
export function createReplayTool(servers: ReadonlySet<string>, recorded: () => Promise<RecordedTools>): Tool {
  return {
    serverLabels: [...servers],
    answers: (call) => call.type !== 'mcp_call' || servers.has(call.server_label),
    async run(call) {
      const { results } = await recorded()
      return { output: results.get(wordsOf(call)) ?? 'A script plays this tool: no recording contains this call.' }
    },
    async listings(request) {
      const labels = declaredServers(request).filter((label) => servers.has(label))
      if (labels.length === 0) return []
      const { listings } = await recorded()
      return labels.flatMap((label) => listings.get(label) ?? [])
    },
  }
}

export function declaredServers({ tools }: ResponseRequest): string[] {
  return (tools ?? []).flatMap((tool) => (tool.type === 'mcp' ? [(tool as McpTool).server_label] : []))
}

/** Lists the called tools of a server whose listing was not recorded. */
function list(listings: Map<string, McpListing>, serverLabel: string, name: string): void {
  const { tools = [] } = listings.get(serverLabel) ?? {}
  if (tools.some((tool) => tool.name === name)) return
  listings.set(serverLabel, { serverLabel, tools: [...tools, { name, inputSchema: { type: 'object' } }] })
}

/** Returns the calls that the fixture's host ran, in order. */
async function hostedCalls(fixture: TokenFixture): Promise<HostedCall[]> {
  const events = translateBatches(replay(fixture), { ...fixedOptions(fixture), onError() {} })
  let output: readonly OutputItem[] = []
  for await (const batch of events) for (const event of batch) if ('response' in event) output = event.response.output
  return output.filter((item): item is HostedCall => item.type === 'mcp_call' || isHostedBuiltinItem(item.type))
}

function resultTexts({ tokens }: TokenFixture, tokenTable: TokenTable): string[] {
  return tokens.flatMap((chunk) => {
    if (typeof chunk !== 'object' || !('host' in chunk)) return []
    const { host } = chunk
    if (typeof host === 'object' && 'author' in host) return [host.text]
    const { messages } = parseMessages(host, { tokenTable, role: null, origin: 'host' })
    return messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
  })
}

/** Returns the content of a call, without its id and its state. */
function wordsOf(call: HostedCall): string {
  if (call.type !== 'mcp_call') return JSON.stringify([call.type, builtinCalled(call)?.asked(call)])
  return JSON.stringify([call.type, call.name, call.server_label, call.arguments])
}
