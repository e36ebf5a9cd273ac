import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Outcome, Replayer } from './replay.js'

const CODEX = fileURLToPath(new URL('../node_modules/@openai/codex/bin/codex.js', import.meta.url))

/** A run that takes longer has hung. */
const MAX_MS = 60_000

/** How often a run is repeated if it failed for reasons that have nothing to do with the stream. */
const ATTEMPTS = 4

/** Each run takes half a second of one core, so that more at once only make each other slower. */
const AT_ONCE = 2

/**
 * The published binary, as `codex exec --json`: one server and one home for all runs. Its tools have other names than
 * the calls of a stream, and it answers "unsupported call" to each of those, in the next request: so we see which calls
 * it dispatched, and nothing is run. Where a stream does name one of its tools, the sandbox is read-only.
 *
 * It prints messages when they are complete, and no text while it is streamed.
 */
export function codexReplayer(): Replayer {
  const runs = new Map<string, Run>()
  let started: Promise<Started> | undefined
  let count = 0
  const waiting: (() => void)[] = []
  let running = 0

  async function turn(): Promise<void> {
    if (running++ < AT_ONCE) return
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  return {
    isUnsteady: true,
    client: 'codex',
    async replay(body) {
      started ??= start(runs)
      const { home, url } = await started
      await turn()
      try {
        for (let attempt = 1; ; attempt++) {
          const id = String(count++)
          const run: Run = { body, requests: [] }
          runs.set(id, run)
          const printed = await exec(home, `${url}/${id}`)
          runs.delete(id)
          if (!printed.isLost || attempt === ATTEMPTS) return outcomeOf(run, printed)
        }
      } finally {
        running--
        waiting.shift()?.()
      }
    },
    async close() {
      if (started === undefined) return
      const { home, server } = await started
      server.close()
      server.closeAllConnections()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

interface Run {
  readonly body: string
  /** What Codex sent. */
  readonly requests: { readonly input: readonly InputItem[] }[]
}

interface InputItem {
  readonly type: string
  readonly call_id?: string
  readonly name?: string
  readonly namespace?: string
  readonly arguments?: string
  readonly input?: string
}

interface Started {
  readonly server: Server
  readonly url: string
  readonly home: string
}

async function start(runs: ReadonlyMap<string, Run>): Promise<Started> {
  const server = createServer((request, response) => void answer(runs, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const home = await mkdtemp(join(tmpdir(), 'codex-judge-'))
  await mkdir(join(home, 'work'))
  await writeFile(join(home, 'config.toml'), CONFIG)
  return { server, home, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/**
 * Answers the first request of a run with the stream, and later ones, which bring results of calls, with an end without
 * output.
 */
async function answer(
  runs: ReadonlyMap<string, Run>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const run = runs.get(/^\/(\d+)\//.exec(request.url ?? '')?.[1] ?? '')
  const asked = await text(request)
  if (run === undefined || request.method !== 'POST') {
    response.writeHead(404).end()
    return
  }
  run.requests.push(JSON.parse(asked))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(run.requests.length === 1 ? run.body : 'data: {"type":"response.completed","response":{"id":"end"}}\n\n')
}

const CONFIG = `
model = "gpt-oss"
model_provider = "local"
model_reasoning_summary = "auto"
[features]
plugins = false
apps = false
[model_providers.local]
name = "local"
wire_api = "responses"
requires_openai_auth = false
stream_max_retries = 0
request_max_retries = 0
stream_idle_timeout_ms = 20000
`

/** A line of `codex exec --json`. */
interface Line {
  readonly type: string
  readonly error?: { readonly message: string }
  readonly item?: { readonly type: string; readonly text?: string }
}

interface Printed {
  readonly lines: readonly Line[]
  /** The calls that it dispatched, by their call ids, in the order in which they ended. */
  readonly dispatched: readonly string[]
  /** On a busy machine it hangs at times, or drops events of its own before it prints them. */
  readonly isLost: boolean
}

async function exec(home: string, url: string): Promise<Printed> {
  const work = join(home, 'work')
  const provider = `model_providers.local.base_url=${JSON.stringify(url)}`
  const flags = ['--json', '--ephemeral', '--skip-git-repo-check', '-s', 'read-only', '-c', provider, '-C', work]
  const child = spawn('nice', [process.execPath, CODEX, 'exec', ...flags, 'Go on.'], {
    cwd: work,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      CODEX_HOME: home,
      NO_PROXY: '127.0.0.1',
      RUST_LOG: 'warn,codex_core::tools::parallel=info',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const hangs = setTimeout(() => child.kill('SIGKILL'), MAX_MS)
  const lines: Line[] = []
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('{')) lines.push(JSON.parse(line))
  })
  const [log] = await Promise.all([
    text(child.stderr),
    new Promise<void>((resolve, reject) => child.on('error', reject).on('close', () => resolve())),
  ])
  clearTimeout(hangs)
  const isOver = lines.some(({ type }) => type === 'turn.completed' || type === 'turn.failed')
  const isLost = !isOver || /stream lagged/.test(log) || /stream lagged/.test(JSON.stringify(lines))
  const dispatched = [...log.matchAll(/tool call completed .* call_id=(\S*)/g)].map(([, id]) => id as string)
  return { lines, dispatched, isLost }
}

function outcomeOf({ body, requests }: Run, { lines, dispatched }: Printed): Outcome {
  const items = lines.flatMap(({ type, item }) => (type === 'item.completed' && item !== undefined ? [item] : []))
  const textsOf = (kind: string) => items.flatMap(({ type, text = '' }) => (type === kind ? [text] : []))
  const failure = lines.find(({ type }) => type === 'turn.failed')?.error?.message
  const done = doneItems(body)
  return {
    streamed: textsOf('agent_message').join(''),
    reasoning: textsOf('reasoning')
      .map((shown) => withoutBreaks(shown, done))
      .join(''),
    calls: requests.length > 1 ? sentBack(requests.at(-1)?.input ?? []) : cutShort(done, dispatched),
    citations: [],
    ending: endingOf(failure),
    ...(failure === undefined ? {} : { error: failure }),
  }
}

function endingOf(failure: string | undefined): Outcome['ending'] {
  if (failure === undefined) return 'completed'
  if (failure.includes('Incomplete response returned')) return 'incomplete'
  if (failure.includes('stream closed before response.completed')) return 'open'
  return failure.includes('failed to parse ResponseCompleted') ? 'threw' : 'failed'
}

/** The calls whose results it sent. */
function sentBack(input: readonly InputItem[]): Outcome['calls'] {
  const calls = input.filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
  const answered = input.flatMap(({ type, call_id }) => (/_call_output$/.test(type) ? [call_id] : []))
  return calls.flatMap((call) => {
    const at = answered.indexOf(call.call_id)
    if (at !== -1) answered.splice(at, 1)
    return at === -1 ? [] : [callOf(call)]
  })
}

/**
 * The calls that it dispatched in a turn that failed: it sends nothing back then. Without those that were cut off: any
 * tool of Codex's own refuses them.
 */
function cutShort(done: readonly DoneItem[], dispatched: readonly string[]): Outcome['calls'] {
  const left = [...dispatched]
  return done.flatMap((item) => {
    const at = CALL.test(item.type) ? left.indexOf(item.call_id ?? '') : -1
    if (at !== -1) left.splice(at, 1)
    return at === -1 || isCut(item) ? [] : [callOf(item)]
  })
}

function isCut({ type, status, arguments: given = '' }: DoneItem): boolean {
  return type === 'function_call' ? parsed(given) === given : status === 'incomplete'
}

const CALL = /^(function_call|custom_tool_call)$/

function callOf({ type, name = '', namespace, arguments: given, input = '' }: InputItem): Outcome['calls'][number] {
  const called = namespace === undefined ? name : `${namespace}.${name}`
  return { name: called, arguments: parsed(given ?? input), isText: type === 'custom_tool_call' }
}

function parsed(given: string): unknown {
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

interface DoneItem extends InputItem {
  readonly status?: string
  readonly summary?: readonly { readonly text?: string }[]
}

function doneItems(body: string): DoneItem[] {
  return body.split('\n').flatMap((line) => {
    if (!line.startsWith('data: {')) return []
    const { type, item } = JSON.parse(line.slice('data: '.length))
    return type === 'response.output_item.done' && typeof item?.type === 'string' ? [item] : []
  })
}

/** A summary without the line breaks that Codex prints between its parts: the model did not write them. */
function withoutBreaks(shown: string, done: readonly DoneItem[]): string {
  for (const { type, summary } of done) {
    if (type !== 'reasoning' || !Array.isArray(summary)) continue
    const parts = summary.map((part) => part?.text ?? '')
    if (parts.join('\n\n') === shown || parts.join('\n') === shown) return parts.join('')
  }
  return shown
}
