import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { serveResponses } from '../../../../src/endpoint/server/node.js'
import type { DatabaseStore } from '../../../../src/endpoint/stores/database/database-store.js'
import {
  type StreamEnd,
  type TokenChunk,
  type TokenEngine,
  type TokenStream,
  tokenStream,
} from '../../../../src/engines/contract/index.js'
import { loadTokenTable } from '../../../../src/index.js'
import { readStreams } from '../../../../src/judge/conformance/index.js'
import { answer, scriptedEngine } from '../../../../src/testing/index.js'
import { block, entriesNow, entry, keep, open } from '../kept.js'

/** A kind of store behind a server, which the tests end and start again. */
export interface ServedKind {
  readonly server: {
    readonly password: string
    start(): Promise<void>
    stop(): Promise<void>
    kill(): Promise<void>
    pause(): void
    wake(): void
  }
  /** A store that is not there yet. */
  place(): string
  /** Opens a store that waits a second for an answer, and that survives a crash of its server. */
  connect(place: string): Promise<DatabaseStore>
  /** How each error begins. */
  readonly shown: RegExp
  /** What no client is told. */
  readonly secret: RegExp
}

/** What every store does whose server fails. @param name - as in `a store in Postgres` */
export function failingServerLaws(name: string, kind: () => ServedKind): void {
  test.each(['stop', 'kill'] as const)(
    `${name} answers again after a %s of its server and a new start, and has all that was acknowledged`,
    async (end) => {
      const { server, place, connect, shown } = kind()
      const at = place()
      const [store, reader] = [await connect(at), await connect(at)]
      const lease = await open(store, { responseId: 'a' })
      const append = (next: number) =>
        store.append([{ lease, at: next, entries: block(entry(next)), leaseSeconds: 60 }])
      await append(0)
      await append(1)
      await server[end]()
      await expect(append(2)).rejects.toThrow(shown)
      // Its own connection may end in the middle of the question.
      await expect(reader.find('a', 'ann')).rejects.toThrow(/ECONNREFUSED|terminated|closed/)
      await server.start()
      expect(await append(2)).toEqual([{ state: 'written' }])
      expect(await entriesNow(reader, 'a', 'ann', 3)).toEqual([entry(0), entry(1), entry(2)])
      await keep(store, { responseId: 'b' })
      expect(await reader.find('b', 'ann')).toMatchObject({ state: 'finished' })
    },
  )

  test(`${name} gives up on a server that hangs, and goes on when it is back`, async () => {
    const { server, place, connect } = kind()
    const store = await connect(place())
    const lease = await open(store, { responseId: 'a' })
    server.pause()
    try {
      const late = Promise.allSettled(Array.from({ length: 12 }, () => store.find('a', 'ann')))
      const append = store.append([{ lease, at: 0, entries: block(entry(0)), leaseSeconds: 60 }])
      await expect(append).rejects.toThrow('no answer within 1 s')
      for (const each of await late) expect(String(Object(each).reason)).toContain('no answer within 1 s')
    } finally {
      server.wake()
    }
    expect(await store.find('a', 'ann')).toEqual({ state: 'running' })
  })

  test(`a client of ${name} gets 503 while its server is away, and one terminal event if it goes away in mid-stream`, async () => {
    const { server, place, connect, secret } = kind()
    const store = await connect(place())
    let gone = (): void => {}
    const begun = new Promise<void>((resolve) => {
      gone = resolve
    })
    const words = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')
    const scripted = scriptedEngine(() => answer(words))
    const engine: TokenEngine = {
      ...scripted,
      generate: (...given) => tokenStream(() => slowly(scripted.generate(...given))),
    }
    const errors: string[] = []
    const served = await serveResponses({
      engine,
      tokenTable: await loadTokenTable(),
      store,
      port: 0,
      onDisconnect: 'stop',
      limits: { storeSeconds: 2 },
      onError: (error) => void errors.push(String(error)),
    })
    try {
      const ask = () =>
        fetch(`${served.url}/v1/responses`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ input: 'Hi', stream: true }),
        })
      const streaming = await ask()
      expect(streaming.status, errors.join()).toBe(200)
      const text = readAll(streaming, () => gone())
      await begun
      await server.stop()
      const events = readStreams(await text).flat() as unknown as readonly { readonly type: string }[]
      const ends = events.filter(({ type }) => /^response\.(completed|failed|incomplete)$/.test(type))
      expect(ends).toMatchObject([{ type: 'response.failed', response: { error: { code: 'server_is_overloaded' } } }])
      const refused = await ask()
      expect(refused.status).toBe(503)
      expect(await refused.text()).not.toMatch(secret)
      expect(errors.join('\n')).toContain('the database 127.0.0.1')
      expect(errors.join('\n')).not.toContain(server.password)
      await server.start()
      await expect.poll(async () => (await ask()).status, { timeout: 10_000 }).toBe(200)
    } finally {
      await served.close({ graceMs: 0 })
    }
  })

  async function* slowly(stream: TokenStream): AsyncGenerator<TokenChunk, StreamEnd | undefined, void> {
    for (;;) {
      const step = await stream.next()
      if (step.done) return step.value
      await wait(30)
      yield step.value
    }
  }

  async function readAll(response: Response, begun: () => void): Promise<string> {
    let text = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true })
      if (text.includes('response.output_text.delta')) begun()
    }
    return text
  }
}
