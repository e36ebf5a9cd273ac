import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forwardLines, MAX_LINE } from '../../../../src/cli/serve/workers/whole-lines.js'
import { RUNS } from '../../../support/runs.js'

test('the lines of several processes pass whole and in the order of each, wherever their pieces are cut', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '🦦', ' '), maxLength: 20 })
  const printed = fc.array(line, { minLength: 1, maxLength: 20 })
  const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(printed, cuts), { minLength: 1, maxLength: 4 }), async (processes) => {
      let written = ''
      const whole = processes.map(([lines], at) => lines.map((each) => `${at}:${each}`))
      const passed = processes.map(([, lengths], at) => {
        const bytes = Buffer.from(`${whole[at]?.join('\n')}\n`)
        const pieces = function* () {
          for (let from = 0, cut = 0; from < bytes.length; cut++) {
            const to = from + (lengths[cut % lengths.length] as number)
            yield bytes.subarray(from, to)
            from = to
          }
        }
        return forwardLines(Readable.from(pieces(), { objectMode: false }), (lines) => {
          written += lines
        })
      })
      await Promise.all(passed)
      const lines = written.split('\n').slice(0, -1)
      for (const [at, own] of whole.entries()) expect(lines.filter((each) => each.startsWith(`${at}:`))).toEqual(own)
      expect(lines.length).toBe(whole.flat().length)
    }),
    { numRuns: RUNS },
  )
})

test('a line without an end is divided at a limit, and what a process leaves at its end becomes a line', async () => {
  const written: string[] = []
  await forwardLines(Readable.from(['x'.repeat(MAX_LINE), 'y'], { objectMode: false }), (lines) => written.push(lines))
  expect(written.map((each) => [each.length, each.at(-1)])).toEqual([
    [MAX_LINE + 1, '\n'],
    [2, '\n'],
  ])
})
