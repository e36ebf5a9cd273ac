import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { layOut, MAX_ROWS, piecesOf, rowOf } from '../../src/page/look/rows.js'
import { RUNS } from '../support/runs.js'

const texts = fc.array(
  fc
    .array(fc.oneof(fc.constantFrom(' ', '\n', '\t', 'word', '\u202e', '日本', '😀', '\ud800'), fc.string()))
    .map((parts) => ({ text: parts.join('') })),
)

describe('rows of texts', () => {
  test('they hold every character once, in order', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (list, columns) => {
        const rows = layOut(list, columns)
        const found = list.map(() => '')
        let last = -1
        for (let row = 0; row < rows.count; row++) {
          for (const { text, start, end } of piecesOf(rows, row, list)) {
            expect(text).toBeGreaterThanOrEqual(last)
            last = text
            expect(start).toBe(found[text]?.length)
            found[text] += list[text]?.text.slice(start, end) ?? ''
          }
        }
        expect(found).toEqual(list.map(({ text }) => text))
      }),
      { numRuns: RUNS },
    )
  })

  test('each is at most as long as there are columns, has no line feed but at its end, and cuts no character', () => {
    const ascii = fc.array(fc.record({ text: fc.string({ unit: fc.constantFrom('a', 'bc', ' ', '\n', '😀') }) }))
    fc.assert(
      fc.property(ascii, fc.integer({ min: 2, max: 40 }), (list, columns) => {
        const rows = layOut(list, columns)
        for (let row = 0; row < rows.count; row++) {
          const pieces = piecesOf(rows, row, list).map(({ text, start, end }) => list[text]?.text.slice(start, end))
          const line = pieces.join('')
          // An emoji has two columns, and two units.
          expect(line.replace(/\n$/, '').length).toBeLessThanOrEqual(columns)
          expect(line.slice(0, -1)).not.toContain('\n')
          expect(line).not.toMatch(/^[\udc00-\udfff]/)
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('each text is found in the row in which it begins', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (list, columns) => {
        const rows = layOut(list, columns)
        for (const [index, { text }] of list.entries()) {
          if (text === '') continue
          const pieces = piecesOf(rows, rowOf(rows, index), list)
          expect(pieces).toContainEqual(expect.objectContaining({ text: index, start: 0 }))
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('a token that does not fit begins a row, and a longer text is cut behind a space', () => {
    const list = ['The', ' quick', ' brown fox jumps over'].map((text) => ({ text }))
    const rows = layOut(list, 10)
    const lines = Array.from({ length: rows.count }, (_, row) =>
      piecesOf(rows, row, list)
        .map(({ text, start, end }) => list[text]?.text.slice(start, end))
        .join(''),
    )
    expect(lines).toEqual(['The quick', ' brown ', 'fox jumps ', 'over'])
  })

  test('there are not more than a browser can scroll over', () => {
    const list = [{ text: '\n'.repeat(MAX_ROWS + 5) }, { text: 'end' }]
    const rows = layOut(list, 80)
    expect(rows.count).toBe(MAX_ROWS)
    expect(piecesOf(rows, MAX_ROWS - 1, list)).toEqual([{ text: 0, start: MAX_ROWS - 1, end: MAX_ROWS }])
    expect(rowOf(rows, 1)).toBe(MAX_ROWS - 1)
  })
})
