import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Constraint } from '../../../src/engines/contract/constraint.js'
import { UnsupportedSchema } from '../../../src/engines/grammar/index.js'
import { GBNF_CAPABILITIES, gbnfOf } from '../../../src/engines/sources/gbnf.js'
import { cachedGrammars } from '../../../src/engines/sources/grammar-cache.js'
import { atOnce } from '../../../src/shared/slices.js'
import { RUNS } from '../../support/runs.js'

/** A cache over a writer that counts, and refuses constraints of an odd length. */
function counted(most: number): { readonly write: (constraint: Constraint) => string; readonly calls: () => number } {
  let calls = 0
  const written = cachedGrammars(function* (constraint) {
    calls += 1
    yield
    const text = JSON.stringify(constraint)
    if (text.length % 2 === 1) throw new UnsupportedSchema('/a', text)
    return { grammar: `grammar of ${text}`, relaxed: [], nodes: 1 }
  }, most)
  return { write: (constraint) => atOnce(written(constraint)).grammar, calls: () => calls }
}

const even = { regex: 'ab' }
const odd = { regex: 'abc' }

test('a constraint that was written before is not written again, and neither is one that was refused', () => {
  const { write, calls } = counted(10_000)
  for (let time = 0; time < 3; time += 1) {
    expect(write({ ...even })).toBe(`grammar of ${JSON.stringify(even)}`)
    expect(() => write({ ...odd })).toThrow(UnsupportedSchema)
  }
  expect(calls()).toBe(2)
})

test('schemas whose properties have another order are other constraints', () => {
  const { write, calls } = counted(10_000)
  write({ jsonSchema: { a: 1, b: 2 } })
  write({ jsonSchema: { b: 2, a: 1 } })
  expect(calls()).toBe(2)
})

test('text that is not JSON is written each time, and is not taken for the JSON of another constraint', () => {
  const { write, calls } = counted(10_000)
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  expect(() => write({ jsonSchema: circular })).toThrow(/circular/)
  // Of an even length as JSON, so that both could be kept.
  for (const schema of [
    { const: Number.NaN, a: 22 },
    { const: 1, a: undefined, b: 333 },
  ]) {
    for (let time = 0; time < 2; time += 1) expect(write({ jsonSchema: schema })).toContain('grammar of')
  }
  expect(calls()).toBe(5)
})

test('the least recently used are evicted first, and one that is longer than the limit is not cached', () => {
  const size = JSON.stringify(even).length * 2 + 'grammar of '.length
  const { write, calls } = counted(2 * size)
  const others = [{ regex: 'cd' }, { regex: 'ef' }]
  for (const constraint of [even, others[0], even, others[1], even]) write(constraint as Constraint)
  expect(calls()).toBe(3)
  write(others[0] as Constraint)
  expect(calls()).toBe(4)
  const long = { regex: 'x'.repeat(2 * size) }
  write(long)
  write(long)
  expect(calls()).toBe(6)
  write(even)
  expect(calls()).toBe(6)
})

test('a cache of any size answers as the writer does', () => {
  const constraints = fc.array(fc.record({ regex: fc.constantFrom('a', 'bb', 'ccc', 'dddd') }), { maxLength: 20 })
  fc.assert(
    fc.property(constraints, fc.nat(200), (all, most) => {
      const { write } = counted(most)
      for (const constraint of all) {
        if (JSON.stringify(constraint).length % 2 === 1) expect(() => write(constraint)).toThrow(UnsupportedSchema)
        else expect(write(constraint)).toBe(`grammar of ${JSON.stringify(constraint)}`)
      }
    }),
    { numRuns: RUNS },
  )
})

test('what llama.cpp cannot be held to of a schema is said in the same words each time, and all else is held', () => {
  const constraint = { jsonSchema: { type: 'object', properties: { a: { uniqueItems: true } }, required: ['a'] } }
  const fitted = (given: Constraint) => atOnce(GBNF_CAPABILITIES.fit?.(given) ?? expect.fail('no fit'))
  expect(fitted(constraint).relaxed).toEqual([
    { path: '/properties/a/uniqueItems', message: "The keyword 'uniqueItems' cannot be enforced." },
  ])
  expect(fitted(constraint)).toEqual(fitted(constraint))
  expect(fitted(constraint).constraint).toEqual({ grammar: gbnfOf(constraint), syntax: 'gbnf' })
  expect(gbnfOf(constraint)).toBe(gbnfOf({ jsonSchema: { type: 'object', properties: { a: true }, required: ['a'] } }))
  const none = { jsonSchema: { type: 'objekt' } }
  expect(fitted(none)).toMatchObject({ constraint: undefined, relaxed: [{ path: '/type' }] })
})
