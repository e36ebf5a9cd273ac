import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../../src/core/responses/events.js'
import { LiveEvents } from '../../../src/endpoint/server/service/running/live-events.js'
import { runs } from '../../support/runs.js'

type Batch = readonly ResponseStreamEvent[]

/** One event for each batch; the last one ends the response. */
const batchesOf = (count: number): Batch[] =>
  Array.from({ length: count }, (_, at): Batch => {
    const type = at === count - 1 ? 'response.completed' : 'response.in_progress'
    return [{ type, sequence_number: at, response: {} } as ResponseStreamEvent]
  })

const numbersOf = (batches: readonly Batch[]): number[] => batches.flat().map((event) => event.sequence_number)

interface Played {
  readonly live: LiveEvents
  readonly batches: readonly Batch[]
  /** The sequence numbers from which the store was read. */
  readonly reads: number[]
  left(): number
}

function played(count: number): Played {
  const batches = batchesOf(count)
  const reads: number[] = []
  let left = 0
  async function* after(number: number): AsyncGenerator<Batch> {
    yield* batches.slice(number + 1)
  }
  const live = new LiveEvents({
    later: async (number) => {
      reads.push(number)
      return after(number)
    },
    onLeave: () => {
      left += 1
    },
  })
  return { live, batches, reads, left: () => left }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the first reader of a response that waits for no reader', () => {
  test('the first reader has each batch in the very step in which it is made, and nothing is read from the store', async () => {
    const { live, batches, reads, left } = played(200)
    const taken: Batch[] = []
    const over = live.events.drainTo((batch) => void taken.push(batch))
    await turn()
    for (const [at, batch] of batches.entries()) {
      live.push(batch)
      expect(taken).toHaveLength(at + 1)
    }
    live.end()
    await over
    expect(reads).toEqual([])
    expect(left()).toBe(1)
  })

  test('the first reader has every event once and in order, however far it is behind and wherever its writer stops', async () => {
    const steps = fc.array(fc.integer({ min: -20, max: 80 }), { maxLength: 12 })
    const law = fc.asyncProperty(
      fc.nat(200),
      steps,
      fc.boolean(),
      fc.nat(200),
      async (count, steps, isPulled, stop) => {
        const { live, batches, left } = played(count)
        const taken: Batch[] = []
        /** Of a sink that is busy. */
        const held: (() => void)[] = []
        let isHurried = false
        const sink = (batch: Batch): Promise<void> | undefined => {
          taken.push(batch)
          return isHurried || taken.length % 3 === 0 ? undefined : new Promise((resolve) => held.push(resolve))
        }
        const over = isPulled ? undefined : live.events.drainTo(sink)
        const asked: Promise<unknown>[] = []
        const pull = async (): Promise<boolean> => {
          const { done, value } = await live.events.next()
          if (!done) taken.push(value)
          return done === true
        }
        const shown = Math.min(count, stop)
        let next = 0
        for (const step of steps) {
          if (step > 0) for (; next < shown && next < step; next++) live.push(batches[next] as Batch)
          else if (isPulled) for (let at = step; at < 0; at++) asked.push(pull())
          else for (let at = step; at < 0; at++) held.shift()?.()
          await turn()
        }
        for (; next < shown; next++) live.push(batches[next] as Batch)
        isHurried = true
        live.end()
        for (const resolve of held.splice(0)) resolve()
        if (over === undefined) while (!(await pull()));
        await over
        await Promise.all(asked)
        expect(numbersOf(taken)).toEqual(numbersOf(batches))
        expect(left()).toBe(1)
      },
    )
    await fc.assert(law, { numRuns: runs(250) })
  })

  test('a first reader that does not read holds no more than some batches, and has the rest when it does', async () => {
    const { live, batches, reads } = played(1000)
    for (const batch of batches) live.push(batch)
    live.end()
    const taken: Batch[] = []
    await live.events.drainTo((batch) => void taken.push(batch))
    expect(numbersOf(taken)).toEqual(numbersOf(batches))
    expect(reads).toEqual([-1])
  })

  test('a first reader that is behind holds no more than some bytes, however few its batches are', async () => {
    const { live, batches, reads } = played(8)
    const large = batches.map((batch): Batch => [{ ...batch[0], delta: 'x'.repeat(100_000) } as ResponseStreamEvent])
    for (const batch of large.slice(0, 4)) live.push(batch)
    const taken: Batch[] = []
    live.push(large[4] as Batch)
    // Twice the units of a text, and five of them are below the limit.
    const first = await live.events.next()
    expect(first.value).toBe(large[0])
    live.push(large[5] as Batch)
    live.push(large[6] as Batch)
    live.end()
    await live.events.drainTo((batch) => void taken.push(batch))
    expect(numbersOf(taken)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(reads).toEqual([0])
  })

  test('a first reader that leaves is told nothing more, whatever it was waiting for', async () => {
    const { live, batches, reads, left } = played(10)
    const asked = live.events.next()
    await turn()
    await live.events.return()
    live.push(batches[0] as Batch)
    live.end()
    expect(await asked).toEqual({ done: true, value: undefined })
    expect(reads).toEqual([])
    expect(left()).toBe(1)
  })
})
