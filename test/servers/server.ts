import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { environmentOf, FOLDER, type Kind } from './install.js'
import { CONTEXT, type ModelFormat, type ModelName, modelPath } from './model/write-models.js'

/** A real server in a process of its own. */
export interface RealServer {
  readonly url: string
  /** The end of what it printed. */
  readonly printed: () => string
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>
  /** Kills its process whose command line begins with this. @throws Error if there is none */
  killProcess(command: string): void
  /** Starts it again at the same address, after `kill()`. */
  start(): Promise<void>
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly kind: Kind
  /** One of the scripted ones, or what writes the folder of another. */
  readonly model: ModelName | ((folder: string) => Promise<string>)
  /** More flags of its command line. */
  readonly flags?: readonly string[]
  /** Tells it from another one of the same kind, in the titles of tests. */
  readonly title?: string
}

/** How long a server may take to start. One takes a minute on a quiet machine. */
const PATIENCE_MS = 900_000
const KEPT = 20_000

/** The format in which a server reads a model. */
export function formatFor(kind: Kind): ModelFormat {
  return kind === 'llama-server' ? 'gguf' : 'safetensors'
}

/** Starts a server, and waits until it answers. @throws Error with what it printed, if it ends or takes too long */
export async function startServer({ kind, model, flags = [] }: ServerOptions): Promise<RealServer> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const path = typeof model === 'function' ? await model(FOLDER) : modelPath(FOLDER, model, formatFor(kind))
  const { program = 'python', args, env = {} } = COMMANDS[kind](path, port)
  let child: ChildProcess | undefined
  let printed = ''

  async function start(): Promise<void> {
    const begun = spawn(join(environmentOf(kind), 'bin', program), [...args, ...flags], {
      // A group of its own: the server's workers end with it.
      detached: true,
      env: { ...process.env, ...COMMON, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = begun
    printed = ''
    for (const stream of [begun.stdout, begun.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed = (printed + text).slice(-KEPT)
      })
    }
    await untilReady(begun)
  }

  async function untilReady(begun: ChildProcess): Promise<void> {
    const until = Date.now() + PATIENCE_MS
    while (Date.now() < until) {
      if (begun.exitCode !== null || begun.signalCode !== null) throw new Error(`${kind} ended:\n${printed}`)
      const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
      if (answer?.status === 200) return
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    await kill()
    throw new Error(`${kind} did not start in ${PATIENCE_MS / 1000} seconds:\n${printed}`)
  }

  async function kill(): Promise<void> {
    const ending = child
    child = undefined
    if (ending?.pid === undefined) return
    const isOver = ending.exitCode !== null || ending.signalCode !== null
    const over = isOver ? undefined : new Promise((resolve) => ending.once('exit', resolve))
    try {
      process.kill(-ending.pid, 'SIGKILL')
    } catch {
      // All of them have ended.
    }
    await over
  }

  function killProcess(command: string): void {
    const group = child?.pid
    const found = readdirSync('/proc').find(
      (pid) => /^\d+$/.test(pid) && isIn(pid, group) && commandOf(pid).startsWith(command),
    )
    if (group === undefined || found === undefined) throw new Error(`${kind} has no process ${command}`)
    process.kill(Number(found), 'SIGKILL')
  }

  await start()
  return { url, printed: () => printed, kill, killProcess, start, stop: kill }
}

/** Whether a process is of a group. One that ended meanwhile is not. */
function isIn(pid: string, group: number | undefined): boolean {
  const [, , ofGroup] = readOr(`/proc/${pid}/stat`)
    .replace(/^.*\) /, '')
    .split(' ')
  return group !== undefined && Number(ofGroup) === group
}

function commandOf(pid: string): string {
  return readOr(`/proc/${pid}/cmdline`)
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const COMMON = {
  ...{
    HF_HUB_OFFLINE: '1',
    TRANSFORMERS_OFFLINE: '1',
    DO_NOT_TRACK: '1',
    TIKTOKEN_ENCODINGS_BASE: join(FOLDER, 'tok'),
    // The first start writes the bytecode that later ones read, whatever the environment says.
    PYTHONDONTWRITEBYTECODE: '',
    // On a busy machine, the default of 5 seconds is over before the server reads a request on an idle connection.
    ...{ VLLM_HTTP_TIMEOUT_KEEP_ALIVE: '600', SGLANG_TIMEOUT_KEEP_ALIVE: '600' },
    // outlines compiles for seconds, and many schemas at once: the defaults are 5 seconds, and about 50.
    ...{ VLLM_REGEX_COMPILATION_TIMEOUT_S: '300', SGLANG_GRAMMAR_MAX_POLL_ITERATIONS: '100000' },
  },
}

interface Command {
  /** In the environment. Default Python. */
  readonly program?: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const COMMANDS: Readonly<Record<Kind, (model: string, port: number) => Command>> = {
  vllm: (model, port) => ({
    args: [
      ...['-m', 'vllm.entrypoints.cli.main', 'serve', model, '--served-model-name', 'gpt-oss'],
      ...['--host', '127.0.0.1', '--port', `${port}`, '--dtype', 'bfloat16', '--enforce-eager'],
      ...['--max-model-len', `${CONTEXT}`, '--max-num-seqs', '32', '--max-num-batched-tokens', `${CONTEXT}`],
      ...[
        '--enable-prefix-caching',
        '--enable-prompt-tokens-details',
        '--max-logprobs',
        '20',
        '--reasoning-parser',
        '',
      ],
    ],
    env: {
      // One thread for the model, which leaves a core for the server and the tests.
      ...{ VLLM_CPU_KVCACHE_SPACE: '1', VLLM_CPU_OMP_THREADS_BIND: firstCore(), VLLM_CPU_NUM_OF_RESERVED_CPU: '1' },
      ...{ VLLM_NO_USAGE_STATS: '1', LD_PRELOAD: openMp() },
    },
  }),
  sglang: (model, port) => ({
    args: [
      ...['-m', 'sglang.launch_server', '--model-path', model, '--served-model-name', 'gpt-oss', '--device', 'cpu'],
      ...['--host', '127.0.0.1', '--port', `${port}`, '--dtype', 'bfloat16', '--context-length', `${CONTEXT}`],
      ...['--max-total-tokens', '16384', '--mem-fraction-static', '0.2', '--attention-backend', 'torch_native'],
      ...['--sampling-backend', 'pytorch', '--disable-overlap-schedule', '--disable-cuda-graph', '--enable-metrics'],
      // With a smaller cache for the sliding window, torch_native reads past its end after some 13,000 tokens.
      '--disable-hybrid-swa-memory',
    ],
    env: {
      ...{ SGLANG_USE_CPU_ENGINE: '1', TORCHDYNAMO_DISABLE: '1', OMP_NUM_THREADS: '1' },
      PATH: `${join(environmentOf('sglang'), 'bin')}:${process.env['PATH']}`,
    },
  }),
  transformers: (model, port) => ({
    args: [fileURLToPath(new URL('transformers/serve.py', import.meta.url)), model, 'gpt-oss', `${port}`],
  }),
  'llama-server': (model, port) => ({
    program: 'llama-server',
    args: [
      ...['-m', model, '--host', '127.0.0.1', '--port', `${port}`, '--metrics'],
      ...['-c', `${CONTEXT * SLOTS}`, '--parallel', `${SLOTS}`, '--threads', '1'],
    ],
  }),
}

/** How many calls llama-server works on at a time. */
const SLOTS = 4

/** A core that this process may use: a container need not have the first one. */
function firstCore(): string {
  const [, first = '0'] = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return first
}

/** The threads that vLLM's kernels were built for. */
function openMp(): string {
  const found = execFileSync('find', [environmentOf('vllm'), '-name', 'libiomp5.so'], { encoding: 'utf8' })
  return found.split('\n')[0] ?? ''
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}
