import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ResponsesServer, type ServeOptions, serveResponses } from '../../src/endpoint/server/node.js'
import type { TokenEngine } from '../../src/engines/contract/index.js'
import { loadTokenTable } from '../../src/index.js'
import { type Script, type ScriptedEngine, scriptedEngine } from '../../src/testing/index.js'
import { namedBlock } from '../docs/pages.js'

const tokenTable = await loadTokenTable()

/** The variables that docs/messages.md sets, with values of a test in the place of its own. */
function variablesOfThePage(own: Readonly<Record<string, string>>): Record<string, string> {
  const { code } = namedBlock('docs/messages.md', 'claude')
  return Object.fromEntries(
    Array.from(code.matchAll(/(\w+)=(\S+)/g), ([, name = '', value = '']) => [name, own[value] ?? value]),
  )
}

/** The published program for this platform; undefined if there is none. */
export function claudeCodePath(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      `@anthropic-ai/claude-code-${process.platform}-${process.arch}/package.json`,
    )
    return join(dirname(manifest), 'claude')
  } catch {
    return undefined
  }
}

/** The final output of `claude -p --output-format json`. */
export interface Printed {
  readonly result: string
  readonly is_error: boolean
  readonly session_id: string
  readonly num_turns: number
}

/** The tools that the server runs, and its settings. */
type ServerOptions = Pick<ServeOptions, 'tools' | 'response'>

/** What the user says: a prompt on the command line, or the content of a message, as programs that embed it send it. */
type Said = string | readonly object[]

/** Claude Code in an empty repository, with a scripted model or another engine. It can reach only the endpoint. */
export class ClaudeCode<Engine extends TokenEngine = ScriptedEngine> {
  readonly engine: Engine
  readonly folder: string
  /** The statuses of the answers to its requests for a message, in order. */
  readonly statuses: readonly number[]
  readonly #server: ResponsesServer
  readonly #home: string
  readonly #children = new Set<ChildProcess>()

  private constructor(engine: Engine, server: ResponsesServer, statuses: readonly number[]) {
    this.engine = engine
    this.statuses = statuses
    this.#server = server
    this.folder = mkdtempSync(join(tmpdir(), 'repository-'))
    this.#home = mkdtempSync(join(tmpdir(), 'home-'))
  }

  static async start(script: (folder: () => string) => Script, options: ServerOptions = {}): Promise<ClaudeCode> {
    let started: ClaudeCode | undefined
    const engine = scriptedEngine(
      script(() => started?.folder ?? ''),
      { tokenTable },
    )
    started = await ClaudeCode.inFrontOf(engine, options)
    return started
  }

  static async inFrontOf<Engine extends TokenEngine>(
    engine: Engine,
    options: ServerOptions = {},
  ): Promise<ClaudeCode<Engine>> {
    const statuses: number[] = []
    const server = await serveResponses({
      ...{ engine, tokenTable, port: 0, models: ['gpt-oss'], keepAliveMs: 200, ...options },
      onMetric(metric) {
        if (metric.type === 'request_ended' && metric.route === '/v1/messages') statuses.push(metric.status)
      },
    })
    return new ClaudeCode(engine, server, statuses)
  }

  write(name: string, content: string | Uint8Array): void {
    writeFileSync(join(this.folder, name), content)
  }

  /** Runs it in print mode, to its end. */
  async ask(said: Said, ...given: string[]): Promise<Printed> {
    const text = await this.begin(said, ...given).text
    const line = text.split('\n').find((one) => /^\{.*"type":"result"/.test(one)) ?? ''
    try {
      return JSON.parse(line)
    } catch {
      throw new Error(`Claude Code printed no result: ${text.slice(0, 2000)}`)
    }
  }

  /** Starts it. `interrupt` is what Ctrl-C does. */
  begin(said: Said, ...given: string[]): { readonly text: Promise<string>; interrupt(): void } {
    const isPrompt = typeof said === 'string'
    const form = isPrompt
      ? ['-p', said, '--output-format', 'json']
      : ['-p', '--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json']
    const child = spawn(claudeCodePath() ?? '', [...form, ...given], {
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'],
        HOME: this.#home,
        ...variablesOfThePage({ 'http://127.0.0.1:8000': this.#server.url, 'gpt-oss': 'claude-gpt-oss' }),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_ERROR_REPORTING: '1',
      },
      stdio: 'pipe',
    })
    this.#children.add(child)
    child.stdin.end(isPrompt ? '' : `${JSON.stringify({ type: 'user', message: { role: 'user', content: said } })}\n`)
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    }
    const text = new Promise<string>((resolve, reject) => {
      child.once('error', reject).once('close', () => {
        this.#children.delete(child)
        resolve(printed)
      })
    })
    return { text, interrupt: () => void child.kill('SIGINT') }
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL')
    await this.#server.close({ graceMs: 0 })
    for (const folder of [this.folder, this.#home]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
