import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createContentCipher,
  createRedisStore,
  type RedisStore,
  type RedisStoreOptions,
} from '../../../../src/endpoint/stores/redis/index.js'
import { redisFaults } from '../../../support/redis-faults.mjs'
import { databaseStoreLaws } from '../database/database-store-laws.js'
import { serverStoreLaws } from '../database/server-store-laws.js'
import { block, end, entriesNow, entry, item, keep, open } from '../kept.js'
import { describeWithRedis, type RedisServer, startRedis } from './server.js'

describeWithRedis('a store in Redis', () => {
  let server: RedisServer
  const opened: RedisStore[] = []
  let prefixes = 0
  const newPrefix = (): string => `store_${++prefixes}:`
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()))
    await server.remove()
  })

  async function connect(options: Partial<RedisStoreOptions> = {}): Promise<RedisStore> {
    const store = await createRedisStore({ url: server.url, prefix: newPrefix(), ...options })
    opened.push(store)
    return store
  }

  const send = async (...command: readonly string[]): Promise<unknown> => (await server.send(command))[0]
  const keysOf = async (prefix: string): Promise<readonly string[]> =>
    ((await send('KEYS', `${prefix}*`)) as readonly string[]).map((key) => key.slice(prefix.length)).sort()
  const has = async (store: RedisStore, id: string): Promise<boolean> => (await store.find(id, 'ann')) !== undefined

  const listening = async (prefix: string): Promise<number> =>
    ((await send('PUBSUB', 'NUMSUB', `${prefix}changed`)) as readonly [string, number])[1]

  databaseStoreLaws('a store in Redis', () => ({
    place: newPrefix,
    emptied: async () => {
      await send('FLUSHDB')
      return newPrefix()
    },
    connect: (prefix, options) => createRedisStore({ url: server.url, prefix, ...options }),
    damage: async (prefix) => {
      const rows = (await keysOf(prefix)).filter((key) => key.startsWith('r:'))
      await server.send(...rows.map((row) => ['HSET', prefix + row, 'head', 'x']))
    },
    miscounted: (prefix) => redisFaults(server.url, prefix),
  }))

  serverStoreLaws('a store in Redis', () => ({
    ...{ place: newPrefix, listening },
    connect: (prefix, options) => connect({ prefix, ...options }),
    miscounted: (prefix) => redisFaults(server.url, prefix),
    endListening: () => send('CLIENT', 'KILL', 'TYPE', 'pubsub'),
  }))

  test('a store in Redis with a cipher has no content in any key', async () => {
    const prefix = newPrefix()
    const store = await connect({ prefix, cipher: createContentCipher([new Uint8Array(32).fill(7)]) })
    const secret = 'the word is xyzzy'
    const facts = { created_at: 1, metadata: { secret } }
    const conversation = { conversationId: 'conv', facts }
    await keep(store, { responseId: 'a', conversation }, { input: [item('m', secret)], output: [item('n', secret)] })
    const fail = { at: 1, type: 'fail', failure: { code: 'c', message: secret } } as const
    await open(store, { responseId: 'b', entries: block(fail) })
    await keep(store, { responseId: 'c' }, { input: [item('n')] })
    await store.delete('a', 'ann')
    const dumps = await server.send(...(await keysOf(prefix)).map((key) => ['DUMP', prefix + key]))
    expect(dumps.length).toBeGreaterThan(10)
    for (const dump of dumps) expect(String(dump)).not.toContain('xyzzy')
  })

  test('a store in Redis makes room for one owner in steps, and one that needs more than all of them is kept', async () => {
    const prefix = newPrefix()
    const store = await connect({ prefix, ownerBytes: 20_000 })
    for (let at = 0; at < 70; at++) await keep(store, { responseId: `a${at}` })
    expect((await store.status()).conversations).toBe(70)
    await keep(store, { responseId: 'large' }, { output: [item('msg', 'x'.repeat(30_000))] })
    expect(await store.status()).toMatchObject({ conversations: 1, responses: 1 })
    expect(await redisFaults(server.url, prefix)).toEqual([])
  })

  test('a store in Redis forgets whole conversations that were not used for too long, and approvals with them', async () => {
    const prefix = newPrefix()
    const store = await connect({ prefix, seconds: 1 })
    await keep(store, { responseId: 'a' }, { output: [item('mcpr_1')] })
    await keep(store, { responseId: 'b', previous: 'a' })
    await open(store, { responseId: 'running' })
    await store.consumeApprovals(['mcpr_1', 'mcpr_2'], 'ann')
    const cids = (await send('ZRANGE', `${prefix}used`, '0', '-1')) as readonly string[]
    await server.send(...cids.map((cid) => ['ZADD', `${prefix}used`, '1', cid]))
    await server.send(...['mcpr_1', 'mcpr_2'].map((id) => ['ZADD', `${prefix}a:ann`, '1', id]))
    await server.send(['ZADD', `${prefix}approvals`, '1', 'ann'])
    // It believes the clock when two looks agree.
    await expect
      .poll(async () => {
        await keep(store, { responseId: `new_${Math.random()}` })
        return ((await send('HMGET', `${prefix}ids`, 'a', 'b', 'running')) as unknown[]).map((row) => row === null)
      })
      .toEqual([true, true, false])
    expect(await store.consumeApprovals(['mcpr_1', 'mcpr_2'], 'ann')).toBe(true)
    expect(await redisFaults(server.url, prefix)).toEqual([])
  })

  test('a store in Redis remembers an approval that is too old as long as its item is found', async () => {
    const prefix = newPrefix()
    const store = await connect({ prefix, seconds: 1 })
    await open(store, { responseId: 'running' })
    const lease = await open(store, { responseId: 'a' })
    await end(store, lease, 0, { output: [item('mcpr_1')] })
    await open(store, { responseId: 'b', previous: 'a' })
    await store.consumeApprovals(['mcpr_1', 'other'], 'ann')
    await server.send(...['mcpr_1', 'other'].map((id) => ['ZADD', `${prefix}a:ann`, '1', id]))
    await server.send(['ZADD', `${prefix}approvals`, '1', 'ann'])
    const known = () => send('ZRANGE', `${prefix}a:ann`, '0', '-1')
    await expect
      .poll(async () => {
        await store.expired(1)
        return await known()
      })
      .toEqual(['mcpr_1'])
    expect(await store.consumeApprovals(['mcpr_1'], 'ann')).toBe(false)
  })

  test('a store in Redis leaves nothing of what was deleted but its counters', async () => {
    const prefix = newPrefix()
    const store = await connect({ prefix })
    const facts = { created_at: 1, metadata: {} }
    const key = { key: 'k', digest: 'd' }
    await keep(store, { responseId: 'a', key }, { output: [item('m')], entries: [entry(1), entry(2)] })
    await keep(store, { responseId: 'b', previous: 'a' }, { input: [item('m')], output: [item('n')] })
    await keep(store, { responseId: 'c', conversation: { conversationId: 'conv', facts } })
    await open(store, { responseId: 'r', previous: 'b', entries: block(entry(1)), approvals: ['m'] })
    for (const id of ['a', 'r', 'c', 'b']) {
      await store.delete(id, 'ann')
      expect(await redisFaults(server.url, prefix)).toEqual([])
    }
    await store.deleteOwner('ann')
    expect(await keysOf(prefix)).toEqual(['meta'])
    const [rows, meta] = [await send('HGET', `${prefix}meta`, 'rows'), await send('HGET', `${prefix}meta`, 'bytes')]
    expect([rows, meta]).toEqual(['4', '0'])
  })

  test('entries, items and the facts of conversations of a store in Redis are bytes, whatever these are', async () => {
    const bytes = Uint8Array.from({ length: 512 }, (_, at) => at % 256)
    const cipher = {
      encrypt: (content: Uint8Array) => joined(bytes, content),
      decrypt: (all: Uint8Array) => all.subarray(512),
    }
    const prefix = newPrefix()
    const store = await connect({ prefix, cipher, cacheBytes: 0 })
    const facts = { created_at: 1, metadata: { a: 'b' } }
    const lease = await open(store, { responseId: 'a', conversation: { conversationId: 'conv', facts } })
    for (let at = 0; at < 3; at++) await store.append([{ lease, at, entries: block(entry(at)), leaseSeconds: 60 }])
    expect(await entriesNow(store, 'a', 'ann', 3)).toEqual([entry(0), entry(1), entry(2)])
    await end(store, lease, 3, { output: [item('m', 'ü\u{1f600}')] })
    expect(await store.findItem('m', 'ann')).toMatchObject({ item: item('m', 'ü\u{1f600}') })
    expect((await store.lineage('a', 'ann'))?.responses[0]?.response.output).toEqual([item('m', 'ü\u{1f600}')])
    expect(await store.conversations.find('conv', 'ann')).toEqual({ facts, last: 'a' })
    expect(await redisFaults(server.url, prefix)).toEqual([])
  })

  function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
    const both = new Uint8Array(one.length + other.length)
    both.set(one)
    both.set(other, one.length)
    return both
  }

  test('processes that open a new store in Redis at the same time agree on its version', async () => {
    const prefix = newPrefix()
    const stores = await Promise.all(Array.from({ length: 6 }, () => connect({ prefix })))
    expect((await stores[3]?.status())?.version).toBe(1)
    await keep(stores[0] as RedisStore, { responseId: 'a' })
    expect(await has(stores[5] as RedisStore, 'a')).toBe(true)
  })

  test('a store in Redis refuses the keys of a newer version, and leaves them as they are', async () => {
    const prefix = newPrefix()
    await connect({ prefix })
    await send('HSET', `${prefix}meta`, 'version', '999')
    const before = await send('HGETALL', `${prefix}meta`)
    await expect(createRedisStore({ url: server.url, prefix })).rejects.toMatchObject({
      code: 'bad_option',
      message: 'createRedisStore: expected data of version 1 or older, got version 999',
    })
    expect(await send('HGETALL', `${prefix}meta`)).toEqual(before)
  })

  test('a store in Redis needs a user that may do no more than its steps do to its own keys', async () => {
    const prefix = newPrefix()
    const allowed = '+evalsha +eval +info +time +publish +subscribe +@read +@write -@dangerous +info'
    await send('ACL', 'SETUSER', 'least', 'on', '>least', `~${prefix}*`, `&${prefix}changed`, ...allowed.split(' '))
    const url = server.url.replace(':swordfish@', 'least:least@')
    const [store, other] = [await connect({ url, prefix }), await connect({ url, prefix })]
    const lease = await open(store, { responseId: 'a' })
    const reading = entriesNow(other, 'a', 'ann', 1)
    await store.append([{ lease, at: 0, entries: block(entry(0)), leaseSeconds: 60 }])
    expect(await reading).toEqual([entry(0)])
    await end(store, lease, 1)
    await expect(createRedisStore({ url, prefix: newPrefix() })).rejects.toThrow(
      /^the database \S+\/0: .*can't access at least one of the keys/,
    )
  })

  test('a store in Redis forgets no step when the server forgets its scripts', async () => {
    const store = await connect()
    const lease = await open(store, { responseId: 'a' })
    await send('SCRIPT', 'FLUSH')
    const append = { lease, at: 0, entries: block(entry(0)), leaseSeconds: 60 }
    expect(await store.append([append])).toEqual([{ state: 'written' }])
    expect(await entriesNow(store, 'a', 'ann', 1)).toEqual([entry(0)])
  })

  test('a process has one connection that listens, however many readers it has, and sends no data over it', async () => {
    const prefix = newPrefix()
    const [writer, reader] = [await connect({ prefix }), await connect({ prefix })]
    const leases = await Promise.all(['a', 'b', 'c'].map((responseId) => open(writer, { responseId })))
    const readings = ['a', 'b', 'c', 'a'].map((id) => entriesNow(reader, id, 'ann', 1))
    await expect.poll(() => listening(prefix)).toBe(1)
    await writer.append(leases.map((lease) => ({ lease, at: 0, entries: block(entry(7)), leaseSeconds: 60 })))
    expect(await Promise.all(readings)).toEqual(Array(4).fill([entry(7)]))
    expect(await listening(prefix)).toBe(1)
  })
})
