import { expect, test } from 'vitest'
import { giveUp, MAX_HELD, watchLeases } from '../../../../src/cli/serve/workers/held-leases.js'
import { createMemoryStore, type Lease, type ResponseStore } from '../../../../src/endpoint/stores/index.js'
import { block, end, entry, open } from '../../../endpoint/stores/kept.js'

/** A store, a process that is watched on it, and what that process tells. */
function watched() {
  const store = createMemoryStore()
  const told: string[] = []
  const tell = ({ responseId }: Lease, isHeld: boolean): void => void told.push(`${isHeld ? '+' : '-'}${responseId}`)
  return { store, process: watchLeases<ResponseStore>(store, tell), told }
}

test('a process tells of each response that begins there, and when it ends, is handed over or lost', async () => {
  const { store, process, told } = watched()
  const [ended, handed, lost] = [
    await open(process, { responseId: 'ended' }),
    await open(process, { responseId: 'handed' }),
    await open(process, { responseId: 'lost' }),
  ]
  expect(told.splice(0)).toEqual(['+ended', '+handed', '+lost'])
  await process.append([{ lease: ended, at: 0, entries: block(entry(0)), leaseSeconds: 60 }])
  await process.append([{ lease: handed, at: 7, leaseSeconds: 0 }])
  await process.open({ responseId: 'ended', owner: 'ann', entries: block(), leaseSeconds: 60 })
  expect(told).toEqual([])
  await end(process, ended, 1)
  await store.claim({ responseId: 'lost', owner: 'ann', leaseSeconds: 60, isForced: true })
  await process.append([
    { lease: handed, at: 0, leaseSeconds: 0 },
    { lease: lost, at: 0, leaseSeconds: 60 },
  ])
  expect(told).toEqual(['-ended', '-handed', '-lost'])
})

test('a process tells nothing of a response that it took over: what ends it there would end the next one at once', async () => {
  const { store, process, told } = watched()
  await open(store, { responseId: 'a', leaseSeconds: 0 })
  const claimed = await process.claim({ responseId: 'a', owner: 'ann', leaseSeconds: 60 })
  await end(process, claimed?.lease as Lease, 0)
  expect(told).toEqual([])
})

test('a process tells of so many leases at most, and of the latest ones', async () => {
  const { process, told } = watched()
  for (let at = 0; at <= MAX_HELD; at++) await open(process, { responseId: `${at}` })
  expect(told.slice(-2)).toEqual(['-0', `+${MAX_HELD}`])
})

test('a lease that is given up can be claimed at once, and that of an ended or claimed response stays', async () => {
  const store = createMemoryStore()
  const leases = [
    await open(store, { responseId: 'running', entries: block(entry(0), entry(1)) }),
    await open(store, { responseId: 'claimed' }),
    await open(store, { responseId: 'ended' }),
  ]
  await store.claim({ responseId: 'claimed', owner: 'ann', leaseSeconds: 60, isForced: true })
  await end(store, leases[2] as Lease, 0)
  const over: string[] = []
  await giveUp(store, leases, ({ responseId }) => over.push(responseId))
  expect(over.toSorted()).toEqual(['claimed', 'ended', 'running'])
  expect(await store.expired(9)).toEqual([{ responseId: 'running', owner: 'ann' }])
})

test('a lease is given up although its process has written since', async () => {
  const store = createMemoryStore()
  const lease = await open(store, { responseId: 'a', entries: block(entry(0)) })
  let isFirst = true
  const busy: ResponseStore = {
    ...store,
    async append(appends) {
      const results = await store.append(appends)
      if (isFirst) await store.append([{ lease, at: 1, entries: block(entry(1)), leaseSeconds: 60 }])
      isFirst = false
      return results
    },
  }
  await giveUp(busy, [lease], () => {})
  expect(await store.expired(9)).toHaveLength(1)
})

test('leases that a failed store cannot give up are not tried again, and the failure is told', async () => {
  const store = createMemoryStore()
  const lease = await open(store, { responseId: 'a' })
  const away: ResponseStore = { ...store, append: () => Promise.reject(new Error('the store is away')) }
  const over: Lease[] = []
  await expect(giveUp(away, [lease], (one) => over.push(one))).rejects.toThrow('the store is away')
  expect(over).toEqual([lease])
})
