import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRedisStore, type RedisStore } from '../../../../src/endpoint/stores/redis/index.js'
import { selfSigned } from '../../../support/certificate.js'
import { failingServerLaws } from '../database/failing-server-laws.js'
import { block, end, entriesNow, entry, keep, open } from '../kept.js'
import { describeWithRedis, freePort, type RedisServer, startRedis } from './server.js'

const SAFE = { appendonly: 'yes', appendfsync: 'always' }

describeWithRedis('a store in Redis whose server fails', failing)
describeWithRedis('a store in Redis whose server starts again', starting)

function failing(): void {
  let server: RedisServer
  let prefixes = 0
  const opened: RedisStore[] = []
  beforeAll(async () => {
    server = await startRedis({ settings: SAFE })
  })
  afterAll(async () => {
    server.wake()
    await Promise.all(opened.map((store) => store.close()))
    await server.remove()
  })

  async function connect(prefix: string, durability: 'process' | 'power' = 'power'): Promise<RedisStore> {
    const store = await createRedisStore({ url: server.url, prefix, timeoutSeconds: 1, durability })
    opened.push(store)
    return store
  }

  failingServerLaws('a store in Redis', () => ({
    server,
    place: () => `failed_${++prefixes}:`,
    connect,
    shown: /^the database 127\.0\.0\.1:\d+\/0: /,
    secret: /swordfish|127\.0\.0\.1|redis/i,
  }))

  test('a store in Redis that lost its connection opens one again, however many operations find it lost', async () => {
    const own = await startRedis()
    const store = await createRedisStore({ url: own.url })
    const clients = async (): Promise<number> => {
      const [listed] = await own.send(['CLIENT', 'LIST', 'TYPE', 'normal'])
      return String(listed).trim().split('\n').length
    }
    const owners = Array.from({ length: 10 }, (_, at) => `owner ${at}`)
    try {
      const before = await clients()
      await own.send(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'])
      const ask = () => Promise.allSettled(owners.map((owner) => store.find('a', owner)))
      // What was sent before the store noticed fails.
      while ((await ask()).some(({ status }) => status === 'rejected'));
      expect(await clients()).toBe(before)
    } finally {
      await store.close()
      await own.remove()
    }
  })

  test('a store in Redis without memory refuses a step as a whole, still reads and deletes, and goes on when there is some', async () => {
    const store = await connect(`failed_${++prefixes}:`)
    await keep(store, { responseId: 'a' })
    const lease = await open(store, { responseId: 'b' })
    const append = { lease, at: 0, entries: block(entry(1)), leaseSeconds: 60 }
    await server.send(['CONFIG', 'SET', 'maxmemory', '1'])
    try {
      await expect(store.append([append])).rejects.toThrow(
        /^the database \S+: OOM command not allowed when used memory > 'maxmemory'\.$/,
      )
      expect(await store.find('a', 'ann')).toMatchObject({ state: 'finished' })
      expect(await entriesNow(store, 'b', 'ann', 0)).toEqual([])
      expect(await store.delete('a', 'ann')).toBe(true)
    } finally {
      await server.send(['CONFIG', 'SET', 'maxmemory', '0'])
    }
    expect(await store.append([append])).toEqual([{ state: 'written' }])
    expect(await store.find('a', 'ann')).toBeUndefined()
  })
}

function starting(): void {
  const opened: RedisStore[] = []
  const servers: RedisServer[] = []
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()))
    await Promise.all(servers.map((server) => server.remove()))
  })

  async function start(settings: Readonly<Record<string, string>>) {
    const server = await startRedis({ settings })
    servers.push(server)
    const connect = async (): Promise<RedisStore> => {
      const store = await createRedisStore({ url: server.url })
      opened.push(store)
      return store
    }
    return { server, connect }
  }

  test('speaks TLS, and refuses a certificate that nobody it trusts has signed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tls-'))
    const { key, certificate } = selfSigned(folder)
    const tls = { 'tls-cert-file': certificate, 'tls-key-file': key, 'tls-auth-clients': 'no' }
    const port = await freePort()
    const { server } = await start({ ...tls, 'tls-port': String(port) })
    const secure = server.url.replace('redis:', 'rediss:').replace(/\d+$/, String(port))
    const open = async (url: string): Promise<RedisStore> => {
      const store = await createRedisStore({ url })
      opened.push(store)
      return store
    }
    await keep(await open(`${secure}?cacert=${certificate}`), { responseId: 'a' })
    await expect(open(secure)).rejects.toThrow(/^the database 127\.0\.0\.1:\d+\/0: self-signed certificate$/)
    const byName = secure.replace('127.0.0.1', 'localhost')
    await expect(open(`${byName}?cacert=${certificate}`)).rejects.toThrow("does not match certificate's altnames")
    await expect(open(`${server.url}?cacert=${certificate}`)).rejects.toThrow(
      'expected rediss:// with the files of TLS',
    )
    await expect(open(`${secure}?cacert=${folder}/none`)).rejects.toThrow(`cacert: cannot read ${folder}/none: ENOENT`)
    rmSync(folder, { recursive: true })
  })

  const again = async (server: RedisServer): Promise<void> => {
    await server.kill()
    await server.start()
  }
  const claim = { responseId: 'a', owner: 'ann', leaseSeconds: 60, isForced: true }

  test.each([
    ['writes its file at times', { appendonly: 'yes', appendfsync: 'everysec' }, true],
    ['has written all of it', SAFE, undefined],
  ] as const)('doubts a response of a dead process only if its server %s', async (_what, settings, mayLack) => {
    const { server, connect } = await start(settings)
    await open(await connect(), { responseId: 'a', entries: block(entry(1)) })
    await server.send(
      ['CONFIG', 'SET', 'appendfsync', 'always'],
      ['CONFIG', 'SET', 'appendfsync', settings.appendfsync],
    )
    await again(server)
    const claimed = await (await connect()).claim(claim)
    expect([claimed?.count, claimed?.mayLack]).toEqual([1, mayLack])
  })

  test('doubts a response no more whose writer has found all of its entries after the start', async () => {
    const { server, connect } = await start({ appendonly: 'yes', appendfsync: 'everysec' })
    const [store, other] = [await connect(), await connect()]
    const lease = await open(store, { responseId: 'a', entries: block(entry(1)) })
    await server.stop()
    await server.start()
    expect(await store.append([{ lease, at: 1, leaseSeconds: 0 }])).toEqual([{ state: 'written' }])
    expect(await other.claim(claim)).toEqual({ lease: { responseId: 'a', owner: 'ann', epoch: 2 }, count: 1 })
  })

  test('doubts the responses from before a setting that was not safe', async () => {
    const { server, connect } = await start({ appendonly: 'yes', appendfsync: 'always' })
    const store = await connect()
    await open(store, { responseId: 'a' })
    await server.send(['CONFIG', 'SET', 'appendfsync', 'no'])
    // Each connection looks.
    await (await connect()).status()
    await server.send(['CONFIG', 'SET', 'appendfsync', 'always'])
    await again(server)
    expect(await store.claim(claim)).toMatchObject({ mayLack: true })
  })

  /** Forgets what was written since, as a crash of the machine would. */
  async function lose(server: RedisServer, work: () => Promise<void>): Promise<void> {
    await server.send(['SAVE'])
    await work()
    await again(server)
  }

  test('tells the writer of entries that were lost, and whoever has read them', async () => {
    const { server, connect } = await start({ appendonly: 'no' })
    const [store, other] = [await connect(), await connect()]
    const lease = await open(store, { responseId: 'a', entries: block(entry(0)) })
    const blocks = await other.entries('a', 'ann')
    const reading = blocks?.[Symbol.asyncIterator]()
    await reading?.next()
    await lose(server, async () => {
      await store.append([{ lease, at: 1, entries: block(entry(1)), leaseSeconds: 60 }])
      await reading?.next()
    })
    await expect(reading?.next()).rejects.toMatchObject({
      name: 'EntriesLost',
      message: 'a: the store has acknowledged 2 entries and has 1',
    })
    const append = { lease, at: 2, entries: block(entry(2)), leaseSeconds: 60 }
    expect(await store.append([append])).toEqual([{ state: 'behind', count: 1 }])
  })

  test('finds nothing again of a server that keeps nothing, and begins anew', async () => {
    const { server, connect } = await start({ appendonly: 'no' })
    const store = await connect()
    await keep(store, { responseId: 'a' })
    const lease = await open(store, { responseId: 'b' })
    await again(server)
    expect(await store.find('a', 'ann')).toBeUndefined()
    expect(await store.append([{ lease, at: 0, leaseSeconds: 60 }])).toEqual([{ state: 'lost' }])
    await end(store, await open(store, { responseId: 'a' }), 0)
    expect(await store.status()).toMatchObject({ responses: 1, running: 0, version: 1 })
  })
}
