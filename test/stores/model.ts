import fc from 'fast-check'
import { expect } from 'vitest'
import type { Entry } from '../../src/journal/entry.js'
import { type ResponseStore, StoreConflict } from '../../src/stores/index.js'
import { runs } from '../support/runs.js'
import { entriesNow, entry, finished } from './kept.js'

interface ModelResponse {
  readonly owner: string
  readonly isTransient: boolean
  epoch: number
  entries: Entry[]
  isFinished: boolean
}

/** What one operation gave: a value, or that it was refused. */
async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return (await work()) ?? 'nothing'
  } catch (error) {
    expect(error).toBeInstanceOf(StoreConflict)
    return 'conflict'
  }
}

export async function obeysModel(create: () => ResponseStore | Promise<ResponseStore>): Promise<void> {
  const id = fc.constantFrom('resp_1', 'resp_2')
  const owner = fc.constantFrom('ann', 'bob')
  const epoch = fc.integer({ min: 1, max: 3 })
  const operation = fc.oneof(
    fc.record({ op: fc.constant('open' as const), id, owner, isTransient: fc.boolean() }),
    fc.record({ op: fc.constant('append' as const), id, owner, epoch, at: fc.nat(4), count: fc.nat(3) }),
    fc.record({ op: fc.constantFrom('finish' as const, 'abandon' as const), id, owner, epoch }),
    fc.record({ op: fc.constantFrom('claim' as const, 'find' as const, 'entries' as const), id, owner }),
    fc.record({ op: fc.constant('delete' as const), id, owner }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 30 }), async (operations) => {
      const store = await create()
      const model = new Map<string, ModelResponse>()
      for (const [number, given] of operations.entries()) {
        const { op, id: responseId, owner: by } = given
        const own = model.get(responseId)?.owner === by ? model.get(responseId) : undefined
        const lease = { responseId, owner: by, epoch: 'epoch' in given ? given.epoch : 0 }
        const isHeld = own !== undefined && own.epoch === lease.epoch && !own.isFinished
        const count = own?.entries.length ?? 0
        switch (op) {
          case 'open': {
            const { isTransient } = given
            const got = await outcome(() => store.open({ responseId, owner: by, isTransient }))
            expect(got).toEqual(model.has(responseId) ? 'conflict' : { ...lease, epoch: 1 })
            if (got !== 'conflict') {
              model.set(responseId, { owner: by, isTransient, epoch: 1, entries: [], isFinished: false })
            }
            break
          }
          case 'append': {
            const added = Array.from({ length: given.count }, (_, index) => entry(number * 10 + index))
            const isRight = isHeld && given.at === count
            expect(await outcome(() => store.append(lease, given.at, added))).toBe(isRight ? 'nothing' : 'conflict')
            if (isRight) own.entries.push(...added)
            break
          }
          case 'finish':
            expect(await outcome(() => store.finish(lease, finished()))).toBe(isHeld ? 'nothing' : 'conflict')
            if (isHeld) own.isFinished = true
            break
          case 'abandon':
            expect(await outcome(() => store.abandon(lease))).toBe(isHeld ? 'nothing' : 'conflict')
            if (isHeld) model.delete(responseId)
            break
          case 'claim': {
            const isOpen = own !== undefined && !own.isFinished
            if (isOpen) own.epoch += 1
            const expected = isOpen ? { ...lease, epoch: own.epoch } : 'nothing'
            expect(await outcome(() => store.claim(responseId, by))).toEqual(expected)
            break
          }
          case 'find': {
            const state = own?.isFinished ? { state: 'finished', finished: finished() } : { state: 'running' }
            const expected = own === undefined ? 'nothing' : { isTransient: own.isTransient, ...state }
            expect(await outcome(() => store.find(responseId, by))).toEqual(expected)
            break
          }
          case 'entries':
            expect(await entriesNow(store, responseId, by, count)).toEqual(own?.entries)
            break
          case 'delete':
            expect(await store.delete(responseId, by)).toBe(own !== undefined)
            if (own !== undefined) model.delete(responseId)
        }
      }
    }),
    { numRuns: runs(1000) },
  )
}
