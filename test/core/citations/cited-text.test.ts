import fc from 'fast-check'
import { expect, test } from 'vitest'
import { citedText } from '../../../src/core/citations/cited-text.js'

const PAGE = `[1] Otters (https://site.test/)
**viewing lines [3 - 6] of 20**

L3: Otters
L4: are 【0†mustelids†wiki.test】.
L5:
L6: They hold hands.`

test.each([
  ['L3', 'Otters'],
  ['L3-L4', 'Otters are mustelids.'],
  ['L4-L6', 'are mustelids. They hold hands.'],
  ['L6-L90', 'They hold hands.'],
  ['L1', ''],
  ['L1-L3', 'Otters'],
  ['L90', ''],
  ['L6-L3', ''],
  ['Otters', ''],
  ['L3 and L4', ''],
])('%s cites %j', (place, quote) => {
  expect(citedText(PAGE, place)).toBe(quote)
})

test('a quotation is the beginning of its lines: 150 characters, none of them half', () => {
  const line = fc.string({ unit: fc.constantFrom('a', ' ', '🦦', 'L1: ', '\r'), maxLength: 60 })
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), (lines) => {
      const page = lines.map((text, at) => `L${at}: ${text}`).join('\n')
      const quote = citedText(page, `L0-L${lines.length - 1}`)
      const whole = lines.map((text) => text.trim()).filter((text) => text !== '')
      expect(quote.length).toBeLessThanOrEqual(150)
      expect(quote).not.toMatch(/[\ud800-\udbff]$/)
      expect(whole.join(' ').trim().startsWith(quote)).toBe(true)
      expect(quote.length).toBeGreaterThanOrEqual(Math.min(149, whole.join(' ').trim().length))
    }),
  )
})

test('a link that the quotation cuts shows no mark', () => {
  const page = `L0: ${'x'.repeat(140)} 【12†a link of many words】 end`
  expect(citedText(page, 'L0')).toBe(`${'x'.repeat(140)} a link of`.slice(0, 150))
})
