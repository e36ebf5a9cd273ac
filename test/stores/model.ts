import fc from 'fast-check'
import { expect } from 'vitest'
import type { Entry } from '../../src/journal/entry.js'
import { type ResponseStore, StoreConflict } from '../../src/stores/index.js'
import { runs } from '../support/runs.js'
import { entriesNow, entry, finished, item } from './kept.js'

interface ModelResponse {
  readonly owner: string
  readonly isTransient: boolean
  previous: string | undefined
  epoch: number
  entries: Entry[]
  isFinished: boolean
  isDeleted: boolean
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

/** A model of a store that forgets nothing by itself. */
class Model {
  readonly all = new Map<string, ModelResponse>()

  /** As `owner` finds it. */
  own(id: string, owner: string): ModelResponse | undefined {
    const response = this.all.get(id)
    return response?.owner === owner && !response.isDeleted ? response : undefined
  }

  mayGoOnFrom(previous: string | undefined, owner: string): boolean {
    if (previous === undefined) return true
    const response = this.own(previous, owner)
    return (response?.isFinished ?? false) && !response?.isTransient
  }

  /** The ids from the first one on, of those that are over. */
  lineage(id: string | undefined): string[] {
    const response = id === undefined ? undefined : this.all.get(id)
    if (id === undefined || response === undefined) return []
    return [...this.lineage(response.previous), ...(response.isFinished ? [id] : [])]
  }

  /** Forgets those that were deleted and that none goes on from. */
  prune(): void {
    for (let before = -1; before !== this.all.size; ) {
      before = this.all.size
      const needed = new Set([...this.all.values()].map(({ previous }) => previous))
      for (const [id, { isDeleted }] of this.all) if (isDeleted && !needed.has(id)) this.all.delete(id)
    }
  }
}

/** A reader in the middle of the operations, as one in another process would be. */
interface Follower {
  readonly response: ModelResponse
  readonly got: Entry[]
  readonly over: Promise<void>
}

async function follow(store: ResponseStore, id: string, response: ModelResponse): Promise<Follower> {
  const entries = (await store.entries(id, response.owner)) as AsyncIterable<readonly Entry[]>
  const got: Entry[] = []
  const read = async (): Promise<void> => {
    for await (const added of entries) got.push(...added)
  }
  return { response, got, over: read() }
}

export async function obeysModel(create: () => ResponseStore | Promise<ResponseStore>): Promise<void> {
  const id = fc.constantFrom('resp_1', 'resp_2', 'resp_3', 'resp_4')
  const owner = fc.constantFrom('ann', 'ann', 'ann', 'bob')
  const epoch = fc.constantFrom(1, 1, 1, 2, 3)
  const previous = fc.option(id, { nil: undefined })
  const operation = fc.oneof(
    fc.record({ op: fc.constant('open' as const), id, owner, previous, isTransient: fc.boolean() }),
    fc.record({ op: fc.constant('append' as const), id, owner, epoch, at: fc.nat(4), count: fc.nat(3) }),
    fc.record({ op: fc.constantFrom('finish' as const, 'finish' as const, 'abandon' as const), id, owner, epoch }),
    fc.record({ op: fc.constantFrom('claim' as const, 'find' as const, 'entries' as const), id, owner }),
    fc.record({ op: fc.constantFrom('delete' as const, 'lineage' as const, 'follow' as const), id, owner }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
      const store = await create()
      const model = new Model()
      const followers: Follower[] = []
      for (const [number, given] of operations.entries()) {
        const { op, id: responseId, owner: by } = given
        const own = model.own(responseId, by)
        const lease = { responseId, owner: by, epoch: 'epoch' in given ? given.epoch : 0 }
        const isHeld = own !== undefined && own.epoch === lease.epoch && !own.isFinished
        const count = own?.entries.length ?? 0
        const became = finished({ input: [item(`msg_${responseId}`)] })
        switch (op) {
          case 'open': {
            const { isTransient, previous: from } = given
            const asked = { responseId, owner: by, isTransient, ...(from !== undefined && { previous: from }) }
            const isRight = !model.all.has(responseId) && model.mayGoOnFrom(from, by)
            expect(await outcome(() => store.open(asked))).toEqual(isRight ? { ...lease, epoch: 1 } : 'conflict')
            const states = { epoch: 1, entries: [], isFinished: false, isDeleted: false }
            if (isRight) model.all.set(responseId, { owner: by, isTransient, previous: from, ...states })
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
            expect(await outcome(() => store.finish(lease, became))).toBe(isHeld ? 'nothing' : 'conflict')
            if (!isHeld) break
            own.isFinished = true
            if (own.isTransient) own.previous = undefined
            break
          case 'abandon':
            expect(await outcome(() => store.abandon(lease))).toBe(isHeld ? 'nothing' : 'conflict')
            if (isHeld) own.isDeleted = true
            break
          case 'claim': {
            const isOpen = own !== undefined && !own.isFinished
            if (isOpen) own.epoch += 1
            const expected = isOpen ? { ...lease, epoch: own.epoch } : 'nothing'
            expect(await outcome(() => store.claim(responseId, by))).toEqual(expected)
            break
          }
          case 'find': {
            const state = own?.isFinished ? { state: 'finished', finished: became } : { state: 'running' }
            const expected = own === undefined ? 'nothing' : { isTransient: own.isTransient, ...state }
            expect(await outcome(() => store.find(responseId, by))).toEqual(expected)
            break
          }
          case 'lineage': {
            const found = await store.lineage(responseId, by)
            const ids = found?.responses.flatMap(({ added }) => added.map((each) => each.id))
            expect(ids).toEqual(own && model.lineage(responseId).map((each) => `msg_${each}`))
            break
          }
          case 'entries':
            expect(await entriesNow(store, responseId, by, count)).toEqual(own?.entries)
            break
          case 'follow':
            if (own !== undefined) followers.push(await follow(store, responseId, own))
            break
          case 'delete':
            expect(await store.delete(responseId, by)).toBe(own !== undefined)
            if (own !== undefined) own.isDeleted = true
        }
        model.prune()
      }
      const isThere = (response: ModelResponse): boolean => [...model.all.values()].includes(response)
      for (const [responseId, { owner: by }] of [...model.all]) await store.delete(responseId, by)
      for (const { response, got, over } of followers) {
        await over
        // Who reads of a response that is deleted may have seen less.
        expect(got).toEqual(response.entries.slice(0, got.length))
        if (response.isFinished && isThere(response) && !response.isDeleted) expect(got).toEqual(response.entries)
      }
    }),
    { numRuns: runs(1000) },
  )
}
