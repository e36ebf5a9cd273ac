import { afterAll, expect, test } from 'vitest'
import { type ContentCipher, createContentCipher } from '../../../../src/endpoint/stores/database/cipher.js'
import type { DatabaseStore } from '../../../../src/endpoint/stores/database/database-store.js'
import type { DatabaseLimits } from '../../../../src/endpoint/stores/database/limits.js'
import { checkStore } from '../../../../src/testing/index.js'
import { sized } from '../../../support/runs.js'
import { block, entriesNow, entry, item, keep, open } from '../kept.js'

type Options = DatabaseLimits & { readonly cipher?: ContentCipher }
type Store = DatabaseStore & { close(): Promise<void> }

/** A kind of database, for the laws that all of them keep. `Place` says which database of it is opened. */
export interface Kind<Place> {
  /** A database that is not there yet. */
  place(): Place
  /** Opens a store in a database, as a process would. */
  connect(place: Place, options?: Options): Promise<Store>
  /** A database without content, where one was that nobody has open any more. */
  emptied(place: Place): Place | Promise<Place>
  /** Damages the content of a database, which then cannot be read. */
  damage(place: Place): Promise<void>
  /** Returns what of a database is counted wrong. */
  miscounted(place: Place): Promise<readonly unknown[]>
}

/** The conversations whose bytes are not those of their content. Entries of one that runs are not counted yet. */
const MISCOUNTED_CONVERSATIONS = `
  SELECT cid FROM conversations WHERE bytes <> (
    SELECT sum(coalesce(length(head), 0)
      + (SELECT coalesce(sum(length(bytes)), 0) FROM parts WHERE parts.rid = responses.rid)
      + (SELECT coalesce(sum(length(bytes)), 0) FROM entries WHERE entries.rid = responses.rid AND head IS NOT NULL))
      FROM responses WHERE responses.cid = conversations.cid)`

/** The owners whose bytes are not those of their conversations and what is kept about those with a name. */
const MISCOUNTED_OWNERS = `
  SELECT owner FROM (
      SELECT owner, bytes FROM owners UNION ALL SELECT owner, -bytes FROM conversations
        UNION ALL SELECT owner, -length(facts) FROM named_conversations
    ) AS counted GROUP BY owner HAVING sum(bytes) <> 0`

/** What SQL finds that is counted wrong. @param query - returns the first column of each row */
export async function miscountedRows(query: (sql: string) => Promise<readonly unknown[]>): Promise<readonly unknown[]> {
  return [...(await query(MISCOUNTED_CONVERSATIONS)), ...(await query(MISCOUNTED_OWNERS))]
}

/** What every store in a database does. @param name - as in `a store in SQLite` */
export function databaseStoreLaws<Place>(name: string, kind: () => Kind<Place>): void {
  const opened: Store[] = []

  async function connect(place: Place, options?: Options): Promise<Store> {
    const store = await kind().connect(place, options)
    opened.push(store)
    return store
  }

  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()))
  })

  test.each([
    ['as it is', undefined],
    ['encrypted', createContentCipher([new Uint8Array(32).fill(7)])],
  ])(
    `${name}, its content %s, keeps every rule of a store, with another process on the data, and counts its bytes`,
    async (_what, cipher) => {
      let place = kind().place()
      const create = async () => {
        const store = await kind().connect(place, { ...(cipher && { cipher }) })
        const other = await kind().connect(place, { ...(cipher && { cipher }) })
        const close = async (): Promise<void> => {
          await Promise.all([store.close(), other.close()])
          expect(await kind().miscounted(place)).toEqual([])
          place = await kind().emptied(place)
        }
        return { store, other, close }
      }
      expect(await checkStore(create, { runs: sized(60, 4), timeoutMs: 20_000 })).toEqual([])
    },
  )

  test(`${name} counts what it holds`, async () => {
    const store = await connect(kind().place())
    const version = expect.any(Number)
    const nothing = { responses: 0, running: 0, conversations: 0, owners: 0, bytes: 0, version }
    expect(await store.status()).toEqual(nothing)
    await keep(store, { responseId: 'a' }, { output: [item('msg_a')], entries: [entry(1)] })
    await keep(store, { responseId: 'b', previous: 'a' }, { output: [item('msg_b')] })
    await open(store, { responseId: 'c', owner: 'bob' })
    const { oldest, bytes, ...counts } = await store.status()
    expect(counts).toEqual({ responses: 3, running: 1, conversations: 2, owners: 2, version })
    expect([bytes > 0, Math.abs((oldest ?? 0) - Date.now() / 1000) < 3600]).toEqual([true, true])
    await store.delete('b', 'ann')
    expect(await store.status()).toMatchObject({ responses: 2, conversations: 2 })
  })

  test(`${name} deletes everything of one owner, what runs there, too, and nothing else`, async () => {
    const place = kind().place()
    const [store, other] = [await connect(place), await connect(place)]
    await keep(store, { responseId: 'theirs', owner: 'bob' }, { output: [item('msg_theirs')] })
    const theirs = await store.status()
    for (let at = 0; at < 20; at++) await keep(store, { responseId: `a${at}` }, { output: [item(`msg_${at}`)] })
    await keep(store, { responseId: 'next', previous: 'a0' }, { output: [] })
    const running = await open(store, { responseId: 'runs', previous: 'a1', entries: block(entry(1)) })
    await store.consumeApprovals(['approved'], 'ann')
    const { bytes } = await store.status()
    expect(await other.deleteOwner('ann')).toEqual({
      ...{ responses: 22, conversations: 20, approvals: 1 },
      bytes: bytes - theirs.bytes,
    })
    expect(await store.status()).toEqual(theirs)
    for (const id of ['a0', 'next', 'runs']) expect(await store.find(id, 'ann')).toBeUndefined()
    expect(await store.findItem('msg_3', 'ann')).toBeUndefined()
    expect(await store.find('theirs', 'bob')).toBeDefined()
    const late = { lease: running, at: 1, entries: block(entry(2)), leaseSeconds: 10 }
    expect(await store.append([late])).toEqual([{ state: 'lost' }])
    expect(await store.consumeApprovals(['approved'], 'ann')).toBe(true)
    await keep(store, { responseId: 'a0' }, { output: [item('msg_0')] })
    expect(await store.deleteOwner('ann')).toMatchObject({ responses: 1, conversations: 1, approvals: 1 })
    expect(await store.deleteOwner('ann')).toEqual({ responses: 0, conversations: 0, bytes: 0, approvals: 0 })
  })

  test(`${name} deletes the named conversations of one owner, and no other's of the same name`, async () => {
    const place = kind().place()
    const [store, other] = [await connect(place), await connect(place)]
    const facts = { created_at: 1, metadata: { a: 'b' } }
    const begin = { conversationId: 'conv', facts }
    await keep(store, { responseId: 'theirs', owner: 'bob', conversation: begin })
    const theirs = await store.status()
    await keep(store, { responseId: 'a', conversation: begin })
    await open(store, { responseId: 'b', previous: 'a', conversation: { conversationId: 'conv', last: 'a' } })
    await open(store, { responseId: 'c', conversation: { conversationId: 'begins', facts } })
    const { bytes } = await store.status()
    expect(await other.deleteOwner('ann')).toMatchObject({ responses: 3, bytes: bytes - theirs.bytes })
    expect(await store.status()).toEqual(theirs)
    expect(await store.conversations.find('conv', 'ann')).toBeUndefined()
    expect(await store.conversations.find('conv', 'bob')).toEqual({ facts, last: 'theirs' })
    for (const conversationId of ['conv', 'begins']) {
      await keep(store, { responseId: `new_${conversationId}`, conversation: { conversationId, facts } })
    }
  })

  test(`${name} gives an owner the room of conversations back that are deleted`, async () => {
    const store = await connect(kind().place(), { ownerBytes: 10_000 })
    const facts = { created_at: 1, metadata: { long: 'x'.repeat(3000) } }
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await keep(store, { responseId: id, conversation: { conversationId: `conv_${id}`, facts } })
      if (id < 'd') expect(await store.conversations.delete(`conv_${id}`, 'ann')).toBe(true)
      expect(await store.delete(id, 'ann')).toBe(true)
    }
    expect(await store.status()).toMatchObject({ conversations: 0, bytes: 0 })
    for (const id of ['g', 'h']) await keep(store, { responseId: id }, { output: [item(`msg_${id}`)] })
    expect(await Promise.all(['g', 'h'].map(async (id) => (await store.find(id, 'ann'))?.state))).toEqual([
      'finished',
      'finished',
    ])
  })

  test(`${name} deletes what is too old although nobody asks it for anything`, async () => {
    const store = await connect(kind().place(), { seconds: 1 })
    await keep(store, { responseId: 'a' }, { output: [item('msg_a')] })
    const left = async (): Promise<number> => {
      await store.expired(1)
      return (await store.status()).conversations
    }
    await expect.poll(left, { timeout: 20_000 }).toBe(0)
  })

  test(`${name} keeps its contents when its process ends, and a process that comes later continues`, async () => {
    const place = kind().place()
    const store = await connect(place)
    await keep(store, { responseId: 'a' }, { output: [item('msg_a')], entries: [entry(1), entry(2)] })
    await open(store, { responseId: 'b', previous: 'a', entries: block(entry(3)), leaseSeconds: 0 })
    await store.close()
    const later = await connect(place)
    expect(await later.expired(10)).toEqual([{ responseId: 'b', owner: 'ann' }])
    expect(await entriesNow(later, 'a', 'ann', 2)).toEqual([entry(1), entry(2)])
    const claimed = await later.claim({ responseId: 'b', owner: 'ann', leaseSeconds: 60 })
    expect(claimed).toMatchObject({ lease: { epoch: 2 }, count: 1 })
  })

  /** A conversation of ann's, by another process: nothing of it is known to the store. */
  async function conversation(turns: number, options: Options = {}) {
    const place = kind().place()
    const writer = await connect(place)
    const ids = Array.from({ length: turns }, (_, at) => `turn_${at}`)
    for (const [at, responseId] of ids.entries()) {
      const previous = ids[at - 1]
      const response = { responseId, ...(previous !== undefined && { previous }) }
      await keep(writer, response, { output: [item(`msg_${at}`)] })
    }
    return { place, writer, ids, last: ids.at(-1) as string, store: await connect(place, options) }
  }

  const itemsOf = async (store: Store, id: string): Promise<unknown[] | undefined> =>
    (await store.lineage(id, 'ann'))?.responses.flatMap(({ response }) => response.output.map((each) => each.id))

  test(`${name} does not read a conversation again that it knows, nor what it continues`, async () => {
    const { place, ids, last, store } = await conversation(40)
    const expected = ids.map((_, at) => `msg_${at}`)
    expect(await itemsOf(store, last)).toEqual(expected)
    await kind().damage(place)
    expect(await itemsOf(store, last)).toEqual(expected)
    await keep(store, { responseId: 'next', previous: last }, { output: [item('msg_next')] })
    expect(await itemsOf(store, 'next')).toEqual([...expected, 'msg_next'])
    expect(await store.find('turn_3', 'ann')).toMatchObject({ finished: { response: { output: [{ id: 'msg_3' }] } } })
    await expect(itemsOf(await connect(place), last)).rejects.toThrow()
  })

  test(`${name} forgets what it knows when its process needs the memory, and reads it again`, async () => {
    const { ids, last, store } = await conversation(10)
    const expected = ids.map((_, at) => `msg_${at}`)
    expect(await itemsOf(store, last)).toEqual(expected)
    const { bytes } = store.memory
    expect(bytes).toBeGreaterThan(1000)
    expect([store.memory.reclaim(1), store.memory.bytes]).toEqual([bytes, 0])
    expect(await itemsOf(store, last)).toEqual(expected)
    expect(store.memory.bytes).toBe(bytes)
  })

  test(`${name} keeps no conversation in memory that is larger than its limit`, async () => {
    const { ids, last, store } = await conversation(10, { cacheBytes: 2000 })
    expect(await itemsOf(store, last)).toEqual(ids.map((_, at) => `msg_${at}`))
    expect(store.memory.bytes).toBeLessThanOrEqual(2000)
  })

  test(`${name} reads a response anew whose id another process has used again`, async () => {
    const { writer, ids, last, store } = await conversation(3)
    expect(await itemsOf(store, last)).toEqual(['msg_0', 'msg_1', 'msg_2'])
    for (const id of ids) await writer.delete(id, 'ann')
    expect(await itemsOf(store, last)).toBeUndefined()
    await keep(writer, { responseId: last }, { output: [item('msg_other')] })
    expect(await itemsOf(store, last)).toEqual(['msg_other'])
    expect(await store.find(last, 'ann')).toMatchObject({ finished: { response: { output: [{ id: 'msg_other' }] } } })
  })

  test(`${name} continues the branches of a conversation that it knows`, async () => {
    const { store } = await conversation(3)
    await itemsOf(store, 'turn_2')
    for (const id of ['a', 'b'])
      await keep(store, { responseId: id, previous: 'turn_1' }, { output: [item(`msg_${id}`)] })
    expect(await itemsOf(store, 'a')).toEqual(['msg_0', 'msg_1', 'msg_a'])
    expect(await itemsOf(store, 'b')).toEqual(['msg_0', 'msg_1', 'msg_b'])
    expect(await itemsOf(store, 'turn_2')).toEqual(['msg_0', 'msg_1', 'msg_2'])
  })

  test(`${name} reads a conversation once for all that ask at once`, async () => {
    const { last, store } = await conversation(30)
    const found = await Promise.all(Array.from({ length: 20 }, () => store.lineage(last, 'ann')))
    const firsts = new Set(found.map((each) => each?.responses[0]))
    expect([firsts.size, found[0]?.responses.length]).toEqual([1, 30])
  })

  test(`${name} answers other owners while one reads long conversations`, async () => {
    const { last, store } = await conversation(600, { cacheBytes: 0 })
    await keep(store, { responseId: 'bobs', owner: 'bob' })
    const lease = await open(store, { responseId: 'running', owner: 'bob' })
    const over: string[] = []
    const by = async (name: string, work: Promise<unknown>): Promise<void> => {
      await work
      over.push(name)
    }
    const reading = Array.from({ length: 10 }, (_, at) => by(`lineage ${at}`, store.lineage(last, 'ann')))
    const found = by('find', store.find('bobs', 'bob'))
    const renewed = by('renewal', store.append([{ lease, at: 0, leaseSeconds: 60 }]))
    await Promise.all([...reading, found, renewed])
    // Before most of what ann asked for earlier.
    expect(over.slice(0, 5)).toEqual(expect.arrayContaining(['find', 'renewal']))
  })

  test(`${name} gives a reader all entries that are there at once, however many blocks they are`, async () => {
    const store = await connect(kind().place())
    const lease = await open(store, { responseId: 'a' })
    for (let at = 0; at < 600; at++) await store.append([{ lease, at, entries: block(entry(at)), leaseSeconds: 60 }])
    const blocks = await store.entries('a', 'ann', 10)
    const first = await blocks?.[Symbol.asyncIterator]().next()
    expect(first?.value.map(({ at }: { readonly at: number }) => at)).toEqual(
      Array.from({ length: 590 }, (_, at) => at + 10),
    )
  })

  test(`${name} finishes what was asked of it before it closes`, async () => {
    const store = await connect(kind().place())
    const found = Array.from({ length: 20 }, () => store.find('none', 'ann'))
    await store.close()
    expect(await Promise.all(found)).toEqual(found.map(() => undefined))
    await expect(store.find('none', 'ann')).rejects.toThrow('closed')
  })
}
