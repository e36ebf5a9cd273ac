import { execFileSync } from 'node:child_process'
import { chownSync, copyFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveResponses } from '../../../../src/endpoint/server/node.js'
import { createPostgresStore, type PostgresStore } from '../../../../src/endpoint/stores/postgres/index.js'
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
import { describeWithPostgres, type PostgresCluster, startPostgres } from './cluster.js'

describeWithPostgres('a store in Postgres whose server fails', suite, { isLong: true })

function suite(): void {
  let cluster: PostgresCluster
  let schemas = 0
  const opened: PostgresStore[] = []
  beforeAll(async () => {
    cluster = await startPostgres({ settings: { fsync: 'on' } })
  })
  afterAll(async () => {
    cluster.wake()
    await Promise.all(opened.map((store) => store.close()))
    await cluster.remove()
  })

  async function connect(schema: string, url: string = cluster.url): Promise<PostgresStore> {
    const store = await createPostgresStore({ url, schema, timeoutSeconds: 1, durability: 'power' })
    opened.push(store)
    return store
  }

  test.each(['stop', 'kill'] as const)(
    'a store in Postgres answers again after a %s of its server and a new start, and has all that was acknowledged',
    async (end) => {
      const schema = `failed_${++schemas}`
      const [store, reader] = [await connect(schema), await connect(schema)]
      const lease = await open(store, { responseId: 'a' })
      const append = (at: number) => store.append([{ lease, at, entries: block(entry(at)), leaseSeconds: 60 }])
      await append(0)
      await append(1)
      await cluster[end]()
      await expect(append(2)).rejects.toThrow(/^the database 127\.0\.0\.1:\d+\/postgres: /)
      await expect(reader.find('a', 'ann')).rejects.toThrow('ECONNREFUSED')
      await cluster.start()
      expect(await append(2)).toEqual([{ state: 'written' }])
      expect(await entriesNow(reader, 'a', 'ann', 3)).toEqual([entry(0), entry(1), entry(2)])
      await keep(store, { responseId: 'b' })
      expect(await reader.find('b', 'ann')).toMatchObject({ state: 'finished' })
    },
  )

  test('a store in Postgres gives up on a server that hangs, and goes on when it is back', async () => {
    const store = await connect(`failed_${++schemas}`)
    const lease = await open(store, { responseId: 'a' })
    cluster.pause()
    try {
      const late = Promise.allSettled(Array.from({ length: 12 }, () => store.find('a', 'ann')))
      const append = store.append([{ lease, at: 0, entries: block(entry(0)), leaseSeconds: 60 }])
      await expect(append).rejects.toThrow('no answer within 1 s')
      for (const each of await late) expect(String(Object(each).reason)).toContain('no answer within 1 s')
    } finally {
      cluster.wake()
    }
    expect(await store.find('a', 'ann')).toEqual({ state: 'running' })
  })

  test('a client gets 503 while the database is away, and one terminal event if it goes away in mid-stream', async () => {
    const store = await connect(`failed_${++schemas}`)
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
    const server = await serveResponses({
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
        fetch(`${server.url}/v1/responses`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ input: 'Hi', stream: true }),
        })
      const streaming = await ask()
      expect(streaming.status, errors.join()).toBe(200)
      const text = readAll(streaming, () => gone())
      await begun
      await cluster.stop()
      const events = readStreams(await text).flat() as unknown as readonly { readonly type: string }[]
      const ends = events.filter(({ type }) => /^response\.(completed|failed|incomplete)$/.test(type))
      expect(ends).toMatchObject([{ type: 'response.failed', response: { error: { code: 'server_is_overloaded' } } }])
      const refused = await ask()
      expect(refused.status).toBe(503)
      expect(await refused.text()).not.toMatch(/swordfish|127\.0\.0\.1|postgres/i)
      expect(errors.join('\n')).toContain('the database 127.0.0.1')
      expect(errors.join('\n')).not.toContain(cluster.password)
      await cluster.start()
      await expect.poll(async () => (await ask()).status, { timeout: 10_000 }).toBe(200)
    } finally {
      await server.close({ graceMs: 0 })
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

  test('a store in Postgres speaks TLS, and refuses a certificate that nobody it trusts has signed', async () => {
    const data = join(cluster.folder, 'data')
    const [key, certificate] = [join(data, 'server.key'), join(data, 'server.crt')]
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    execFileSync(
      'openssl',
      ['req', '-new', '-x509', '-nodes', '-days', '2', '-keyout', key, '-out', certificate, ...subject],
      {
        stdio: 'ignore',
      },
    )
    const { uid, gid } = statSync(data)
    for (const file of [key, certificate]) chownSync(file, uid, gid)
    writeFileSync(join(data, 'postgresql.auto.conf'), 'ssl = on\n')
    const trusted = join(cluster.folder, 'trusted.crt')
    copyFileSync(certificate, trusted)
    await cluster.stop()
    await cluster.start()
    const schema = `failed_${++schemas}`
    const secure = await connect(schema, `${cluster.url}?sslmode=verify-full&sslrootcert=${trusted}`)
    await keep(secure, { responseId: 'a' })
    expect(await (await connect(schema, `${cluster.url}?sslmode=require`)).find('a', 'ann')).toBeDefined()
    await expect(connect(schema, `${cluster.url}?sslmode=verify-full`)).rejects.toThrow('self-signed certificate')
    const byName = cluster.url.replace('127.0.0.1', 'localhost')
    await expect(connect(schema, `${byName}?sslmode=verify-full&sslrootcert=${trusted}`)).rejects.toThrow(
      "does not match certificate's altnames",
    )
    await keep(await connect(schema, `${byName}?sslmode=verify-ca&sslrootcert=${trusted}`), { responseId: 'b' })
  })
}
