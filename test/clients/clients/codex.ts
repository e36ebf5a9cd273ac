import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Call, type Client, hostedCalls, type Played } from '../play.js'
import {
  FIXED_FILE,
  modelOf,
  PATCH,
  PATCHED_FILE,
  runTool,
  type Scenario,
  toolsOf,
  WEATHER,
  withCalls,
  withHostedCalls,
} from '../scenarios.js'

/** The hosted calls that it knows. */
const SEARCHES: readonly string[] = ['web search', 'search without a runner']

const DOCS_SERVER = fileURLToPath(new URL('../docs-server.mjs', import.meta.url))
const CODEX = fileURLToPath(new URL('../node_modules/@openai/codex/bin/codex.js', import.meta.url))

/**
 * The published binary, as `codex exec --json`. It has tools of its own: when the model calls ours, it calls Codex's
 * shell with a program of that name, and Codex really runs it.
 */
export const codex: Client = {
  name: 'Codex CLI',
  hidesBlankReasoning: true,
  profile: 'client:codex',
  wording: (scenario) => ({ ...scenario, turns: scenario.turns.map(inShell) }),
  showsWholeMessages: true,
  play: (scenario, baseURL, options) => playCodex(config(scenario, baseURL), options),
  limits: [
    {
      scenario: ['reasoning, both'],
      what: 'no raw reasoning',
      because: 'of the two it shows the summary',
      shows: { reasoning: 'Rain is likely.' },
    },
    {
      // For every other model Codex requests a summary, and gets one.
      scenario: ['custom tool'],
      what: 'no raw reasoning',
      because:
        '`codex exec` prints only summaries, and asks for none if it takes the model for the one that gets its patch tool; reasoning: "summary" shows it',
      shows: { reasoning: '' },
    },
    {
      scenario: withCalls.filter((name) => name !== 'MCP approval'),
      what: 'results in its own words',
      because: 'what its tools print goes back in a frame of its own (exit code, time), under an id of its own',
      shows: {
        sentBack: {
          reasoning: 'without status',
          function_call_output: 'other output; with id',
          custom_tool_call_output: 'other output; with id',
        },
      },
    },
    {
      scenario: [
        'preamble and call',
        'three turns',
        'call, sealed reasoning',
        'compaction by the host',
        'file search and image by the host',
      ],
      what: 'sends no raw reasoning',
      because:
        'reasoning that it got as a summary goes back as a summary, with its encrypted_content where it is sealed',
      shows: { sentBack: { reasoning: 'without content, status' } },
    },
    {
      scenario: ['two calls', 'code without a runner', 'search without a runner'],
      what: 'sends back how calls were sampled',
      because:
        'the reasoning item that ends such an output has a seal and no text; it goes back without its empty content',
      shows: { sentBack: { reasoning: 'without content, status' } },
    },
    {
      scenario: ['custom tool'],
      what: 'sends back how a custom call was sampled',
      because: 'the same, after reasoning that has a text',
      shows: { sentBack: { reasoning: 'without status / without content, status' } },
    },
    {
      scenario: withHostedCalls.filter((name) => !SEARCHES.includes(name)),
      what: 'no hosted calls',
      because:
        '`codex exec` prints no hosted calls but web searches; compactions and images go back, file searches and code do not',
      shows: { hosted: [], sentBack: { file_search_call: 'absent', code_interpreter_call: 'absent' } },
    },
    {
      scenario: ['MCP approval'],
      what: 'no approval',
      because: 'it ignores the approval request, and the run ends there',
      shows: { text: [] },
    },
    {
      scenario: ['web search'],
      what: 'no citations',
      because: '`codex exec` prints the text, in which the links are, and no annotations',
      shows: { citations: [] },
    },
    {
      scenario: ['truncated answer', 'truncated call', 'truncated call, whole'],
      what: 'truncation is an error',
      because: 'it fails the turn at response.incomplete, with the reason; nothing of a call that was cut off is run',
      shows: { ending: 'failed', error: 'Incomplete response returned, reason: max_output_tokens' },
    },
    {
      scenario: ['failure'],
      what: 'more words',
      because: 'it puts the error in words of its own, and prints nothing of an incomplete message',
      shows: { text: [], error: 'stream disconnected before completion: The server had an internal error.' },
    },
    {
      scenario: ['abort'],
      what: 'no half message',
      because: '`codex exec` prints messages only once they are complete',
      shows: { text: [] },
    },
  ],
}

/** The part of its configuration with an MCP server of its own, `docs`, whose tool is `lookup`. */
export const OWN_MCP_SERVER: string = `
[mcp_servers.docs]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(DOCS_SERVER)}]
`

/** Plays a scenario with an MCP server of Codex's own, `docs`, whose tool `lookup` it really calls. */
export const playWithMcp: Client['play'] = (scenario, baseURL, options) =>
  playCodex(`${config(scenario, baseURL)}${OWN_MCP_SERVER}`, options)

/**
 * Continues over a WebSocket until the model answers: with the built-in provider at another address, or with a provider
 * that declares WebSockets.
 */
export function playOverWebSocket(
  provider: 'built-in' | 'custom',
  baseURL: string,
  options: Parameters<Client['play']>[2],
): Promise<Played> {
  const builtIn = `
model = "gpt-oss"
openai_base_url = ${JSON.stringify(baseURL)}
`
  const custom = codexConfig(baseURL, { supports_websockets: true, stream_max_retries: 1 })
  return playCodex(provider === 'built-in' ? builtIn : custom, options)
}

/**
 * Runs it with a configuration, in a folder with the files that the scenarios' tools use.
 *
 * @param onWarning - receives its warnings
 */
export async function playCodex(
  config: string,
  { onText, signal, onWarning }: Parameters<Client['play']>[2] & { onWarning?: (text: string) => void },
): Promise<Played> {
  const home = await mkdtemp(join(tmpdir(), 'codex-'))
  try {
    await furnish(home, config)
    const { lines, exit } = await exec(home, signal)
    const played = await playedOf(lines, home)
    for (const message of played.text) onText(message)
    for (const { item } of lines) if (item?.type === 'error') onWarning?.(item.message ?? '')
    if (signal.aborted) return { ...played, ending: 'aborted' }
    const failure = lines.find(({ type }) => type === 'turn.failed')?.error?.message
    // The lines that scripts parse.
    if ((failure === undefined) !== (exit === 0)) throw new Error(`codex exits with ${exit}, and says: ${failure}`)
    return failure === undefined ? played : { ...played, ending: 'failed', error: failure }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The calls of `get_weather` as calls of Codex's shell, also of one that is cut off. */
function inShell(turn: Scenario['turns'][number]): Scenario['turns'][number] {
  const tokens = turn.tokens.map((part) =>
    typeof part === 'string'
      ? part.replace(
          / to=functions\.get_weather([^{]*)\{"city":"(\w+)("\})?/g,
          (_, header, city, end = '') => ` to=functions.exec_command${header}{"cmd":"./get_weather ${city}${end}`,
        )
      : part,
  )
  return { ...turn, tokens }
}

/** The files that the scenario's tools use. */
async function furnish(home: string, config: string): Promise<void> {
  const answers = Object.entries(WEATHER).map(([city, weather]) => `${city}) printf '%s' '${weather}' ;;`)
  await writeFile(join(home, 'get_weather'), `#!/bin/sh\ncase "$1" in\n${answers.join('\n')}\nesac\n`)
  await chmod(join(home, 'get_weather'), 0o755)
  await writeFile(join(home, PATCHED_FILE.name), PATCHED_FILE.text)
  await writeFile(join(home, 'config.toml'), config)
}

/**
 * A configuration of Codex with one provider, at this address. Nothing is tried again: each request is one turn.
 *
 * @param settings - more of the provider, or others
 */
export function codexConfig(
  baseURL: string,
  settings: Readonly<Record<string, number | boolean>> = {},
  model = 'gpt-oss',
): string {
  const all = { stream_max_retries: 0, request_max_retries: 0, ...settings }
  return `
model = ${JSON.stringify(model)}
model_provider = "local"
[model_providers.local]
name = "local"
base_url = ${JSON.stringify(baseURL)}
wire_api = "responses"
requires_openai_auth = false
${Object.entries(all)
  .map(([name, value]) => `${name} = ${value}\n`)
  .join('')}`
}

/**
 * Codex declares its patch tool, a custom one, to the models alone that it knows; it goes by how a model's name begins.
 */
const config = (scenario: Scenario, baseURL: string): string =>
  codexConfig(baseURL, {}, `${toolsOf(scenario, 'custom').length > 0 ? 'gpt-5.5:' : ''}${modelOf(scenario)}`)

/** A line of `codex exec --json`. */
interface Line {
  readonly type: string
  readonly error?: { readonly message: string }
  readonly item?: {
    readonly type: string
    readonly text?: string
    readonly message?: string
    readonly command?: string
    readonly aggregated_output?: string
    readonly action?: object
    readonly changes?: readonly { readonly path: string; readonly kind: string }[]
  }
}

/** Runs it in a folder that is also its home. A signal interrupts it as Ctrl-C does. */
async function exec(home: string, signal: AbortSignal): Promise<{ lines: Line[]; exit: number | null }> {
  const flags = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-C', home]
  const child = spawn(process.execPath, [CODEX, 'exec', ...flags, 'Go on.'], {
    cwd: home,
    // The built-in provider wants a key.
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      CODEX_HOME: home,
      NO_PROXY: '127.0.0.1',
      CODEX_API_KEY: 'none',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const interrupt = (): boolean => child.kill('SIGINT')
  signal.addEventListener('abort', interrupt)
  const lines: Line[] = []
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('{')) lines.push(JSON.parse(line))
  })
  const [errors, exit] = await Promise.all([
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
  ])
  if (lines.length === 0) throw new Error(`codex printed nothing, and said: ${errors}`)
  return { lines, exit }
}

async function playedOf(lines: readonly Line[], home: string): Promise<Played> {
  const items = lines.flatMap(({ type, item }) => (type === 'item.completed' && item !== undefined ? [item] : []))
  const of = (kind: string) => items.filter(({ type }) => type === kind)
  const patched = of('file_change').length > 0 ? [await patchIn(home)] : []
  return {
    text: of('agent_message').map(({ text = '' }) => text),
    reasoning: of('reasoning')
      .map(({ text = '' }) => text)
      .join(''),
    // Calls of one response run at the same time, and end in any order.
    calls: [...of('command_execution').map(weatherCall).sort(byCity), ...patched],
    hosted: of('web_search').flatMap(({ action }) => hostedCalls({ type: 'web_search_call', action })),
    citations: [],
    ending: 'completed',
  }
}

/** The scenario's call of a command, if the command printed the tool's result. */
function weatherCall({ command = '', aggregated_output: output = '' }: NonNullable<Line['item']>): Call {
  const city = /\.\/get_weather (\w+)/.exec(command)?.[1]
  const call: Call = { name: 'get_weather', arguments: { city } }
  return runTool(call.name, call.arguments) === output ? call : { name: command, arguments: output }
}

const byCity = (a: Call, b: Call): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

/** The patch, if the file is what the patch expects. */
async function patchIn(home: string): Promise<Call> {
  const now = await readFile(join(home, PATCHED_FILE.name), 'utf8')
  return { name: 'apply_patch', arguments: now === FIXED_FILE ? PATCH : `left behind: ${now}` }
}
