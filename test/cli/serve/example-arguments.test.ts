import { Ajv } from 'ajv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exampleArguments } from '../../../src/cli/serve/replay/example-arguments.js'
import { typescriptOf } from '../../../src/endpoint/prompt/schema/typescript.js'
import { RUNS } from '../../support/runs.js'

/** Schemas whose types say all that they demand. */
const { schema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom({ type: 'string' }, { type: 'number' }, { type: 'integer' }, { type: 'boolean' }, { type: 'null' }),
    fc.record({ enum: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }) }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    objectOf(tie('schema')),
  ),
}))

function objectOf(schema: fc.Arbitrary<object>): fc.Arbitrary<object> {
  const described = fc.tuple(schema, fc.string()).map(([each, description]) => ({ ...each, description }))
  return fc
    .dictionary(fc.string({ minLength: 1 }), described, { maxKeys: 4, noNullPrototype: true })
    .chain((properties) =>
      fc.subarray(Object.keys(properties)).map((required) => ({ type: 'object', properties, required })),
    )
}

test('arguments fit the schema whose type they were made for', () => {
  const ajv = new Ajv({ strict: false, ownProperties: true })
  fc.assert(
    fc.property(objectOf(schema), (each) => {
      const value = exampleArguments(typescriptOf(each))
      expect(ajv.validate(each, value), `${JSON.stringify(value)} of ${JSON.stringify(each)}`).toBe(true)
    }),
    { numRuns: RUNS },
  )
})

test('any value that is not a type gives an object', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'{}()[]|:?,"a /\n') })), (text) => {
      expect(typeof exampleArguments(text)).toBe('object')
    }),
    { numRuns: RUNS },
  )
})

test('a type that is nested without end gives an empty object', () => {
  expect(exampleArguments('{ a: '.repeat(100_000))).toEqual({})
})

test('a property called __proto__ is an ordinary one', () => {
  expect(Object.keys(exampleArguments('{ __proto__: string }') as object)).toEqual(['__proto__'])
})
