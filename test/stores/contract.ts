import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/journal/entry.js'
import { type Lease, type ResponseStore, StoreConflict } from '../../src/stores/index.js'
import { entriesNow, entry, finished, item, keep } from './kept.js'
import { obeysModel } from './model.js'

/** Every store keeps this contract. @param create - an empty store that forgets nothing by itself during a test */
export function storeContract(name: string, create: () => ResponseStore | Promise<ResponseStore>): void {
  describe(name, () => {
    writing(create)
    reading(create)
    lineages(create)
    items(create)
    approvalsAndKeys(create)
    test('a store does what a model of it does, whatever it is asked in which order', () => obeysModel(create))
  })
}

type Create = () => ResponseStore | Promise<ResponseStore>
const NEW = { responseId: 'resp_1', owner: 'ann', isTransient: false }

function writing(create: Create): void {
  test('a store refuses a response whose id is known, also to another owner', async () => {
    const store = await create()
    await store.open(NEW)
    await expect(store.open(NEW)).rejects.toThrow(StoreConflict)
    await expect(store.open({ ...NEW, owner: 'bob' })).rejects.toThrow(StoreConflict)
  })

  test('a store appends all entries or none: not where others are, not after a gap', async () => {
    const store = await create()
    const lease = await store.open(NEW)
    await store.append(lease, 0, [entry(1), entry(2)])
    for (const at of [0, 1, 3, -1]) {
      await expect(store.append(lease, at, [entry(8), entry(9)])).rejects.toThrow(StoreConflict)
    }
    await expect(store.append(lease, 1, [])).rejects.toThrow(StoreConflict)
    await store.append(lease, 2, [])
    await store.append(lease, 2, [entry(3)])
    expect(await entriesNow(store, NEW.responseId, NEW.owner, 3)).toEqual([entry(1), entry(2), entry(3)])
  })

  test('a store refuses whatever a writer does whose lease was claimed by another', async () => {
    const store = await create()
    const old = await store.open(NEW)
    const latest = (await store.claim(NEW.responseId, NEW.owner)) as Lease
    expect(latest.epoch).toBeGreaterThan(old.epoch)
    await expect(store.append(old, 0, [entry(1)])).rejects.toThrow(StoreConflict)
    await expect(store.finish(old, finished())).rejects.toThrow(StoreConflict)
    await expect(store.abandon(old)).rejects.toThrow(StoreConflict)
    await store.append(latest, 0, [entry(2)])
    expect(await entriesNow(store, NEW.responseId, NEW.owner, 1)).toEqual([entry(2)])
  })

  test('a store refuses whatever comes after the end', async () => {
    const store = await create()
    const lease = await keep(store, NEW)
    await expect(store.append(lease, 0, [entry(1)])).rejects.toThrow(StoreConflict)
    await expect(store.finish(lease, finished())).rejects.toThrow(StoreConflict)
    expect(await store.claim(NEW.responseId, NEW.owner)).toBeUndefined()
  })

  test('a store refuses the writer of a response that was deleted', async () => {
    const store = await create()
    const lease = await store.open(NEW)
    expect(await store.delete(NEW.responseId, NEW.owner)).toBe(true)
    await expect(store.append(lease, 0, [entry(1)])).rejects.toThrow(StoreConflict)
    await expect(store.finish(lease, finished())).rejects.toThrow(StoreConflict)
    expect(await store.find(NEW.responseId, NEW.owner)).toBeUndefined()
  })

  test('a store knows nothing of a response that was abandoned', async () => {
    const store = await create()
    await store.abandon(await store.open(NEW))
    expect(await store.find(NEW.responseId, NEW.owner)).toBeUndefined()
    expect(await store.entries(NEW.responseId, NEW.owner)).toBeUndefined()
  })

  test('a store does not show what the writer does to its array afterwards', async () => {
    const store = await create()
    const added = [entry(1)]
    await store.append(await store.open(NEW), 0, added)
    added.push(entry(2))
    expect(await entriesNow(store, NEW.responseId, NEW.owner, 1)).toEqual([entry(1)])
  })
}

function reading(create: Create): void {
  test('a store is as if empty for every owner but one', async () => {
    const store = await create()
    await keep(store, NEW, { output: [item('msg_1')] })
    expect(await store.find(NEW.responseId, 'bob')).toBeUndefined()
    expect(await store.entries(NEW.responseId, 'bob')).toBeUndefined()
    expect(await store.findItem('msg_1', 'bob')).toBeUndefined()
    expect(await store.claim(NEW.responseId, 'bob')).toBeUndefined()
    expect(await store.delete(NEW.responseId, 'bob')).toBe(false)
    expect(await store.find(NEW.responseId, 'ann')).toMatchObject({ state: 'finished' })
  })

  test('a store says how far a response is, and whether it may be found later', async () => {
    const store = await create()
    const lease = await store.open({ ...NEW, isTransient: true })
    expect(await store.find(NEW.responseId, NEW.owner)).toEqual({ isTransient: true, state: 'running' })
    await store.finish(lease, finished())
    const found = { isTransient: true, state: 'finished', finished: finished() }
    expect(await store.find(NEW.responseId, NEW.owner)).toEqual(found)
  })

  test('a store gives readers each entry once, in order, from where they began to the end', async () => {
    const store = await create()
    const lease = await store.open(NEW)
    await store.append(lease, 0, [entry(0), entry(1)])
    const readers = await Promise.all([0, 1, 2, 3].map((from) => read(store, from)))
    await store.append(lease, 2, [entry(2)])
    await store.append(lease, 3, [entry(3), entry(4)])
    await store.finish(lease, finished())
    const late = await read(store, 0)
    const whole = [0, 1, 2, 3, 4].map(entry)
    expect(await Promise.all(readers.map(({ all }) => all))).toEqual([0, 1, 2, 3].map((from) => whole.slice(from)))
    expect(await late.all).toEqual(whole)
  })

  test('a store lets readers end when the response is deleted', async () => {
    const store = await create()
    await store.append(await store.open(NEW), 0, [entry(1)])
    const reader = await read(store, 0)
    await store.delete(NEW.responseId, NEW.owner)
    // Whether it saw the entry that was there depends on who came first.
    expect([0, 1]).toContain((await reader.all).length)
  })

  test('a store goes on for the others when one reader leaves', async () => {
    const store = await create()
    const lease = await store.open(NEW)
    const leaving = (await store.entries(NEW.responseId, NEW.owner)) as AsyncIterable<readonly Entry[]>
    const staying = await read(store, 0)
    await store.append(lease, 0, [entry(1)])
    for await (const _ of leaving) break
    await store.append(lease, 1, [entry(2)])
    await store.finish(lease, finished())
    expect(await staying.all).toEqual([entry(1), entry(2)])
  })

  test('a store lets a reader leave at once that waits for an entry', async () => {
    const store = await create()
    await store.open(NEW)
    const entries = (await store.entries(NEW.responseId, NEW.owner)) as AsyncIterable<readonly Entry[]>
    const reader = entries[Symbol.asyncIterator]()
    const waiting = reader.next()
    await reader.return?.()
    expect((await waiting).done).toBe(true)
  })

  test('a store deletes once', async () => {
    const store = await create()
    await keep(store, NEW)
    expect(await store.delete(NEW.responseId, NEW.owner)).toBe(true)
    expect(await store.delete(NEW.responseId, NEW.owner)).toBe(false)
    expect(await store.find(NEW.responseId, NEW.owner)).toBeUndefined()
  })
}

/** Opens and finishes responses that go on from each other, each with one item of its own. */
async function chain(store: ResponseStore, ...ids: readonly string[]): Promise<void> {
  for (const [at, responseId] of ids.entries()) {
    const previous = ids[at - 1]
    await keep(store, { responseId, ...(previous && { previous }) }, { input: [item(`msg_${responseId}`)] })
  }
}

/** The items that each response of a lineage added. */
async function lineageOf(store: ResponseStore, responseId: string, owner = 'ann'): Promise<unknown> {
  const found = await store.lineage(responseId, owner)
  return found?.responses.map(({ added }) => added.map(({ id }) => id).join())
}

function lineages(create: Create): void {
  test('a store finds the responses that one goes on from, the first of them first, in each branch', async () => {
    const store = await create()
    await chain(store, 'a', 'b', 'c')
    await keep(store, { responseId: 'other', previous: 'a' }, { input: [item('msg_other')] })
    expect(await lineageOf(store, 'c')).toEqual(['msg_a', 'msg_b', 'msg_c'])
    expect(await lineageOf(store, 'other')).toEqual(['msg_a', 'msg_other'])
    expect(await lineageOf(store, 'a')).toEqual(['msg_a'])
    expect(await store.lineage('b', 'ann')).toMatchObject({ isTransient: false, state: 'finished' })
    expect([await store.lineage('c', 'bob'), await store.lineage('none', 'ann')]).toEqual([undefined, undefined])
  })

  test('a store finds what a running response goes on from, for whoever takes it over', async () => {
    const store = await create()
    await chain(store, 'a', 'b')
    await store.open({ responseId: 'c', owner: 'ann', isTransient: true, previous: 'b' })
    expect(await store.lineage('c', 'ann')).toMatchObject({ isTransient: true, state: 'running' })
    expect(await lineageOf(store, 'c')).toEqual(['msg_a', 'msg_b'])
  })

  test('a store lets nothing go on from a response that is not there, is not over, is transient, is deleted, or is of another owner', async () => {
    const store = await create()
    await chain(store, 'a', 'b')
    await store.delete('a', 'ann')
    await store.open({ responseId: 'running', owner: 'ann', isTransient: false })
    await keep(store, { responseId: 'transient', isTransient: true })
    await keep(store, { responseId: 'others', owner: 'bob' })
    for (const previous of ['none', 'a', 'running', 'transient', 'others', 'new']) {
      const opened = store.open({ responseId: 'new', owner: 'ann', isTransient: false, previous })
      await expect(opened).rejects.toThrow(StoreConflict)
    }
    expect(await store.find('new', 'ann')).toBeUndefined()
  })

  test('a store keeps what a deleted response added, as long as another goes on from it, and shows it to no one else', async () => {
    const store = await create()
    await chain(store, 'a', 'b', 'c')
    expect(await store.delete('a', 'ann')).toBe(true)
    expect(await store.delete('b', 'ann')).toBe(true)
    for (const id of ['a', 'b']) {
      const gone = [store.find(id, 'ann'), store.lineage(id, 'ann'), store.entries(id, 'ann')]
      expect(await Promise.all(gone)).toEqual([undefined, undefined, undefined])
      expect(await store.findItem(`msg_${id}`, 'ann')).toBeUndefined()
      expect(await store.delete(id, 'ann')).toBe(false)
      await expect(store.open({ ...NEW, responseId: id })).rejects.toThrow(StoreConflict)
    }
    expect(await lineageOf(store, 'c')).toEqual(['msg_a', 'msg_b', 'msg_c'])
    expect(await store.delete('c', 'ann')).toBe(true)
    await chain(store, 'a', 'b', 'c')
    expect(await lineageOf(store, 'c')).toEqual(['msg_a', 'msg_b', 'msg_c'])
  })

  test('a store keeps what a deleted response added for a transient one only while that is running', async () => {
    const store = await create()
    await chain(store, 'a', 'b')
    const lease = await store.open({ responseId: 'c', owner: 'ann', isTransient: true, previous: 'b' })
    for (const id of ['b', 'a']) await store.delete(id, 'ann')
    expect(await lineageOf(store, 'c')).toEqual(['msg_a', 'msg_b'])
    await store.finish(lease, finished({ input: [item('msg_c')] }))
    expect(await lineageOf(store, 'c')).toEqual(['msg_c'])
    await chain(store, 'a', 'b')
  })

  test('a store forgets what a deleted response added when the only one that went on from it is abandoned', async () => {
    const store = await create()
    await chain(store, 'a')
    const lease = await store.open({ responseId: 'b', owner: 'ann', isTransient: false, previous: 'a' })
    await store.delete('a', 'ann')
    await store.abandon(lease)
    await chain(store, 'a', 'b')
  })

  test('a store keeps plain JSON: what a response became is found as another process would read it', async () => {
    const store = await create()
    const lease = await store.open(NEW)
    const sealed = { sealed: 'gAAA', text: 'Hm.', form: '[0]' }
    const given = { ...finished({ input: [item('msg_1')] }), history: [{ tokens: [1, 200_006] }, sealed] }
    await store.finish(lease, JSON.parse(JSON.stringify(given)))
    const found = await store.lineage(NEW.responseId, NEW.owner)
    const [one] = found?.responses ?? []
    const history = one?.history.map((known) => ('tokens' in known ? { tokens: Array.from(known.tokens) } : known))
    expect({ ...one, history }).toEqual(given)
  })

  test('a store finds a conversation of 3,000 responses, and forgets it when all of them are deleted', async () => {
    const store = await create()
    const ids = Array.from({ length: 3000 }, (_, at) => `resp_${at}`)
    await chain(store, ...ids)
    expect((await store.lineage('resp_2999', 'ann'))?.responses).toHaveLength(3000)
    for (const id of ids) expect(await store.delete(id, 'ann')).toBe(true)
    await chain(store, ...ids.slice(0, 2))
  })
}

/** Reads from now on. `all` resolves when there is no more. */
async function read(store: ResponseStore, from: number): Promise<{ readonly all: Promise<Entry[]> }> {
  const entries = (await store.entries(NEW.responseId, NEW.owner, from)) as AsyncIterable<readonly Entry[]>
  const all = async (): Promise<Entry[]> => {
    const got: Entry[] = []
    for await (const added of entries) got.push(...added)
    return got
  }
  return { all: all() }
}

function items(create: Create): void {
  test('a store finds the items of responses that are over, input and output', async () => {
    const store = await create()
    await keep(store, NEW, { input: [item('msg_in')], output: [item('msg_out')] })
    expect(await store.findItem('msg_in', 'ann')).toMatchObject({ isOutput: false, responseId: 'resp_1' })
    expect(await store.findItem('msg_out', 'ann')).toEqual({
      item: item('msg_out'),
      isOutput: true,
      responseId: 'resp_1',
    })
    expect(await store.findItem('msg_none', 'ann')).toBeUndefined()
  })

  test('a store has no items of transient responses', async () => {
    const store = await create()
    await keep(store, { ...NEW, isTransient: true }, { input: [item('msg_in')], output: [item('msg_out')] })
    expect(await store.findItem('msg_in', 'ann')).toBeUndefined()
    expect(await store.findItem('msg_out', 'ann')).toBeUndefined()
  })

  test('a store keeps an item as long as one response has it', async () => {
    const store = await create()
    await keep(store, NEW, { output: [item('msg_1')] })
    await keep(store, { responseId: 'resp_2' }, { input: [item('msg_1')] })
    await store.delete('resp_1', 'ann')
    expect(await store.findItem('msg_1', 'ann')).toMatchObject({ isOutput: true, responseId: 'resp_2' })
    await store.delete('resp_2', 'ann')
    expect(await store.findItem('msg_1', 'ann')).toBeUndefined()
  })

  test("a store never takes a client's copy for what a response gave", async () => {
    const store = await create()
    await keep(store, { responseId: 'resp_0' }, { input: [item('mcpr_1', 'planted')] })
    await keep(store, NEW, { output: [item('mcpr_1', 'genuine')] })
    await keep(store, { responseId: 'resp_2' }, { input: [item('mcpr_1', 'forged')] })
    const genuine = { item: item('mcpr_1', 'genuine'), isOutput: true }
    expect(await store.findItem('mcpr_1', 'ann')).toMatchObject(genuine)
    await store.delete('resp_1', 'ann')
    expect(await store.findItem('mcpr_1', 'ann')).toMatchObject(genuine)
  })

  test("a store keeps the items of two owners apart, also under one id and under ids that imitate an owner's", async () => {
    const store = await create()
    await keep(store, { responseId: 'resp_a', owner: 'a' }, { input: [item('b","x', 'of a')] })
    await keep(store, { responseId: 'resp_b', owner: 'a","b' }, { input: [item('x', 'of the other')] })
    expect(await store.findItem('b","x', 'a')).toMatchObject({ item: item('b","x', 'of a') })
    expect(await store.findItem('x', 'a","b')).toMatchObject({ item: item('x', 'of the other') })
  })

  test.each(['__proto__', 'constructor', 'toString', ''])(
    'a store takes %j for an id, an owner and a key',
    async (name) => {
      const store = await create()
      expect(await store.find(name, name)).toBeUndefined()
      expect(await store.findItem(name, name)).toBeUndefined()
      await keep(store, { responseId: name, owner: name }, { input: [item(name)] })
      expect(await store.find(name, name)).toMatchObject({ state: 'finished' })
      expect(await store.findItem(name, name)).toMatchObject({ responseId: name })
      const keyed = { owner: name, key: name, digest: name, responseId: name }
      expect(await store.reserveKey(keyed)).toEqual(keyed)
      expect(await store.consumeApprovals([name], name)).toBe(true)
    },
  )
}

function approvalsAndKeys(create: Create): void {
  const request = { owner: 'ann', key: 'k', digest: 'd', responseId: 'resp_1' }

  test('a store lets an approval be consumed once, also if many ask at the same time', async () => {
    const store = await create()
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.consumeApprovals(['mcpr_1'], 'ann')))
    expect(answers.filter((isFirst) => isFirst)).toHaveLength(1)
    expect(await store.consumeApprovals(['mcpr_1'], 'ann')).toBe(false)
    expect(await store.consumeApprovals(['mcpr_1'], 'bob')).toBe(true)
  })

  test('a store lets an approval be consumed once whose request is an item of a response', async () => {
    const store = await create()
    await keep(store, NEW, { output: [item('mcpr_1')] })
    expect(await store.consumeApprovals(['mcpr_1'], 'ann')).toBe(true)
    await keep(store, { responseId: 'resp_2', previous: NEW.responseId }, { input: [item('mcpr_1')] })
    expect(await store.consumeApprovals(['mcpr_1'], 'ann')).toBe(false)
  })

  test('a store consumes several approvals together, or none', async () => {
    const store = await create()
    await store.consumeApprovals(['mcpr_2'], 'ann')
    expect(await store.consumeApprovals(['mcpr_1', 'mcpr_2'], 'ann')).toBe(false)
    expect(await store.consumeApprovals(['mcpr_1', 'mcpr_3'], 'ann')).toBe(true)
    expect(await store.consumeApprovals([], 'ann')).toBe(true)
  })

  test('a store gives a key to the first request, and shows the others which it was', async () => {
    const store = await create()
    const others = [2, 3, 4].map((n) => ({ ...request, responseId: `resp_${n}`, digest: `d${n}` }))
    const answers = await Promise.all([request, ...others].map((one) => store.reserveKey(one)))
    expect(answers).toEqual([request, request, request, request])
    expect(await store.reserveKey({ ...request, owner: 'bob', responseId: 'resp_9' })).toMatchObject({ owner: 'bob' })
    expect(await store.reserveKey({ ...request, key: 'other', responseId: 'resp_9' })).toMatchObject({ key: 'other' })
  })

  test('a store gives a key back for the request that has it, and for no other', async () => {
    const store = await create()
    const other = { ...request, responseId: 'resp_2' }
    await store.reserveKey(request)
    await store.releaseKey(other)
    expect(await store.reserveKey(other)).toEqual(request)
    await store.releaseKey(request)
    expect(await store.reserveKey(other)).toEqual(other)
  })

  test('a store frees a key with the response that it belongs to', async () => {
    const store = await create()
    const other = { ...request, responseId: 'resp_2' }
    await store.reserveKey(request)
    await keep(store, NEW)
    expect(await store.reserveKey(other)).toEqual(request)
    await store.delete('resp_1', 'ann')
    expect(await store.reserveKey(other)).toEqual(other)
  })
}
