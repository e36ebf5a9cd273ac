import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { afterEach, expect, onTestFinished } from 'vitest'
import { run } from '../../src/cli/run.js'
import { type FakeIo, realFolder } from './io.js'

/** Runs `serve`, until it is stopped or its test ends. */
export interface Served {
  readonly io: FakeIo
  readonly url: string
  readonly client: OpenAI
  /** Sends the signal that ends it. */
  stop(): void
  /** Sends SIGHUP. Resolves when a line about keys was logged, with that line. */
  reload(): Promise<string>
  readonly exit: Promise<number>
}

const running: Served[] = []
afterEach(async () => {
  for (const { stop, exit } of running.splice(0)) {
    stop()
    stop()
    await exit
  }
})

export async function serve(args: readonly string[], given: Partial<FakeIo> = {}, apiKey = 'none'): Promise<Served> {
  const listeners = new Set<() => void>()
  const reloaders = new Set<() => void>()
  let isLogged = (_line: string): void => {}
  let isPrinted = (): void => {}
  const printed = new Promise<void>((resolve) => {
    isPrinted = resolve
  })
  const io: FakeIo = Object.assign(realFolder(), given, {
    async print(text: string) {
      Object.assign(io, { out: io.out + text })
      isPrinted()
    },
    complain(text: string) {
      Object.assign(io, { err: io.err + text })
      if (text.includes('"event":"listening"')) isPrinted()
      if (/keys (?:not )?read again|"event":"keys_/.test(text)) isLogged(text)
    },
    onReload(listener: () => void) {
      reloaders.add(listener)
      return () => reloaders.delete(listener)
    },
    onStop(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  })
  const exit = run(['serve', '--port', '0', ...args], io)
  await Promise.race([printed, exit])
  const [, url = ''] = /(?:listens on |"url":")(\S+?)\/v1/.exec(io.out + io.err) ?? []
  expect(url, io.err).not.toBe('')
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
  const stop = (): void => {
    for (const listener of listeners) listener()
  }
  const reload = (): Promise<string> =>
    new Promise((resolve) => {
      isLogged = resolve
      for (const listener of reloaders) listener()
    })
  const served = { io, url, client, stop, reload, exit }
  running.push(served)
  return served
}

/** An engine's server that is never ready, until the test ends. */
export interface UnreadyEngine {
  readonly url: string
  /** The values of `authorization` that it was sent; undefined for a request without. */
  readonly sent: Set<string | undefined>
}

export async function unreadyEngine(): Promise<UnreadyEngine> {
  const sent = new Set<string | undefined>()
  const engine = createServer((request, response) => {
    sent.add(request.headers.authorization)
    response.writeHead(503).end()
  })
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void engine.close())
  const { port } = engine.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, sent }
}

/** The output and the exit code of a command line that does not serve. */
export async function refusal(args: readonly string[], given: Partial<FakeIo> = {}): Promise<[number, string]> {
  const io: FakeIo = Object.assign(realFolder(), given)
  const code = await run(['serve', ...args], io)
  expect(io.out).toBe('')
  return [code, io.err.replace('harmony-responses: ', '').trimEnd()]
}
