import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRestarts, RESTARTS } from '../../../../src/cli/serve/workers/restarts.js'
import { RUNS } from '../../../support/runs.js'

test('a worker that ends at once starts again after twice as long each time, up to a limit, and at first after it ran well', () => {
  let now = 0
  const restarts = createRestarts(() => now)
  const waits: number[] = []
  for (let time = 0; time < 9; time++) {
    const wait = restarts.waitMs(1, 10)
    waits.push(wait)
    now += wait + 10
  }
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, RESTARTS.longestMs, RESTARTS.longestMs])
  expect(restarts.waitMs(1, RESTARTS.steadyMs)).toBe(RESTARTS.firstMs)
  expect(restarts.waitMs(2, 10)).toBe(RESTARTS.firstMs)
})

test('of all workers together, at most so many start again within any minute', () => {
  const ends = fc.array(fc.record({ worker: fc.nat(9), ranMs: fc.nat(120_000), passed: fc.nat(3000) }), {
    minLength: 40,
    maxLength: 120,
  })
  fc.assert(
    fc.property(ends, (all) => {
      let now = 0
      const restarts = createRestarts(() => now)
      const starts = all.map(({ worker, ranMs, passed }) => {
        now += passed
        const wait = restarts.waitMs(worker, ranMs)
        expect(wait).toBeGreaterThanOrEqual(RESTARTS.firstMs)
        return now + wait
      })
      const sorted = starts.toSorted((one, other) => one - other)
      for (const [at, start] of sorted.entries()) {
        const later = sorted[at + RESTARTS.aMinute]
        if (later !== undefined) expect(later - start).toBeGreaterThanOrEqual(60_000)
      }
    }),
    { numRuns: RUNS },
  )
})
