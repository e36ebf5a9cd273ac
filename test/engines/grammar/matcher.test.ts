import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  BadGrammar,
  createMatcher,
  jsonSchemaToGbnf,
  type MatcherState,
  matcherOfGbnf,
  rangesOf,
  remaining,
} from '../../../src/engines/grammar/index.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'
import { atOnce } from '../../../src/shared/slices.js'
import { runs } from '../../support/runs.js'
import { anyCase } from './schemas.js'
import { allows, anyWalk, walk } from './walk.js'

const RUNS = runs(100)
const accepts = (gbnf: string, ...texts: string[]): boolean[] => texts.map((text) => allows(createMatcher(gbnf), text))

describe('GBNF as llama.cpp documents it', () => {
  test.each<[string, string, string[], string[]]>([
    ['literals with escapes', 'root ::= "a\\"\\\\\\n\\x41\\u00e9\\U0001F600"', ['a"\\\nAé😀'], ['a']],
    ['classes', 'root ::= [a-c\\]\\x2D] [^a-c]', ['ax', ']😀', '-d'], ['aa', 'xx']],
    ['a hyphen at the end of a class', 'root ::= [a-]', ['a', '-'], ['b']],
    ['any character', 'root ::= . .', ['a\n', '😀é'], ['a']],
    ['alternatives and groups', 'root ::= ("a" | "b" | ) "c"', ['ac', 'bc', 'c'], ['a']],
    [
      'repetitions',
      'root ::= "a"* "b"+ "c"? "d"{2} "e"{1,} "f"{0,2}',
      ['bdde', 'aabbcddeeff'],
      ['dde', 'bde', 'bddefff'],
    ],
    ['a repeated literal', 'root ::= "ab"{2}', ['abab'], ['abb']],
    [
      'rules, with hyphens and underscores',
      'root ::= my-rule my_rule\nmy-rule ::= "a"\nmy_rule ::= "b"',
      ['ab'],
      ['a'],
    ],
    ['comments and blank lines', '# one\n\nroot ::= "a" # two\n# three\n', ['a'], ['']],
    ['lines that go on', 'root ::= (\n  "a" # x\n\n  | "b"\n) |\n  "c"\n', ['a', 'b', 'c'], ['d']],
    ['recursion', 'root ::= "(" root ")" | ""', ['', '()', '((()))'], ['(', '(()']],
    ['repetitions of what may be empty', 'root ::= ("a"?)* ("b"? "c"?){0,3}', ['', 'aabc', 'bcbcbc'], ['bbbb']],
  ])('a matcher reads GBNF as llama.cpp documents it: %s', (_, gbnf, right, wrong) => {
    expect(accepts(gbnf, ...right)).toEqual(right.map(() => true))
    expect(accepts(gbnf, ...wrong)).toEqual(wrong.map(() => false))
  })

  test.each([
    ['root ::= root "a" | "b"', 'the rule root begins with itself'],
    ['root ::= a\na ::= "x"? b\nb ::= a | "c"', 'begins with itself'],
    ['root ::= missing', 'there is no rule missing'],
    ['start ::= "a"', 'there is no rule root'],
    ['root ::= "a" root', 'comes to an end'],
    ['root ::= "a', 'a literal that ends'],
    ['root ::= [a', 'a class that ends'],
    ['root ::= ("a"', "expected ')'"],
    ['root ::= "\\q"', 'an escape'],
    ['root ::= "a"{2,1}', 'is never'],
    ['root ::= <[1000]>', 'the end of the line'],
    ['root = "a"', "'::='"],
    ['root ::= "\\uD83D\\uDE00"', 'whole characters'],
    [`root ::= ${'('.repeat(10_000)}`, 'brackets'],
  ])('the grammar %j is refused', (gbnf, message) => {
    expect(() => createMatcher(gbnf)).toThrow(BadGrammar)
    expect(() => createMatcher(gbnf)).toThrow(message)
  })

  test('a grammar with too many ways to continue is refused, instead of being followed for ever', () => {
    expect(() => createMatcher('root ::= ("a"{0,999}){0,999}').accept('a'.repeat(50))).toThrow('too ambiguous')
  })
})

/** Drawn as data: fast-check cannot print a state, so a failure would not say what failed. */
interface AllowedText {
  readonly schema: unknown
  readonly text: string
}

/** States on the way of a text that the grammar allows, each with what follows. */
function statesOf({ schema, text }: AllowedText, cuts: readonly number[]): [MatcherState, string][] {
  const start = createMatcher(jsonSchemaToGbnf(schema))
  const characters = Array.from(text)
  return cuts.map((cut) => {
    const at = cut % (characters.length + 1)
    return [start.accept(characters.slice(0, at).join('')) as MatcherState, characters.slice(at).join('')]
  })
}

describe('a grammar that is read for matching', () => {
  /** How many pauses there are until a grammar can be followed. */
  function pausesOf(gbnf: string): number {
    const slices = matcherOfGbnf(gbnf)
    for (let pauses = 0; ; pauses++) if (slices.next().done) return pauses
  }
  const names = Array.from({ length: 1_500 }, (_, index) => `a-rule-with-a-long-name-${index}`)

  test.each<[string, string, number]>([
    ['many rules', `root ::= ${names.join(' ')}\n${names.map((name) => `${name} ::= "a"\n`).join('')}`, 8],
    ['one long rule', `root ::= ${names.map((name) => `"${name}"`).join(' | ')}`, 3],
    [
      'rules that use each other',
      `root ::= ${names.map((name) => `"a" ${name}`).join(' | ')}\n${names.map((name) => `${name} ::= "b" | "c" root\n`).join('')}`,
      8,
    ],
  ])('%s are read in pieces, as many as they are long', (_, gbnf, least) => {
    expect(pausesOf(gbnf)).toBeGreaterThan(least)
    expect(pausesOf('root ::= "a"')).toBe(0)
  })

  test('the shortest text is found where rules use each other before they are known', () => {
    const gbnf = 'root ::= a\na ::= "xxxxx" | "(" b ")"\nb ::= c | a a\nc ::= "[" a "]" | "y"'
    expect(createMatcher(gbnf).completion()).toBe('(y)')
  })
})

describe('a state', () => {
  const anyText = fc.tuple(anyCase(), anyWalk()).map(
    ([{ schema }, choices]): AllowedText => ({
      schema,
      text: walk(createMatcher(jsonSchemaToGbnf(schema)), choices),
    }),
  )
  const cuts = fc.array(fc.nat(), { minLength: 1, maxLength: 3 })

  test('a state of the matcher is the same however the text is cut', () => {
    fc.assert(
      fc.property(anyText, cuts, (allowed, at) => {
        for (const [state, rest] of statesOf(allowed, at)) expect(allows(state, rest)).toBe(true)
      }),
      { numRuns: RUNS },
    )
  })

  test('the completion of a state is allowed, and none is shorter', () => {
    fc.assert(
      fc.property(anyText, cuts, (allowed, at) => {
        for (const [state, rest] of statesOf(allowed, at)) {
          const completion = state.completion() as string
          expect(allows(state, completion)).toBe(true)
          expect(Array.from(completion).length).toBeLessThanOrEqual(Array.from(rest).length)
          expect(state.completion(Array.from(completion).length - 1)).toBe(undefined)
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('the grammar of what remains allows what may follow, and nothing else', () => {
    fc.assert(
      fc.property(anyText, cuts, anyWalk(), (allowed, at, choices) => {
        for (const [state, rest] of statesOf(allowed, at)) {
          const again = createMatcher(atOnce(remaining(state)))
          expect(allows(again, rest)).toBe(true)
          expect(allows(state, walk(again, choices))).toBe(true)
          expect(again.allowed).toEqual(state.allowed)
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('the grammar of what remains can be followed where a thousand values may come next', () => {
    const schema = { type: 'array', items: { enum: Array.from({ length: 1000 }, (_, index) => 10_000 + index) } }
    const state = createMatcher(jsonSchemaToGbnf(schema)).accept('[10000,1') as MatcherState
    expect(allows(createMatcher(atOnce(remaining(state))), '0999]')).toBe(true)
  })

  test('a state accepts its allowed characters, and no other', () => {
    fc.assert(
      fc.property(anyText, cuts, fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }), (allowed, at, next) => {
        const code = next.codePointAt(0) as number
        for (const [state] of statesOf(allowed, at)) {
          const isAllowed = state.allowed.some(([first, last]) => code >= first && code <= last)
          expect(state.accept(next) !== undefined).toBe(isAllowed)
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('a state without some characters goes on with the others, or ends as before', () => {
    const digits = rangesOf('0123456789')
    const inList = createMatcher('root ::= [0-9]+ ("," [0-9]+)* "]"').accept('12')?.without(digits)
    expect(inList?.accept('3')).toBeUndefined()
    expect([']', ',3]'].map((text) => inList?.accept(text)?.isComplete)).toEqual([true, true])
    const whole = createMatcher('root ::= [0-9]+').accept('12')?.without(digits)
    expect([whole?.isComplete, whole?.allowed]).toEqual([true, []])
    expect(createMatcher('root ::= [0-9]{3}').accept('12')?.without(digits)).toBeUndefined()
  })

  test('a text a hundred times as long takes no more ways to follow', () => {
    const start = createMatcher(jsonSchemaToGbnf({ type: 'object' }))
    const ways = [100, 10_000].map((length) => start.accept(`{"a":"${'x'.repeat(length)}`)?.ways.length)
    expect(ways[0]).toBe(ways[1])
  })

  test('lists of any length stay on one stack', () => {
    const state = createMatcher(jsonSchemaToGbnf({ type: 'array' })).accept(`[${'1,'.repeat(10_000)}`) as MatcherState
    expect(atOnce(remaining(state)).length).toBeLessThan(5_000)
  })
})
