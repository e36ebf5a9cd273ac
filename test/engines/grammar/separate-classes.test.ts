import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMatcher, jsonSchemaToGbnf, regexToGbnf, separateClasses } from '../../../src/engines/grammar/index.js'
import { atOnce } from '../../../src/shared/slices.js'
import { runs } from '../../support/runs.js'
import { anyCase } from './schemas.js'
import { allows, anyWalk, walk } from './walk.js'

const separated = (gbnf: string): string => atOnce(separateClasses(gbnf))

describe('a grammar with a rule for each class after a part of variable length', () => {
  test.each([
    ['an optional blank', 'root ::= "a:" " "? [0-9] "}"\n', 'root ::= "a:" " "? class-0 "}"\nclass-0 ::= [0-9]\n'],
    ['a repetition', 'root ::= [a-z]{2} [а-я]\n', 'root ::= [a-z]{2} class-0\nclass-0 ::= [а-я]\n'],
    ['a rule', 'root ::= x [0-9]\nx ::= " " | "  "\n', 'root ::= x class-0\nx ::= " " | "  "\nclass-0 ::= [0-9]\n'],
    ['a group', 'root ::= (" " | "  ") [0-9]\n', 'root ::= (" " | "  ") class-0\nclass-0 ::= [0-9]\n'],
    ['a blank, in a repetition', 'root ::= " "? [0-9]*\n', 'root ::= " "? class-0\nclass-0 ::= [0-9]*\n'],
    ['a separated class', 'root ::= " "? [0-9] [0-9]\n', 'root ::= " "? class-0 class-0\nclass-0 ::= [0-9]\n'],
    ['an optional part and several blanks', 'root ::= " "?   [0-9]\n', 'root ::= " "? class-0\nclass-0 ::= [0-9]\n'],
    ['an optional part, without a blank', 'root ::= " "?[0-9]\n', 'root ::= " "? class-0\nclass-0 ::= [0-9]\n'],
  ])('a class after %s gets its own rule', (_, gbnf, expected) => {
    expect(separated(gbnf)).toBe(expected)
  })

  test('equal classes share a rule, and a name that is in use stays', () => {
    expect(separated('root ::= " "? [0-9] class " "? [0-9]\nclass ::= "x"\n')).toBe(
      'root ::= " "? classx-0 class " "? classx-0\nclass ::= "x"\nclassx-0 ::= [0-9]\n',
    )
  })

  test.each([
    ['after a text', 'root ::= "a" [0-9]\n'],
    ['after a class', 'root ::= [a-z] [0-9]\n'],
    ['at the beginning', 'root ::= [0-9] "a"\n'],
    ['of nearly all characters', 'root ::= " "? [^"\\\\]* "\\""\n'],
    ['in a grammar that cannot be read', 'root ::= " "? [0-9] (\n'],
  ])('a class %s stays', (_, gbnf) => {
    expect(separated(gbnf)).toBe(gbnf)
  })

  test('it allows the same texts, and stays as it is if it is separated again', () => {
    fc.assert(
      fc.property(anyCase(), anyWalk(40), ({ schema, value }, choices) => {
        const gbnf = jsonSchemaToGbnf(schema as never)
        const [before, after] = [createMatcher(gbnf), createMatcher(separated(gbnf))]
        const text = JSON.stringify(value)
        expect(allows(after, text)).toBe(allows(before, text))
        const walked = walk(after, choices)
        expect(allows(before, walked), walked).toBe(true)
        expect(separated(separated(gbnf))).toBe(separated(gbnf))
      }),
      { numRuns: runs(100) },
    )
  })

  test('a pattern with optional parts allows the same texts', () => {
    const gbnf = atOnce(regexToGbnf('^ ?[0-9]+(-?[а-я]){1,2}$'))
    expect(separated(gbnf)).toContain('class-0')
    const matcher = createMatcher(separated(gbnf))
    for (const text of [' 12-я', '1яж']) expect([text, allows(matcher, text)]).toEqual([text, true])
    for (const text of ['1', ' я', '1-яж-ш']) expect([text, allows(matcher, text)]).toEqual([text, false])
  })
})
