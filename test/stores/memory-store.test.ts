import { expect, test } from 'vitest'
import type { Entry } from '../../src/journal/entry.js'
import { createMemoryStore, type ResponseStore } from '../../src/stores/index.js'
import { storeContract } from './contract.js'
import { entriesNow, entry, finished, item, keep } from './kept.js'

storeContract('a store in memory', () => createMemoryStore())

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
  for (const id of ['a', 'b', 'c']) leases.push(await store.open({ responseId: id, owner: 'ann', isTransient: false }))
  for (const lease of leases) await store.append(lease, 0, [entry(1), entry(2)])
  for (const id of ['x', 'y']) await keep(store, { responseId: id }, { entries: [entry(1)], output: [item(id)] })
  now = 1000
  for (const lease of leases) await store.append(lease, 2, [entry(3)])
  expect(await entriesNow(store, 'a', 'ann', 3)).toEqual([entry(1), entry(2), entry(3)])
})

test('a store in memory forgets responses, items, approvals and keys when their time is over', async () => {
  let now = 0
  const store = createMemoryStore({ seconds: 10, clock: () => now })
  const request = { owner: 'ann', key: 'k', digest: 'd', responseId: 'a' }
  await store.reserveKey(request)
  await keep(store, { responseId: 'a' }, { output: [item('msg_a')] })
  await store.consumeApprovals(['mcpr_1'], 'ann')
  now = 9
  expect(await has(store, 'a')).toBe(true)
  expect(await store.consumeApprovals(['mcpr_1'], 'ann')).toBe(false)
  now = 10
  expect(await has(store, 'a')).toBe(false)
  expect(await store.findItem('msg_a', 'ann')).toBeUndefined()
  expect(await store.entries('a', 'ann')).toBeUndefined()
  const other = { ...request, responseId: 'b' }
  expect(await store.reserveKey(other)).toEqual(other)
})

test('a store in memory counts the time of a response from its end', async () => {
  let now = 0
  const store = createMemoryStore({ seconds: 10, clock: () => now })
  const lease = await store.open({ responseId: 'a', owner: 'ann', isTransient: false })
  now = 100
  await store.finish(lease, finished())
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
  const promised = (await store.entries('a', 'ann')) as AsyncIterable<readonly Entry[]>
  await keep(store, { responseId: 'b' }, { entries: [entry(3), entry(4)] })
  const read: Entry[] = []
  for await (const added of promised) read.push(...added)
  expect(read).toEqual([entry(1), entry(2)])
})

test('a store in memory bounds the items, each counted once, and keeps those that a later response has', async () => {
  const store = createMemoryStore({ items: 3 })
  await keep(store, { responseId: 'a' }, { output: [item('1'), item('2')] })
  await keep(store, { responseId: 'b' }, { input: [item('2')], output: [item('3')] })
  expect(await has(store, 'a')).toBe(true)
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

test('a store in memory keeps a key whose request has not begun: it may be waiting for its turn', async () => {
  const store = createMemoryStore({ responses: 1 })
  const request = { owner: 'ann', key: 'k', digest: 'd', responseId: 'resp_waiting' }
  await store.reserveKey(request)
  expect(await store.reserveKey({ ...request, responseId: 'resp_again' })).toEqual(request)
})

test.each([
  [{ responses: 0 }, 'responses: expected a whole number of at least 1, got 0'],
  [{ items: 1.5 }, 'items: expected a whole number of at least 1, got 1.5'],
  [{ seconds: Number.NaN }, 'seconds: expected a whole number of at least 1, got NaN'],
])('a store in memory refuses %j', (options, message) => {
  expect(() => createMemoryStore(options)).toThrow(message)
})
