import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wrapInSlices } from '../../../../src/endpoint/tools/browser/wrap.js'
import { atOnce, createWork } from '../../../../src/shared/slices.js'
import { runs } from '../../../support/runs.js'

const wrapped = (text: string, slice?: number): string[] => atOnce(wrapInSlices(text, createWork(slice)))

test('lines of at most 80 characters, which together are the text, however it is sliced', () => {
  const text = fc.string({
    unit: fc.constantFrom(...'ab  --\n', 'word ', 'well-known ', 'x'.repeat(90)),
    maxLength: 60,
  })
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 100 }), (text, slice) => {
      const lines = wrapped(text)
      expect(lines.every((line) => line.length <= 80)).toBe(true)
      expect(lines.join('')).toBe(text.replaceAll('\n', ''))
      expect(wrapped(text, slice)).toEqual(lines)
    }),
    { numRuns: runs(2_000) },
  )
})

test.each([
  ['one paragraph', 'lorem ipsum dolor-sit amet '.repeat(20_000)],
  ['short lines', 'ab\n'.repeat(200_000)],
])('%s of half a million characters is wrapped in slices', (_, text) => {
  expect([...wrapInSlices(text, createWork())].length).toBeGreaterThan(30)
})
