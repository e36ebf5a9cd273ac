import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { InputItem } from '../../../src/core/responses/input-items.js'
import { KeptItems } from '../../../src/endpoint/stores/kept-items.js'
import type { FinishedResponse } from '../../../src/endpoint/stores/store.js'
import { atOnce, createWork, type Slices } from '../../../src/shared/slices.js'
import { runs } from '../../support/runs.js'

const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 6 })
const response = fc.record({ added: ids, output: ids })
/** A response is kept, forgotten, or the latest work goes on for some slices. */
const step = fc.oneof(fc.record({ keep: response }), fc.record({ forget: fc.nat(5) }), fc.record({ slices: fc.nat(9) }))

const itemsOf = (list: readonly string[]) => list.map((id) => ({ type: 'message', id }) as object as InputItem)
const finishedOf = ({ added, output }: { added: readonly string[]; output: readonly string[] }) =>
  ({ added: itemsOf(added), response: { output: itemsOf(output) }, history: [] }) as object as FinishedResponse

test('items that are kept and forgotten in slices are those that are left at the end', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const [kept, expected] = [new KeptItems(), new KeptItems()]
      const work = createWork(1)
      /** One after another, as the store does an owner's. */
      const waiting: Slices<void>[] = []
      const left = new Map<string, FinishedResponse>()
      for (const [at, step] of steps.entries()) {
        if ('keep' in step) {
          const finished = finishedOf(step.keep)
          left.set(`${at}`, finished)
          waiting.push(kept.keep({ responseId: `${at}`, owner: 'ann' }, finished, work))
        } else if ('forget' in step) {
          const responseId = [...left.keys()][step.forget]
          if (responseId === undefined) continue
          left.delete(responseId)
          waiting.push(kept.forget(responseId)(work))
        } else for (let slice = 0; slice < step.slices; slice++) if (waiting[0]?.next().done) waiting.shift()
      }
      for (const slices of waiting) atOnce(slices)
      for (const [responseId, finished] of left) {
        atOnce(expected.keep({ responseId, owner: 'ann' }, finished, createWork()))
      }
      expect(kept.size).toBe(expected.size)
      for (const id of 'abcde') expect(kept.find(id, 'ann')?.responseId).toBe(expected.find(id, 'ann')?.responseId)
    }),
    { numRuns: runs(10_000) },
  )
})
