import { expect, test } from 'vitest'
import { compileSchema, createMatcher, writeGbnf } from '../../../src/engines/grammar/index.js'
import { FORMATS } from '../../../src/engines/grammar/schema/formats.js'
import { atOnce } from '../../../src/shared/slices.js'

const everyFormat = [...FORMATS.keys()].map((format) => ({ type: 'string', format }))
const others = [{ type: 'number' }, { type: 'integer', minimum: 3 }, { not: { const: 'a' } }, { minLength: 2 }, true]
const schema = { type: 'array', prefixItems: [...everyFormat, ...others] }

test('the rules that grammars have in common are written once, with names of their own', () => {
  const { grammar, shared } = atOnce(compileSchema(schema))
  const gbnf = atOnce(writeGbnf(grammar, shared))
  const names = gbnf.split('\n').map((line) => line.slice(0, line.indexOf(' ::=')))
  expect(names.pop()).toBe('')
  expect(new Set(names).size).toBe(names.length)
  expect([...names].sort()).toEqual([...grammar.keys()].sort())
  expect(createMatcher(gbnf).accept('["2024-02-29","12:00:00Z"')).toBeDefined()
})

test('rules that were written before are the same when written again', () => {
  const { grammar, shared } = atOnce(compileSchema(schema))
  expect(shared.length).toBeGreaterThan(FORMATS.size)
  const lines = (gbnf: string): string[] => gbnf.split('\n').sort()
  expect(lines(atOnce(writeGbnf(grammar, shared)))).toEqual(lines(atOnce(writeGbnf(grammar))))
})

test('rules that no text of the grammar comes to are left out, the shared ones too', () => {
  const properties = { a: { type: 'string', format: 'email' }, b: false }
  const impossible = { type: 'object', properties, required: ['b'] }
  const { grammar, shared } = atOnce(compileSchema({ anyOf: [impossible, { type: 'null' }] }))
  expect([...grammar.keys()]).not.toContain('email')
  expect(shared).toEqual([])
})
