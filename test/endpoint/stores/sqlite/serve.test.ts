import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../../../src/core/responses/events.js'
import { openDatabase } from '../../../../src/endpoint/stores/sqlite/driver.js'
import { checkEvents, readStreams } from '../../../../src/judge/conformance/index.js'
import { type Checkout, createCheckout } from '../../../docs/checkout.js'
import { describeWithSqlite } from './program.js'

/** The command, in a process of its own. */
interface Served {
  readonly url: string
  /** What it printed at its start. */
  readonly banner: string
  /** Returns what it had printed as errors. */
  kill(signal: NodeJS.Signals): Promise<string>
}

describeWithSqlite('serve --store', () => {
  let checkout: Checkout
  const running = new Set<ChildProcess>()
  beforeAll(async () => {
    checkout = await createCheckout()
    return () => checkout.remove()
  })
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL')
  })

  async function serve(...args: readonly string[]): Promise<Served> {
    const child = spawn(process.execPath, ['dist/cli/main.js', 'serve', '--port', '0', ...args], {
      cwd: checkout.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_NO_WARNINGS: '0' },
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    let banner = ''
    for await (const line of createInterface(child.stdout)) {
      banner += `${line}\n`
      if (line.includes('Ctrl-C')) break
    }
    const [, url = ''] = /listens on (\S+)\/v1/.exec(banner) ?? []
    expect(banner).toContain('listens on')
    return {
      ...{ url, banner },
      async kill(signal) {
        const ended = once(child, 'close')
        child.kill(signal)
        await ended
        return errors
      },
    }
  }

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'a response of serve --store continues in another process after %s, and its client misses no event',
    async (signal) => {
      const file = join(checkout.folder, `${signal}.db`)
      const script = join(checkout.folder, 'script.json')
      writeFileSync(
        script,
        JSON.stringify([[{ think: 'Hm.' }, { answer: 'one two three four five six seven eight nine ten' }]]),
      )
      const options = ['--store', file, '--script', script, '--limit', 'leaseSeconds=1']
      // It sends half of its answer within a test's time, but not all of it.
      const first = await serve(...options, '--delay', '200')
      const keys = readFileSync(`${file}.keys`, 'utf8')
      expect(statSync(`${file}.keys`).mode & 0o777).toBe(0o600)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(first.banner).toContain(`${file}.keys`)
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

      const second = await serve(...options)
      expect(readFileSync(`${file}.keys`, 'utf8')).toBe(keys)
      const { id } = (before[0] as { readonly response: { readonly id: string } }).response
      const from = `${second.url}/v1/responses/${id}?stream=true`
      const rest = eventsIn(await (await fetch(`${from}&starting_after=${before.at(-1)?.sequence_number}`)).text())
      const all = [...before, ...rest]
      expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, at) => at))
      expect(checkEvents(all)).toEqual([])
      expect(all.at(-1)).toMatchObject({ type: 'response.completed' })
      expect(JSON.stringify(all.at(-1))).toContain('one two three four five six seven eight nine ten')
      expect(eventsIn(await (await fetch(from)).text())).toEqual(all)
      await second.kill('SIGTERM')
    },
  )

  test.each([
    ['no database', async (file: string) => writeFileSync(file, 'this is no database'.repeat(200)), 'not a database'],
    [
      'of a newer version',
      async (file: string) => {
        copyFileSync(new URL('earlier/960f501a.db', import.meta.url), file)
        const database = await openDatabase(file)
        database.exec('PRAGMA user_version = 999')
        database.close()
      },
      'expected a file of version \\d+ or older, got version 999$',
    ],
  ])(
    'serve --store refuses a file that is %s by one line, exits with 2, and changes nothing',
    async (_, make, said) => {
      const folder = mkdtempSync(join(checkout.folder, 'refused-'))
      const file = join(folder, 'responses.db')
      await make(file)
      const before = readFileSync(file)
      const child = spawn(process.execPath, ['dist/cli/main.js', 'serve', '--port', '0', '--replay', '--store', file], {
        cwd: checkout.folder,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, NODE_NO_WARNINGS: '0' },
      })
      const lines: string[] = []
      for await (const line of createInterface(child.stderr)) lines.push(line)
      expect(lines, lines.join('\n')).toEqual([expect.stringMatching(`--store .*responses\\.db: .*${said}`)])
      if (child.exitCode === null) await once(child, 'exit')
      expect(child.exitCode).toBe(2)
      expect(readdirSync(folder)).toEqual(['responses.db'])
      expect(readFileSync(file).equals(before)).toBe(true)
    },
  )
})

const eventsIn = (text: string): ResponseStreamEvent[] => readStreams(text).flat() as unknown as ResponseStreamEvent[]
