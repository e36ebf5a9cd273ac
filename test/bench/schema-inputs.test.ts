import { Validator } from '@cfworker/json-schema'
import { expect, test } from 'vitest'
import { schemaCases } from '../../bench/schema-inputs.mjs'
import { compileSchema, matcherOf } from '../../src/engines/grammar/index.js'
import { atOnce } from '../../src/shared/slices.js'

const cases = schemaCases(60, 7)

test('generated schemas are the same for the same seed, and differ from each other', () => {
  expect(schemaCases(60, 7)).toEqual(cases)
  expect(new Set(cases.map(({ schema }) => JSON.stringify(schema))).size).toBe(60)
})

test('generated schemas are held whole, and allow their values, as a validator says, too', () => {
  for (const { schema, value } of cases) {
    expect(new Validator(schema, '2020-12').validate(value).errors).toEqual([])
    const { grammar, relaxed } = atOnce(compileSchema(schema))
    expect(relaxed).toEqual([])
    expect(atOnce(matcherOf(grammar)).accept(JSON.stringify(value))?.isComplete).toBe(true)
  }
})
