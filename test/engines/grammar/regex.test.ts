import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMatcher, jsonSchemaToGbnf, regexToGbnf, UnsupportedSchema } from '../../../src/engines/grammar/index.js'
import { atOnce } from '../../../src/shared/slices.js'
import { runs } from '../../support/runs.js'
import { anyPattern } from './patterns.js'
import { allows, anyWalk, walk } from './walk.js'

const RUNS = runs(500)

/** Short: JavaScript's own engine, the judge, takes exponential time for repetitions in each other, and cannot be stopped. */
const shortWalk = (): fc.Arbitrary<readonly number[]> => anyWalk(8)

describe('the grammar of a regular expression', () => {
  test('all texts that the grammar of a regular expression allows match as a whole', () => {
    fc.assert(
      fc.property(anyPattern(), shortWalk(), (pattern, choices) => {
        const text = walk(createMatcher(atOnce(regexToGbnf(pattern))), choices)
        const isMatch = new RegExp(`^(?:${pattern})$`, 'u').test(text)
        expect({ pattern, text, isMatch }).toEqual({ pattern, text, isMatch: true })
      }),
      { numRuns: RUNS },
    )
  })

  test('the grammar of a regular expression allows exactly the texts that match', () => {
    const anyText = fc.string({ unit: fc.constantFrom(...'ab"\\/\né😀Ac ^]-_0'), maxLength: 6 })
    fc.assert(
      fc.property(anyPattern(), fc.array(anyText, { minLength: 20, maxLength: 20 }), (pattern, texts) => {
        const [start, regex] = [createMatcher(atOnce(regexToGbnf(pattern))), new RegExp(`^(?:${pattern})$`, 'u')]
        for (const text of texts) {
          expect({ pattern, text, isMatch: allows(start, text) }).toEqual({ pattern, text, isMatch: regex.test(text) })
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('within a JSON string, the grammar of a pattern allows exactly the strings that match somewhere', () => {
    const anchored = fc
      .tuple(anyPattern(), anyPattern(), fc.constantFrom('A', '^A', 'A$', '^A$', '^A|B$', '(^A|B)$', '^(A|B$)', '^$|A'))
      .map(([one, other, shape]) => shape.replace('A', () => one).replace('B', () => other))
    const anyText = fc.string({ unit: fc.constantFrom(...'ab"\\/\né😀Ac '), maxLength: 5 })
    fc.assert(
      fc.property(anchored, shortWalk(), fc.array(anyText, { maxLength: 10 }), (pattern, choices, texts) => {
        const regex = new RegExp(pattern, 'u')
        const start = createMatcher(jsonSchemaToGbnf({ type: 'string', pattern }))
        const walked = JSON.parse(walk(start, choices)) as string
        expect({ pattern, walked, isMatch: regex.test(walked) }).toEqual({ pattern, walked, isMatch: true })
        for (const text of texts) {
          const isMatch = allows(start, JSON.stringify(text))
          expect({ pattern, text, isMatch }).toEqual({ pattern, text, isMatch: regex.test(text) })
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('anchors at the ends say nothing where the whole text has to match', () => {
    for (const pattern of ['^a+$', 'a+', '^(a+)$', '(^a+$)']) {
      const start = createMatcher(atOnce(regexToGbnf(pattern)))
      expect([allows(start, 'aaa'), allows(start, ''), allows(start, 'ab')]).toEqual([true, false, false])
    }
  })

  test('a length beside a pattern is kept where one part of it varies', () => {
    const start = createMatcher(
      jsonSchemaToGbnf({ type: 'string', pattern: '^[A-Z][a-z]*$', minLength: 2, maxLength: 4 }),
    )
    expect(['A', 'Ab', 'Abcd', 'Abcde'].map((text) => allows(start, JSON.stringify(text)))).toEqual([
      ...[false, true, true, false],
    ])
  })

  test('a length that takes too many states beside a pattern is refused', () => {
    const schema = { type: 'string', pattern: '^(ab?)+$', maxLength: 5000 }
    expect(() => jsonSchemaToGbnf(schema)).toThrow(UnsupportedSchema)
    expect(jsonSchemaToGbnf({ ...schema, maxLength: 300 })).toContain('state')
  })
})

describe('a regular expression that is none with the flag u', () => {
  const PATTERNS = [
    '^\\_a\\-b$',
    '^[\\w-.]+$',
    '^a{,2}$',
    '^{a}]$',
    '^[\\d-a]$',
    '^\\"x\\u1$',
    "^\\'\\@\\#a{2}$",
    '^x{a{1,2}b}$',
  ]

  test.each(PATTERNS)('it is read as JavaScript reads it without the flag: %s', (pattern) => {
    expect(() => new RegExp(pattern, 'u')).toThrow()
    const start = createMatcher(jsonSchemaToGbnf({ type: 'string', pattern }))
    const anyText = fc.string({ unit: fc.constantFrom(...'_a-b.w1{},2]"xu\'@#'), maxLength: 8 })
    fc.assert(
      fc.property(anyText, anyWalk(8), (text, choices) => {
        expect([text, allows(start, JSON.stringify(text))]).toEqual([text, new RegExp(pattern).test(text)])
        const walked = JSON.parse(walk(start, choices)) as string
        expect([walked, new RegExp(pattern).test(walked)]).toEqual([walked, true])
      }),
      { numRuns: runs(200) },
    )
  })

  test.each(['\\k', '\\p{L', '\\u{61', '\\07', '(a)\\1\\_', 'a**'])(
    'what means something else there is refused: %s',
    (pattern) => {
      expect(() => jsonSchemaToGbnf({ type: 'string', pattern })).toThrow(UnsupportedSchema)
    },
  )
})
