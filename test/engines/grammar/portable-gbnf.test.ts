import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonSchemaToGbnf, regexToGbnf } from '../../../src/engines/grammar/index.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'
import { atOnce } from '../../../src/shared/slices.js'
import { runs } from '../../support/runs.js'

/*
 * llama.cpp, xgrammar and llguidance read the same GBNF differently where it has escapes: xgrammar reads every hexadecimal
 * digit after \x, and llguidance refuses \u with zeros in front and \x in literals.
 */

/** With something else for escaped backslashes, behind which an x would begin no escape. */
const escapesOf = (gbnf: string): string => gbnf.replaceAll('\\\\', '~')
const ESCAPE_BEFORE_DIGIT = /\\(x[0-9A-F]{2}|u[0-9A-F]{4}|U[0-9A-F]{8})[0-9A-Fa-f]/

describe('a grammar that llama.cpp, xgrammar and llguidance read alike', () => {
  test('characters beyond ASCII are written as they are', () => {
    const gbnf = jsonSchemaToGbnf({ enum: ['größe', '日本語', '😀', 'é'] })
    expect(gbnf).toMatch(/größe.*日本語.*😀.*é/s)
    expect(gbnf).not.toMatch(/\\[xuU]/)
  })

  test('a free string has no escape in hexadecimal', () => {
    expect(escapesOf(jsonSchemaToGbnf({ type: 'string' }))).not.toMatch(/\\[uU]|\\x(?!5C|5D|5B|5E|2D|7F|9F)/)
  })

  test('no escape in hexadecimal stands before a digit of a literal', () => {
    expect(atOnce(regexToGbnf('\\x85A\\x859'))).toContain('"\\x85" "A\\x85" "9"')
    expect(atOnce(regexToGbnf('(?:\\x85A)?'))).toContain('("\\x85" "A")')
  })

  test('a control character of ASCII is a class of its own, or has a short escape, since llguidance reads no other', () => {
    expect(atOnce(regexToGbnf('\\x0bA\\x7f9'))).toContain('[\\x0B] "A" [\\x7F] "9"')
    expect(atOnce(regexToGbnf('(?:\\x0bA)?'))).toContain('([\\x0B] "A")')
    expect(atOnce(regexToGbnf('a\\tb\\r\\n'))).toContain('"a\\tb\\r\\n"')
  })

  test.each<[string, object]>([
    ['any number', { type: 'number' }],
    ['a number above a bound', { type: 'number', exclusiveMinimum: 0.5 }],
    ['any value', {}],
  ])('the grammar of %s has few groups within each other, since llguidance refuses thirty', (_, schema) => {
    let [depth, deepest] = [0, 0]
    for (const bracket of jsonSchemaToGbnf(schema).replace(/"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]/g, '')) {
      if (bracket === '(') deepest = Math.max(deepest, ++depth)
      if (bracket === ')') depth--
    }
    expect([depth, deepest <= 12]).toEqual([0, true])
  })

  test('no escape in hexadecimal stands before a digit, whatever a pattern has', () => {
    const character = fc.oneof(codePoint, fc.constantFrom('\u000b', '\u007f', 'A', '9', '-', ']', '^', '\\', '['))
    const escaped = fc
      .string({ unit: character, minLength: 1, maxLength: 6 })
      .map((text) => Array.from(text, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`).join(''))
    fc.assert(
      fc.property(escaped, escaped, (text, members) => {
        for (const pattern of [text, `[${members}]`, `[^${members}]${text}`, `(?:${text})*`]) {
          expect(escapesOf(atOnce(regexToGbnf(pattern)))).not.toMatch(ESCAPE_BEFORE_DIGIT)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('a string without a limit repeats runs of plain characters, not a choice for each character', () => {
    // xgrammar took 92 ms for each token of `char*`, and takes 0.01 for this.
    expect(jsonSchemaToGbnf({ type: 'string' })).toMatch(/characters ::= \[[^\n]+\]\* characters\d+\*\n/)
  })
})
