import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMatcher, jsonSchemaToGbnf, plainlySpelled } from '../../../src/engines/grammar/index.js'
import { atOnce } from '../../../src/shared/slices.js'
import { runs } from '../../support/runs.js'
import { anyCase } from './schemas.js'
import { allows, anyWalk, walk } from './walk.js'

const object = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) })
const patterned = object({ id: { type: 'string', pattern: '[0-9]{3}', maxLength: 12 } })
const counted = object({ s: { type: 'string', minLength: 2, maxLength: 4 } })
const more = { type: 'object', properties: { a: { type: 'null' } }, additionalProperties: { type: 'null' } } as const
const spelled = (gbnf: string): string => atOnce(plainlySpelled(gbnf))
const plain = (schema: object): string => spelled(jsonSchemaToGbnf(schema as never))

describe('a grammar without needless escapes', () => {
  test('a text may stand as JSON.stringify writes it, with any schema', () => {
    fc.assert(
      fc.property(anyCase(), ({ schema, value }) => {
        const gbnf = jsonSchemaToGbnf(schema as never)
        const text = JSON.stringify(value)
        expect(allows(createMatcher(spelled(gbnf)), text)).toBe(allows(createMatcher(gbnf), text))
      }),
      { numRuns: runs(200) },
    )
  })

  test('nothing is allowed that the grammar did not allow', () => {
    fc.assert(
      fc.property(anyCase(), anyWalk(40), ({ schema }, choices) => {
        const gbnf = jsonSchemaToGbnf(schema as never)
        const text = walk(createMatcher(spelled(gbnf)), choices)
        expect(allows(createMatcher(gbnf), text), text).toBe(true)
      }),
      { numRuns: runs(200) },
    )
  })

  test('a letter is not escaped, a quote, a line feed and a control character are', () => {
    const matcher = createMatcher(plain(patterned))
    expect(allows(matcher, '{"id":"\\u0065123"}')).toBe(false)
    for (const text of ['é123', '\\"123', '\\n123', '\\u001f123']) {
      expect([text, allows(matcher, `{"id":"${text}"}`)]).toEqual([text, true])
    }
  })

  test('a grammar of ASCII alone keeps the escapes of other characters', () => {
    const gbnf =
      'root ::= "\\"" c{1,3} "\\""\nc ::= [ !#-\\x5B\\x5D-~] | "\\\\" ([nt] | "u" [0-9a-f] [0-9a-f] [0-9a-f] [0-9a-f])\n'
    expect(allows(createMatcher(spelled(gbnf)), '"\\u00e9"')).toBe(true)
  })

  test('a quote and a backslash that have no escape of one letter keep that by number', () => {
    const gbnf = 'root ::= "\\"" ([^"\\\\\\x00-\\x1f] | "\\\\u00" [0-7] [0-9a-f]) "\\""\n'
    for (const escaped of ['0022', '005c']) {
      expect(allows(createMatcher(gbnf), `"\\u${escaped}"`)).toBe(true)
      expect(allows(createMatcher(spelled(gbnf)), `"\\u${escaped}"`)).toBe(true)
    }
    for (const one of ['"\\\\" ["\\\\]', '"\\\\" ("\\"" | "\\\\")', '"\\\\\\"" | "\\\\\\\\"']) {
      const short = createMatcher(spelled(gbnf.replace('[0-9a-f])', `[0-9a-f] | ${one})`)))
      const isAllowed = ['\\u0022', '\\u005c', '\\u0001', '\\"'].map((text) => allows(short, `"${text}"`))
      expect([one, ...isAllowed]).toEqual([one, false, false, true, true])
    }
  })

  test('a character without escapes stands in for the rule that has it, behind other names of it', () => {
    const gbnf =
      'root ::= "\\"" c at c "\\""\nc ::= d\nd ::= [/a-z] | "\\\\" ("/" | "u002" [Ff] | "u006" [1-9A-Fa-f] | "u007" [0-9Aa])\nat ::= "@" | "\\\\u0040"\n'
    expect(spelled(gbnf)).toMatch(/^root ::= "\\"" \[[/]a-z\] "@" \[[/]a-z\] "\\""\n/)
    const email = createMatcher(plain(object({ e: { type: 'string', format: 'email' } })))
    expect(allows(email, '{"e":"a/b.c@x.org"}')).toBe(true)
  })

  test('what follows a backslash is written behind it, not in a rule of its own', () => {
    const gbnf = 'root ::= "\\\\" end "!"\nend ::= ["n] | "u000" [0-7]\n'
    expect(spelled(gbnf)).toBe('root ::= "\\\\" (["n] | "u000" [0-7]) "!"\n')
  })

  test('the names of other properties have no rule of an escape', () => {
    expect(plain(more)).not.toMatch(/^escape/m)
  })

  test('the escapes of control characters share their first digits', () => {
    expect(jsonSchemaToGbnf(more).match(/"u00/g)).toHaveLength(2)
  })

  test('what follows an escape is kept', () => {
    const gbnf = 'root ::= "\\"" (c | "\\\\u0062" d) "\\""\nc ::= [a-c] | "\\\\u0061" d\nd ::= "!"\n'
    for (const text of ['"b"', '"\\u0061!"', '"\\u0062!"']) {
      expect([text, allows(createMatcher(spelled(gbnf)), text)]).toEqual([text, true])
    }
  })

  test('what may end after each of several characters has the quote after them as one of its ways', () => {
    expect(jsonSchemaToGbnf(patterned as never)).toMatch(/^state-\d+ ::= "" \| /m)
    expect(plain(patterned)).not.toMatch(/^state-\d+ ::= "" \| /m)
    const matcher = createMatcher(plain(patterned))
    const isAllowed = ['12', '123', '123x', `${'x'.repeat(9)}123`, `123${'x'.repeat(10)}`].map((id) =>
      allows(matcher, `{"id":"${id}"}`),
    )
    expect(isAllowed).toEqual([false, true, true, true, false])
  })

  test('characters are counted by a rule for each number', () => {
    const gbnf = plain(counted)
    expect(gbnf).not.toMatch(/\{2,4\}/)
    const matcher = createMatcher(gbnf)
    const isAllowed = [1, 2, 3, 4, 5].map((length) => allows(matcher, `{"s":"${'ä'.repeat(length)}"}`))
    expect(isAllowed).toEqual([false, true, true, true, false])
  })

  test.each([
    ['without a string', 'root ::= "a" | [0-9]{2,3}\n'],
    ['that cannot be read', 'root ::= "\\\\" (\n'],
  ])('a grammar %s stays as it is', (_, gbnf) => {
    expect(spelled(gbnf)).toBe(gbnf)
  })

  test('its own output is left unchanged', () => {
    for (const schema of [patterned, counted]) expect(spelled(plain(schema))).toBe(plain(schema))
  })
})
