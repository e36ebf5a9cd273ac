import { expect, it } from 'vitest'
import { createBatchWriter } from '../../../src/endpoint/server/service/storage/batch-writer.js'
import type { Append } from '../../../src/endpoint/stores/store.js'

function appendOf(owner: string, response: string, bytes = 1): Append {
  const lease = { responseId: `${owner}_${response}`, owner, epoch: 1 }
  return { lease, at: 0, leaseSeconds: 30, entries: { count: 1, bytes: new Uint8Array(bytes) } }
}

/** Writes everything that is given in one turn; returns the responses of each call of the store. */
async function batchesOf(...appends: readonly Append[]): Promise<string[][]> {
  const batches: string[][] = []
  const writer = createBatchWriter({
    async append(all) {
      batches.push(all.map(({ lease }) => lease.responseId))
      return all.map(() => ({ state: 'written' }))
    },
  })
  await Promise.all(appends.map((append) => writer.append(append)))
  return batches
}

it('the appends of all owners that arrive together are written in one call of the store', async () => {
  expect(await batchesOf(appendOf('ann', '1'), appendOf('bob', '1'), appendOf('ann', '2'))).toEqual([
    ['ann_1', 'bob_1', 'ann_2'],
  ])
})

it('an append is in the next call of the store, however many another owner has waiting', async () => {
  const many = Array.from({ length: 2_000 }, (_, at) => appendOf('ann', `${at}`))
  const [first] = await batchesOf(...many, appendOf('bob', '1'))
  expect(first).toHaveLength(256)
  expect(first).toContain('bob_1')
})

it('of more owners than are written at once, none is written twice before each is written', async () => {
  const owners = Array.from({ length: 400 }, (_, at) => `owner${at}`)
  const [first = [], second = []] = await batchesOf(
    ...owners.flatMap((owner) => [appendOf(owner, '1'), appendOf(owner, '2')]),
  )
  expect(new Set([...first, ...second].map((id) => id.split('_')[0])).size).toBe(400)
})

it('large appends are not all in one call of the store, which would take seconds', async () => {
  const large = Array.from({ length: 5 }, (_, at) => appendOf('ann', `${at}`, 1_000_000))
  const batches = await batchesOf(...large, appendOf('bob', '1'))
  expect(batches[0]).toEqual(['ann_0', 'bob_1', 'ann_1'])
  expect(batches.flat()).toHaveLength(6)
})

it('the appends of one response are written in their order, each in a call of its own', async () => {
  const batches = await batchesOf(appendOf('ann', '1'), appendOf('ann', '1'), appendOf('ann', '2'))
  expect(batches).toEqual([['ann_1', 'ann_2'], ['ann_1']])
})

it.each([
  ['so many appends as one call takes', 257, 1],
  ['a megabyte', 2, 1_048_576],
])('other work runs after %s, also if the store answers at once', async (_, count, bytes) => {
  const done: string[] = []
  const writer = createBatchWriter({
    async append(all) {
      done.push('append')
      return all.map(() => ({ state: 'written' }))
    },
  })
  const written = Array.from({ length: count }, (_, at) => writer.append(appendOf('ann', `${at}`, bytes)))
  setImmediate(() => done.push('other work'))
  await Promise.all(written)
  expect(done).toEqual(['append', 'other work', 'append'])
})
