import { type BuiltinTool, builtinNamed, builtinOf, HOSTED_BUILTINS } from '../../core/recipients/builtin-tools.js'
import { isUnaddressed } from '../../endpoint/prompt/untaught-tools.js'
import type { OperatorOffer } from '../../endpoint/server/index.js'
import { type Io, readFileOrStdin, UsageError } from '../io.js'
import type { HostedTool } from './hosted-tool.js'
import type { NamedServer } from './mcp-servers.js'
import type { ServeSettings } from './settings.js'

/** Whether it is the name of a tool that a host could run, in the API or in gpt-oss. */
function isHostTool(name: string): boolean {
  const isTaught = (tool: BuiltinTool): boolean => builtinNamed(tool).namespace()?.name === name
  return HOSTED_BUILTINS.some((tool) => tool === builtinOf(name) || isTaught(tool)) || isUnaddressed(name)
}

/** The options by which `serve` runs a built-in tool. */
const RUN_BY: { readonly [tool: string]: string } = {
  file_search: '--file-search DIR',
  web_search: '--search NAME',
  code_interpreter: '--python auto',
}

/** Returns the tools that are offered to each response. @throws UsageError */
export async function offeredOf(
  { offered, instructions: file, effort }: ServeSettings,
  servers: readonly NamedServer[],
  hosted: readonly HostedTool[],
  io: Io,
): Promise<OperatorOffer> {
  const isServer = (label: string): boolean => servers.some((server) => server.label === label)
  const declarationOf = (label: string): HostedTool['declaration'] | undefined =>
    isServer(label) ? undefined : hosted.map(({ declaration }) => declaration).find(({ type }) => type === label)
  const unknown = offered.find((label) => !isServer(label) && declarationOf(label) === undefined)
  if (unknown !== undefined && isHostTool(unknown)) {
    const option = RUN_BY[unknown]
    const unless = option === undefined ? '' : ` without ${option}`
    const ways = `--offer ${unknown}=COMMAND or --offer ${unknown}=URL`
    throw new UsageError(
      `--offer ${unknown}: serve does not run ${unknown} itself${unless}: name an MCP server that does, ${ways}`,
    )
  }
  if (unknown !== undefined) {
    const known = servers.map(({ label }) => label).join(', ') || 'none'
    throw new UsageError(
      `--offer ${unknown}: expected the label of a server of --mcp or --mcp-config, of which there are: ${known}`,
    )
  }
  const instructions = file === undefined ? '' : (await readFileOrStdin(file, io)).trim()
  return {
    tools: offered.map((label) => declarationOf(label) ?? { type: 'mcp', server_label: label }),
    ...(instructions !== '' && { instructions }),
    ...(effort !== undefined && { effort }),
  }
}

/** Returns the labels of all MCP servers, and of tools in their form. @throws UsageError if a tool has that of a server */
export function labelsOf(servers: readonly NamedServer[], hosted: readonly HostedTool[]): ReadonlySet<string> {
  const labels = new Set(servers.map(({ label }) => label))
  for (const { tool, declaration } of hosted) {
    const [option] = RUN_BY[declaration.type]?.split(' ') ?? []
    for (const label of tool.serverLabels ?? []) {
      if (!labels.has(label)) labels.add(label)
      else throw new UsageError(`--mcp ${label}: expected another label with ${option}, whose tool has this one`)
    }
  }
  return labels
}
