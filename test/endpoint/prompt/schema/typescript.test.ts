import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { typescriptOf } from '../../../../src/endpoint/prompt/schema/typescript.js'
import { loadOfficial, type Official } from '../../../support/official-parser.js'
import { RUNS } from '../../../support/runs.js'
import { aliasesOf, hasKnownLetters, headingsOf } from './breakout.js'
import { hostileSchema, PAYLOADS } from './hostile.js'
import { knownSchema } from './known-schemas.js'
import { officialType } from './official-type.js'

let official: Official
beforeAll(async () => {
  official = await loadOfficial()
}, 180_000)

describe('the schemas that the official renderer knows', () => {
  test('the schemas that the official renderer knows are written as it writes them', () => {
    fc.assert(
      fc.property(knownSchema(), (schema) => {
        expect(typescriptOf(schema)).toBe(officialType(official, schema))
      }),
      { numRuns: RUNS },
    )
  })
})

/** The type in the place where a prompt has it, with another function after it. */
function inNamespace(type: string): string {
  return `namespace functions {\n\ntype f = (_: ${type}) => any;\n\ntype g = () => any;\n\n} // namespace functions`
}

function expectNoBreakout(schema: unknown): void {
  const text = inNamespace(typescriptOf(schema))
  expect(aliasesOf(text)).toEqual({ namespace: 'functions', aliases: ['f', 'g'] })
  expect(headingsOf(text)).toEqual([
    'namespace functions {',
    expect.stringMatching(/^type f = /),
    'type g = () => any;',
    '} // namespace functions',
  ])
}

describe('any JSON value at all', () => {
  test('any JSON value at all becomes one type, out of which nothing breaks', () => {
    fc.assert(
      fc.property(
        hostileSchema().filter((schema) => hasKnownLetters(JSON.stringify(schema))),
        expectNoBreakout,
      ),
      { numRuns: RUNS },
    )
  })
})

/** A schema for each place in which a text of it may stand. */
const PLACES: Readonly<Record<string, (text: string) => unknown>> = {
  'the schema itself': (text) => text,
  type: (text) => ({ type: text }),
  'a list of types': (text) => ({ type: ['string', text, 'object'] }),
  'a description of the arguments': (description) => ({ type: 'object', description }),
  'a description of a property': (description) => ({ type: 'object', properties: { a: { description } } }),
  'a description of an object': (description) => ({ properties: { a: { type: 'object', description } } }),
  'a description of a variant': (description) => ({ oneOf: [{ type: 'string' }, { type: 'number', description }] }),
  'a description of a property’s variants': (description) => ({
    properties: { a: { description, anyOf: [{ description }, { type: 'string', description }] } },
  }),
  'a description of an item': (description) => ({ type: 'array', items: { oneOf: [{ type: 'string', description }] } }),
  'a description of other properties': (description) => ({ additionalProperties: { type: 'string', description } }),
  'a title': (title) => ({ properties: { a: { title } } }),
  'an example': (example) => ({ properties: { a: { examples: [example, { [example]: [example] }] } } }),
  'a default': (text) => ({ properties: { a: { default: text }, b: { enum: ['x'], default: text } } }),
  'a default with fields': (text) => ({ properties: { a: { default: { [text]: [text] } } } }),
  'a default of variants': (text) => ({ properties: { a: { default: text, oneOf: [{ default: text }] } } }),
  'a default of a nested variant': (text) => ({ oneOf: [{ default: text, enum: [text] }] }),
  enum: (text) => ({ type: 'string', enum: [text, `${text}${text}`] }),
  'enum without a type': (text) => ({ enum: [text, 1, null, { [text]: text }] }),
  const: (text) => ({ anyOf: [{ const: text }, { const: { [text]: [text] } }] }),
  'the name of a property': (text) => ({
    type: 'object',
    properties: { [text]: { type: 'object' } },
    required: [text],
  }),
  'the name of a required property': (text) => ({ required: [text] }),
  'the pattern of names': (text) => ({ patternProperties: { [text]: { type: 'string' } } }),
  format: (format) => ({ type: 'string', format }),
  pattern: (pattern) => ({ properties: { a: { type: 'string', pattern } } }),
  'a constraint with fields': (text) => ({ properties: { a: { not: { [text]: text } } } }),
  'a constraint of a wrong type': (text) => ({ properties: { a: { minimum: text, if: [text] } } }),
  'the conditions of a union': (text) => ({ properties: { a: {} }, anyOf: [{ required: [text] }] }),
  $ref: ($ref) => ({ properties: { a: { $ref } } }),
  'the name of a definition': (text) => {
    const $ref = `#/$defs/${encodeURIComponent(
      text
        .replace(/\p{Cs}/gu, '\ufffd')
        .replaceAll('~', '~0')
        .replaceAll('/', '~1'),
    )}`
    return { $ref, $defs: { [text]: { description: text, properties: { a: { $ref }, b: { items: { $ref } } } } } }
  },
  'an item of a tuple': (text) => ({ type: 'array', prefixItems: [{ enum: [text] }, { type: text }] }),
}

describe('a hostile text', () => {
  test.each(Object.entries(PLACES))('a hostile text breaks out of nothing as %s', (_, schemaOf) => {
    for (const payload of PAYLOADS) expectNoBreakout(schemaOf(payload))
  })
})
