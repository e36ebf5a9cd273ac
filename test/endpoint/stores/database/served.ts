import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import type { ResponseStreamEvent } from '../../../../src/core/responses/events.js'
import { checkEvents, readStreams } from '../../../../src/judge/conformance/index.js'

/** The command, in a process of its own. */
export interface Served {
  readonly url: string
  readonly pid: number
  /** What it printed at its start. */
  readonly banner: string
  /** What it has printed as errors. */
  readonly errors: string
  /** Resolves once it has printed, as errors, what matches: to each match. */
  until(pattern: RegExp, times?: number): Promise<RegExpExecArray[]>
  /** Returns what it had printed as errors. */
  kill(signal: NodeJS.Signals): Promise<string>
}

const running = new Set<ChildProcess>()

/** Starts `serve` in a checkout. */
function start(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const port = args.includes('--port') ? [] : ['--port', '0']
  const child = spawn(process.execPath, ['dist/cli/main.js', 'serve', ...port, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_NO_WARNINGS: '0', ...env },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Ends all that are still running. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Starts `serve` in a checkout, and waits until it listens. */
export async function serve(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const child = start(folder, args, env)
  let errors = ''
  const printed = new EventEmitter()
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
    printed.emit('more')
  })
  let banner = ''
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
    banner += `${line}\n`
    if (line.includes('Ctrl-C')) break
  }
  const [, url = ''] = /listens on (\S+)\/v1/.exec(banner) ?? []
  expect(banner, errors).toContain('listens on')
  return {
    ...{ url, banner, pid: child.pid ?? 0 },
    get errors() {
      return errors
    },
    async until(pattern, times = 1) {
      for (;;) {
        const found = [...errors.matchAll(pattern)]
        if (found.length >= times) return found
        await once(printed, 'more')
      }
    },
    async kill(signal) {
      const ended = once(child, 'close')
      child.kill(signal)
      await ended
      return errors
    },
  }
}

/** Starts `serve`, which refuses to. Returns its exit code, and the lines that it printed. */
export async function refused(
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<readonly [code: number | null, lines: readonly string[]]> {
  const child = start(folder, args, env)
  child.stdout?.resume()
  const lines: string[] = []
  for await (const line of createInterface(child.stderr as NodeJS.ReadableStream)) lines.push(line)
  if (child.exitCode === null) await once(child, 'exit')
  return [child.exitCode, lines]
}

/**
 * Two processes on one store, of which the first is ended in mid-stream. The client misses no event of its response.
 *
 * @param other - the checkout of the second one. Default: the first one's
 */
export async function continuesElsewhere(
  folder: string,
  store: readonly string[],
  signal: NodeJS.Signals,
  env: NodeJS.ProcessEnv = {},
  other: string = folder,
): Promise<{ readonly first: Served; readonly second: Served }> {
  const script = join(folder, 'script.json')
  writeFileSync(
    script,
    JSON.stringify([[{ think: 'Hm.' }, { answer: 'one two three four five six seven eight nine ten' }]]),
  )
  const options = [...store, '--script', script, '--limit', 'leaseSeconds=1']
  // It sends half of its answer within a test's time, but not all of it.
  const first = await serve(folder, [...options, '--delay', '200'], env)
  const body = JSON.stringify({ input: 'Count.', background: true, stream: true })
  const created = await fetch(`${first.url}/v1/responses`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  const decoder = new TextDecoder()
  let text = ''
  const reader = (created.body as ReadableStream<Uint8Array>).getReader()
  while (!text.includes('event: response.output_text.delta\n')) text += decoder.decode((await reader.read()).value)
  expect(await first.kill(signal)).not.toContain('Warning')
  const before = eventsIn(text.slice(0, text.lastIndexOf('\n\n') + 2))
  await reader.cancel().catch(() => {})

  const second = await serve(other, options, env)
  const { id } = (before[0] as { readonly response: { readonly id: string } }).response
  const from = `${second.url}/v1/responses/${id}?stream=true`
  const rest = eventsIn(await (await fetch(`${from}&starting_after=${before.at(-1)?.sequence_number}`)).text())
  const all = [...before, ...rest]
  expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, at) => at))
  expect(checkEvents(all)).toEqual([])
  expect(all.at(-1)).toMatchObject({ type: 'response.completed' })
  expect(JSON.stringify(all.at(-1))).toContain('one two three four five six seven eight nine ten')
  expect(eventsIn(await (await fetch(from)).text())).toEqual(all)
  return { first, second }
}

export const eventsIn = (text: string): ResponseStreamEvent[] =>
  readStreams(text).flat() as unknown as ResponseStreamEvent[]
