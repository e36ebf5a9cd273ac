import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isJson, jsonIn } from '../../../src/judge/conformance/json-text.js'
import { runs } from '../../support/runs.js'

/** Text around JSON: valid, cut off, with something before or behind it, or none at all. */
const nearJson = fc
  .tuple(
    fc.constantFrom('', ' ', '\n\t\r ', '\u00a0', '\ufeff', '-', '"'),
    fc.oneof(fc.json(), fc.constantFrom('{', '[]', '"', '-', '1e5', '01', 'nul', 'true', 'constructor', '')),
    fc.constantFrom('', ' ', '\r\n', '\u00a0', '}', ',', '"', 'x'),
    fc.nat(3),
  )
  .map(([before, json, behind, cut]) => before + json.slice(0, json.length - cut) + behind)

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

test('a text is read as JSON exactly if the platform parses it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), nearJson), (text) => {
      expect(jsonIn(text)).toEqual(parsed(text))
      expect(isJson(text)).toBe(parsed(text) !== undefined)
    }),
    { numRuns: runs(300) },
  )
})
