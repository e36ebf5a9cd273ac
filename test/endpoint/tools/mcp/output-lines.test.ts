import fc from 'fast-check'
import { expect, test } from 'vitest'
import { outputLines } from '../../../../src/endpoint/tools/mcp/output-lines.js'
import { runs } from '../../../support/runs.js'

/** The lines of a text that comes in pieces of these sizes. */
function linesOf(text: string, sizes: readonly number[] = [1_000_000]): string[] {
  const taken: string[] = []
  const lines = outputLines((line) => void taken.push(line))
  const bytes = new TextEncoder().encode(text)
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    lines.push(bytes.subarray(at, at + size))
    at += size
  }
  lines.end()
  return taken
}

test('a program’s lines are the same however its output is split, without blank ones', () => {
  const text = fc
    .array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('\n', '\r\n', '\n\n')), {
      maxLength: 20,
    })
    .map((parts) => parts.join(''))
  const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(text, sizes, (text, sizes) => {
      const expected = text.split('\n').map((line) => line.replace(/\r$/, ''))
      expect(linesOf(text, sizes)).toEqual(expected.filter((line) => line !== ''))
    }),
    { numRuns: runs(2000) },
  )
})

test.each([[1], [7], [5000]])('a line is cut at 1,000 characters, and the next one is whole: pieces of %i', (size) => {
  expect(linesOf(`${'x'.repeat(4000)}\nnext\n`, [size])).toEqual([`${'x'.repeat(1000)}…`, 'next'])
})

test('of a piece with many lines the first are taken, and the others counted', () => {
  const lines = linesOf(`${'a\n'.repeat(60)}`)
  expect(lines).toHaveLength(51)
  expect(lines.at(-1)).toBe('(10 more lines)')
})
