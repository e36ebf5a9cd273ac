import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { nextTurn } from '../../../src/endpoint/flow/next-turn.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { decodeEntries } from '../../../src/endpoint/server/service/storage/entry-bytes.js'
import {
  createMemoryStore,
  type Lease,
  type ResponseStore,
  type StoredBlock,
} from '../../../src/endpoint/stores/index.js'
import { runs } from '../../support/runs.js'
import { block, end, entriesNow, entry, item, keep, open } from './kept.js'

const has = async (store: ResponseStore, id: string): Promise<boolean> => (await store.find(id, 'ann')) !== undefined

test('a store in memory forgets the responses that finished first when there are too many', async () => {
  const store = createMemoryStore({ responses: 2 })
  for (const id of ['a', 'b', 'c']) await keep(store, { responseId: id }, { output: [item(`msg_${id}`)] })
  expect(await Promise.all(['a', 'b', 'c'].map((id) => has(store, id)))).toEqual([false, true, true])
  expect(await store.findItem('msg_a', 'ann')).toBeUndefined()
})

test('a store in memory never forgets a response that is running, whatever the bounds say', async () => {
  let now = 0
  const store = createMemoryStore({ responses: 1, items: 1, entries: 1, seconds: 10, clock: () => now })
  const leases = []
  for (const id of ['a', 'b', 'c'])
    leases.push(await open(store, { responseId: id, entries: block(entry(1), entry(2)) }))
  for (const id of ['x', 'y']) await keep(store, { responseId: id }, { entries: [entry(1)], output: [item(id)] })
  now = 1000
  await store.append(leases.map((lease) => ({ lease, at: 2, entries: block(entry(3)), leaseSeconds: 60 })))
  expect(await entriesNow(store, 'a', 'ann', 3)).toEqual([entry(1), entry(2), entry(3)])
})

test('a store in memory forgets responses, items, approvals and keys when their time has passed', async () => {
  let now = 0
  const store = createMemoryStore({ seconds: 10, clock: () => now })
  await keep(store, { responseId: 'a', key: { key: 'k', digest: 'd' } }, { output: [item('msg_a')] })
  expect(await store.findKey('k', 'ann')).toMatchObject({ responseId: 'a' })
  await store.consumeApprovals(['mcpr_1'], 'ann')
  now = 9
  expect(await store.consumeApprovals(['mcpr_1'], 'ann')).toBe(false)
  now = 10
  expect(await has(store, 'a')).toBe(false)
  expect(await store.findItem('msg_a', 'ann')).toBeUndefined()
  expect(await store.entries('a', 'ann')).toBeUndefined()
  expect(await store.findKey('k', 'ann')).toBeUndefined()
})

test('a store in memory counts the time of a response from its end', async () => {
  let now = 0
  const store = createMemoryStore({ seconds: 10, clock: () => now })
  const lease = await open(store, { responseId: 'a' })
  now = 100
  await end(store, lease, 0)
  now = 109
  expect(await has(store, 'a')).toBe(true)
})

test('a store in memory drops the entries of the oldest responses when there are too many, and keeps the responses', async () => {
  const store = createMemoryStore({ entries: 4 })
  for (const id of ['a', 'b', 'c']) await keep(store, { responseId: id }, { entries: [entry(1), entry(2)] })
  expect(await store.entries('a', 'ann')).toBeUndefined()
  expect(await has(store, 'a')).toBe(true)
  expect(await entriesNow(store, 'b', 'ann', 2)).toHaveLength(2)
})

test('a store in memory gives a reader all entries that it was promised, also if they are dropped before it reads', async () => {
  const store = createMemoryStore({ entries: 2 })
  await keep(store, { responseId: 'a' }, { entries: [entry(1), entry(2)] })
  const promised = (await store.entries('a', 'ann')) as AsyncIterable<readonly StoredBlock[]>
  await keep(store, { responseId: 'b' }, { entries: [entry(3), entry(4)] })
  const read: Entry[] = []
  for await (const added of promised) for (const { bytes } of added) read.push(...decodeEntries(bytes))
  expect(read).toEqual([entry(1), entry(2)])
})

test('a store in memory bounds the items, each counted once, and keeps those that a later response has', async () => {
  const store = createMemoryStore({ items: 3 })
  await keep(store, { responseId: 'a' }, { output: [item('1'), item('2')] })
  await keep(store, { responseId: 'b' }, { input: [item('2')], output: [item('3')] })
  await keep(store, { responseId: 'c' }, { output: [item('4')] })
  expect(await has(store, 'a')).toBe(false)
  expect(await store.findItem('1', 'ann')).toBeUndefined()
  expect(await store.findItem('2', 'ann')).toMatchObject({ responseId: 'b' })
})

test('a store in memory keeps the latest response, also if it alone has more items than there may be', async () => {
  const store = createMemoryStore({ items: 1 })
  await keep(store, { responseId: 'a' }, { output: [item('1'), item('2')] })
  expect(await has(store, 'a')).toBe(true)
})

test('a store in memory renews a whole conversation whenever one of its responses, items or entries is asked for', async () => {
  const uses: ((store: ResponseStore) => Promise<unknown>)[] = [
    (store) => store.find('a', 'ann'),
    (store) => store.lineage('b', 'ann'),
    (store) => store.findItem('msg_a', 'ann'),
    (store) => store.entries('b', 'ann'),
    (store) => keep(store, { responseId: 'd', previous: 'a' }),
  ]
  for (const use of uses) {
    let now = 0
    const store = createMemoryStore({ seconds: 10, clock: () => now })
    await keep(store, { responseId: 'a' }, { output: [item('msg_a')] })
    for (const responseId of ['b', 'c']) await keep(store, { responseId, previous: 'a' }, { entries: [entry(1)] })
    now = 9
    await use(store)
    await store.find('a', 'bob')
    now = 18
    expect(await Promise.all(['a', 'b', 'c'].map((id) => has(store, id)))).toEqual([true, true, true])
    now = 28
    expect(await Promise.all(['a', 'b', 'c'].map((id) => has(store, id)))).toEqual([false, false, false])
  }
})

test('a store in memory keeps a conversation in which a response is running, however old it is', async () => {
  let now = 0
  const store = createMemoryStore({ seconds: 10, responses: 2, clock: () => now })
  await keep(store, { responseId: 'a' })
  const lease = await open(store, { responseId: 'b', previous: 'a' })
  await keep(store, { responseId: 'x' })
  now = 1000
  expect((await store.lineage('b', 'ann'))?.responses).toHaveLength(1)
  await end(store, lease, 0)
  expect((await store.lineage('b', 'ann'))?.responses).toHaveLength(2)
})

test('a store in memory forgets a conversation as a whole, the least recently used one first', async () => {
  const store = createMemoryStore({ responses: 5 })
  for (const root of ['a', 'b']) {
    await keep(store, { responseId: root })
    await keep(store, { responseId: `${root}2`, previous: root })
  }
  await store.find('a', 'ann')
  await keep(store, { responseId: 'c' })
  await keep(store, { responseId: 'c2', previous: 'c' })
  const there = await Promise.all(['a', 'a2', 'b', 'b2', 'c', 'c2'].map((id) => has(store, id)))
  expect(there).toEqual([true, true, false, false, true, true])
})

test('a store in memory forgets the last conversation, too, if it alone is more than there may be', async () => {
  const store = createMemoryStore({ responses: 2 })
  await keep(store, { responseId: 'a' })
  await keep(store, { responseId: 'b', previous: 'a' })
  await keep(store, { responseId: 'c', previous: 'b' })
  expect(await Promise.all(['a', 'b', 'c'].map((id) => has(store, id)))).toEqual([false, false, false])
})

test('a store in memory knows a consumed approval as long as it has its item', async () => {
  let now = 0
  const store = createMemoryStore({ seconds: 10, clock: () => now })
  await keep(store, { responseId: 'a' }, { output: [item('mcpr_1')] })
  expect(await store.consumeApprovals(['mcpr_1'], 'ann')).toBe(true)
  for (now = 5; now < 50; now += 5) await has(store, 'a')
  expect(await store.consumeApprovals(['mcpr_1'], 'ann')).toBe(false)
})

test('a store in memory counts its contents, drops entries before conversations, and is empty in the end', async () => {
  const text = 'x'.repeat(1000)
  const store = createMemoryStore({ bytes: 13_500 })
  for (const responseId of ['a', 'b', 'c']) {
    await keep(store, { responseId }, { output: [item(`msg_${responseId}`, text)], entries: [entry(1)] })
  }
  expect(await Promise.all(['a', 'b', 'c'].map((id) => has(store, id)))).toEqual([true, true, true])
  expect(store.memory.bytes).toBeGreaterThan(6000)
  await keep(store, { responseId: 'd' }, { output: [item('msg_d', text)], entries: [entry(1)] })
  expect(store.memory.bytes).toBeLessThanOrEqual(13_500)
  expect([await store.entries('b', 'ann'), await has(store, 'b')]).toEqual([undefined, true])
  await keep(store, { responseId: 'e' }, { output: [item('msg_e', text)] })
  // The entries of all are gone. 'b' was asked for just now.
  expect(await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => has(store, id)))).toEqual([
    false,
    true,
    false,
    true,
    true,
  ])
  for (const id of ['b', 'd', 'e']) await store.delete(id, 'ann')
  expect(store.memory.bytes).toBe(0)
})

test('a store in memory counts what is kept about conversations as long as they are there', async () => {
  const store = createMemoryStore()
  const factsOf = (length: number) => ({ created_at: 1, metadata: { a: 'x'.repeat(length) } })
  await keep(store, { responseId: 'a', conversation: { conversationId: 'conv', facts: factsOf(500) } })
  const before = store.memory.bytes
  await store.conversations.update('conv', 'ann', factsOf(100))
  expect(before - store.memory.bytes).toBe(800)
  // It begins anew: what it was is deleted.
  await keep(store, { responseId: 'b', conversation: { conversationId: 'conv', last: 'a' } })
  await store.delete('a', 'ann')
  expect(before - store.memory.bytes).toBe(800)
  await store.conversations.delete('conv', 'ann')
  expect(before - store.memory.bytes).toBeGreaterThan(1000)
  await store.delete('b', 'ann')
  expect(store.memory.bytes).toBe(0)
})

test('a conversation in memory stays when the last response of an earlier one of its name is deleted', async () => {
  const store = createMemoryStore()
  const begin = { conversationId: 'conv', facts: { created_at: 1, metadata: {} } }
  await keep(store, { responseId: 'a', conversation: begin })
  await store.conversations.delete('conv', 'ann')
  await keep(store, { responseId: 'b', conversation: begin })
  await store.delete('a', 'ann')
  expect((await store.conversations.find('conv', 'ann'))?.last).toBe('b')
})

test('a store in memory gives bytes back when it is asked to, but none of a conversation that is in use', async () => {
  const store = createMemoryStore()
  const lease = await open(store, { responseId: 'a', entries: block(entry(1)) })
  await keep(store, { responseId: 'b' }, { entries: [entry(1)] })
  await keep(store, { responseId: 'c' }, { entries: [entry(1)] })
  const before = store.memory.bytes
  const freed = store.memory.reclaim(1)
  expect([freed, before - store.memory.bytes]).toEqual([freed, freed])
  expect(freed).toBeGreaterThan(0)
  expect([await store.entries('b', 'ann'), await has(store, 'b')]).toEqual([undefined, true])
  store.memory.reclaim(before)
  expect(await Promise.all(['a', 'b', 'c'].map((id) => has(store, id)))).toEqual([true, false, false])
  expect(store.memory.bytes).toBe(0)
  await end(store, lease, 1)
})

/** A model of what a store in memory deletes, given every use. */
class ForgetfulModel {
  readonly trees = new Map<string, { ids: string[]; running: number; usedAt: number; nth: number }>()
  readonly roots = new Map<string, string>()
  #uses = 0

  use(id: string, now: number): void {
    const tree = this.trees.get(this.roots.get(id) ?? '')
    if (tree !== undefined) Object.assign(tree, { usedAt: now, nth: ++this.#uses })
  }

  open(id: string, previous: string | undefined, now: number): void {
    const root = previous === undefined ? id : (this.roots.get(previous) as string)
    this.roots.set(id, root)
    const tree = this.trees.get(root) ?? { ids: [], running: 0, usedAt: now, nth: 0 }
    this.trees.set(root, { ...tree, ids: [...tree.ids, id], running: tree.running + 1 })
  }

  finish(id: string, now: number): void {
    const tree = this.trees.get(this.roots.get(id) ?? '')
    if (tree !== undefined) tree.running -= 1
    this.use(id, now)
  }

  expire(now: number, seconds: number): void {
    for (const [root, { running, usedAt }] of this.trees) {
      if (running === 0 && usedAt + seconds <= now) this.#forget(root)
    }
  }

  shrink(most: number): void {
    for (;;) {
      const idle = [...this.trees].filter(([, { running }]) => running === 0).sort(([, a], [, b]) => a.nth - b.nth)
      const count = [...this.trees.values()].reduce((sum, { ids, running }) => sum + ids.length - running, 0)
      const [oldest] = idle
      if (count <= most || oldest === undefined || (idle.length === 1 && oldest[1].ids.length <= most)) return
      this.#forget(oldest[0])
    }
  }

  #forget(root: string): void {
    for (const id of this.trees.get(root)?.ids ?? []) this.roots.delete(id)
    this.trees.delete(root)
  }
}

test('a store in memory forgets the same as its model: whole conversations, by time and by number', async () => {
  const operation = fc.oneof(
    fc.record({ op: fc.constant('open' as const), previous: fc.option(fc.nat(12), { nil: undefined }) }),
    fc.record({ op: fc.constantFrom('finish' as const, 'find' as const, 'lineage' as const), at: fc.nat(12) }),
    fc.record({ op: fc.constant('wait' as const), seconds: fc.nat(6) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), async (given, most) => {
      let now = 0
      const store = createMemoryStore({ responses: most, seconds: 10, clock: () => now })
      const model = new ForgetfulModel()
      const leases: Lease[] = []
      const running = new Set<string>()
      for (const each of given) {
        model.expire(now, 10)
        if (each.op === 'wait') now += each.seconds
        else if (each.op === 'open') {
          const previous = each.previous === undefined ? undefined : leases[each.previous]?.responseId
          const isThere = previous !== undefined && model.roots.has(previous) && !running.has(previous)
          const responseId = `resp_${leases.length}`
          leases.push(await open(store, { responseId, ...(isThere && { previous }) }))
          model.open(responseId, isThere ? previous : undefined, now)
          running.add(responseId)
        } else {
          const lease = leases[each.at]
          if (lease === undefined) continue
          const { responseId: id } = lease
          if (each.op === 'finish' && running.delete(id)) {
            await end(store, lease, 0)
            model.finish(id, now)
            model.shrink(most)
          } else if (each.op === 'find') {
            expect((await store.find(id, 'ann')) !== undefined).toBe(model.roots.has(id))
            model.use(id, now)
          } else if (each.op === 'lineage') {
            expect((await store.lineage(id, 'ann')) !== undefined).toBe(model.roots.has(id))
            model.use(id, now)
          }
        }
      }
    }),
    { numRuns: runs(500) },
  )
})

test.each([
  [{ responses: 0 }, 'responses: expected a whole number of at least 1, got 0'],
  [{ items: 1.5 }, 'items: expected a whole number of at least 1, got 1.5'],
  [{ seconds: Number.NaN }, 'seconds: expected a whole number of at least 1, got NaN'],
])('a store in memory refuses %j', (options, message) => {
  expect(() => createMemoryStore(options)).toThrow(message)
})

test('the memory of a store reports its bytes to its listeners, and those that it releases on request', async () => {
  const store = createMemoryStore({ clock: () => 0 })
  const seen: number[] = []
  const off = store.memory.onChange(() => seen.push(store.memory.bytes))
  await keep(store, { responseId: 'resp_1' }, { entries: [entry(1)] })
  await keep(store, { responseId: 'resp_2' }, { entries: [entry(1)] })
  expect(seen.at(-1)).toBe(store.memory.bytes)
  expect(store.memory.reclaim(1)).toBeGreaterThan(0)
  expect(seen.at(-1)).toBe(store.memory.bytes)
  await store.delete('resp_2', 'ann')
  expect(seen.at(-1)).toBe(store.memory.bytes)
  const { length } = seen
  off()
  await keep(store, { responseId: 'resp_3' }, { entries: [entry(1)] })
  expect(seen).toHaveLength(length)
})

test('setting the clock of the system changes nothing for a store in memory', async () => {
  const store = createMemoryStore()
  await keep(store, { responseId: 'a' })
  await open(store, { responseId: 'b', leaseSeconds: 60 })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40 * 86_400_000 })
  try {
    expect(await store.find('a', 'ann')).toBeDefined()
    expect(await store.expired(10)).toEqual([])
    await open(store, { responseId: 'c', leaseSeconds: 0 })
    vi.setSystemTime(Date.now() - 80 * 86_400_000)
    expect(await store.expired(10)).toEqual([{ responseId: 'c', owner: 'ann' }])
  } finally {
    vi.useRealTimers()
  }
})

const many = (count: number, begin = 0) => Array.from({ length: count }, (_, at) => item(`msg_${begin + at}`))

/** Counts the turns of the event loop until something is there. */
async function turnsUntil(done: Promise<unknown>): Promise<number> {
  let isDone = false
  void done.finally(() => {
    isDone = true
  })
  let turns = 0
  for (; !isDone; turns++) await nextTurn()
  return turns
}

test('the items of a long response are counted and indexed in slices, and each is found', async () => {
  const store = createMemoryStore()
  await keep(store, { responseId: 'a' }, { input: many(50_000) })
  const before = store.memory.bytes
  const last = store.findItem('msg_49999', 'ann')
  expect(await turnsUntil(last)).toBeGreaterThan(5)
  expect((await last)?.responseId).toBe('a')
  expect(store.memory.bytes - before).toBeGreaterThan(50_000 * 400)
})

test('the items of a long response are removed in slices, and none is found once the response is deleted', async () => {
  const store = createMemoryStore()
  await keep(store, { responseId: 'a' }, { input: many(50_000) })
  await store.findItem('msg_0', 'ann')
  await store.delete('a', 'ann')
  const last = store.findItem('msg_49999', 'ann')
  expect(await turnsUntil(last)).toBeGreaterThan(5)
  expect(await last).toBeUndefined()
})

test('a long response that is deleted while it is counted leaves no item and no byte', async () => {
  const store = createMemoryStore()
  const before = store.memory.bytes
  await keep(store, { responseId: 'a' }, { input: many(50_000) })
  await store.delete('a', 'ann')
  expect(await store.findItem('msg_0', 'ann')).toBeUndefined()
  expect(store.memory.bytes).toBe(before)
  await keep(store, { responseId: 'b' }, { input: many(10) })
  expect((await store.findItem('msg_3', 'ann'))?.responseId).toBe('b')
})

test('a store that is full of items forgets as many responses as it has to, and no more', async () => {
  const store = createMemoryStore({ items: 60_000 })
  for (const [at, id] of ['a', 'b', 'c'].entries()) {
    await keep(store, { responseId: id }, { input: many(25_000, at * 25_000) })
    await store.findItem('none', 'ann')
  }
  expect(await Promise.all(['a', 'b', 'c'].map((id) => has(store, id)))).toEqual([false, true, true])
})

test('the work for one owner makes no other owner wait', async () => {
  const store = createMemoryStore()
  await keep(store, { responseId: 'b', owner: 'bob' }, { input: many(1) })
  await keep(store, { responseId: 'a' }, { input: many(50_000) })
  expect(await turnsUntil(store.findItem('msg_0', 'bob'))).toBeLessThan(2)
})
