import { describe, expect, test } from 'vitest'
import { plainSchema } from '../../../src/engines/sources/structured-outputs/plain-schema.js'
import { atOnce } from '../../../src/shared/slices.js'

const read = (schema: object): [object, string[]] => {
  const { schema: sent, leftOut } = atOnce(plainSchema(schema as never, 'other'))
  return [sent, leftOut.map(({ path }) => path)]
}

const ANY = {
  anyOf: [
    ...[{ type: 'boolean' }, { type: 'null' }, { type: 'number' }, { type: 'string' }],
    ...[
      { type: 'object', depth: 0 },
      { type: 'array', depth: 0 },
    ],
  ],
}
const NULL = { type: 'null' }
const closed = (properties: object, more: object = {}): object => ({
  ...{ type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
  ...more,
})
/** A chain of references, each to the next one. */
const chain = (...names: string[]): object =>
  Object.fromEntries(names.map((name, nth) => [name, nth === 0 ? NULL : { $ref: `#/$defs/${names[nth - 1]}` }]))

// What outlines does is said of outlines_core 0.1.26 with SGLang 0.5.23 and of 0.2.14, unless it names one.
describe('what outlines ignores is left out, and what it holds is kept', () => {
  test.each<[string, object, string[]]>([
    ['bounds of numbers are ignored', { type: 'integer', minimum: 37 }, ['/minimum']],
    ['a pattern may end the string', { type: 'string', pattern: '^[^a]$' }, ['/pattern']],
    ['the format uuid is held', { type: 'string', format: 'uuid' }, []],
    ['a date may be 30 February', { type: 'string', format: 'date' }, ['/format']],
    ['a time may have \\q in it, which is not JSON', { type: 'string', format: 'time' }, ['/format']],
    ['0.1.26 fails at an email, 0.2.14 allows quotes', { type: 'string', format: 'email' }, ['/format']],
    ['it fails at other formats', { type: 'string', format: 'ipv6' }, ['/format']],
    ['properties are held', closed({ größe: NULL, 'a-b.c': NULL }), []],
    [
      'a name is not escaped as JSON has it',
      closed({ 'a"b': NULL }),
      ['/properties', '/required', '/additionalProperties'],
    ],
    [
      'half a character in a name is no JSON',
      closed({ '\ud83c': NULL }),
      ['/properties', '/required', '/additionalProperties'],
    ],
    [
      'further properties are ignored beside properties, and SGLang refuses them',
      { type: 'object', properties: { a: NULL }, additionalProperties: NULL },
      ['/additionalProperties'],
    ],
    ['further properties are held alone', { type: 'object', additionalProperties: NULL }, []],
    ['items that no value fits are refused', { type: 'array', items: false }, ['/items']],
    ['items without a type are refused', { items: NULL }, ['/items']],
    ['a tuple has all of its items, and no more', { type: 'array', prefixItems: [NULL], items: false }, []],
    [
      'the length of a tuple is ignored, and SGLang refuses it',
      { type: 'array', prefixItems: [NULL], items: false, minItems: 1, maxItems: 1 },
      ['/minItems', '/maxItems'],
    ],
    ['contrary numbers of items are refused', { type: 'array', minItems: 2, maxItems: 1 }, ['/minItems', '/maxItems']],
    ['contrary lengths are refused', { type: 'string', minLength: 2, maxLength: 1 }, ['/minLength', '/maxLength']],
    ['an empty list of values is an empty text', { enum: [] }, ['/enum']],
    ['0.1.26 fails at lists among values', { enum: [1, [2]] }, ['/enum']],
    ['0.1.26 fails at an object as the value, 0.2.14 does not escape names', { const: { 'a.b': 1 } }, ['/const']],
    ['half a character in a value is no JSON', { enum: ['\ud83c'] }, ['/enum']],
    ['other values are held', { enum: ['a"\n', 'é🌦️ *', 1.5, null, true] }, []],
  ])('%s: of %j %j is left out', (_, schema, paths) => {
    expect(read(schema)[1]).toEqual(paths)
  })

  test.each<[string, object, string[]]>([
    ['a short string', { type: 'string', minLength: 1, maxLength: 8 }, []],
    ['a longer one', { type: 'string', maxLength: 9 }, ['/maxLength']],
    ['a string that has to be long', { type: 'string', minLength: 9 }, ['/minLength']],
    [
      'two that are too long together',
      closed({ a: { type: 'string', maxLength: 5 }, b: { type: 'string', maxLength: 5 } }),
      ['/properties/b/maxLength'],
    ],
    [
      'one that is repeated',
      { type: 'array', maxItems: 2, items: { type: 'string', maxLength: 4 } },
      ['/items/maxLength'],
    ],
    ['many items', { type: 'array', items: NULL, maxItems: 9 }, ['/maxItems']],
  ])('outlines counts for seconds, so that no more than eight are counted: %s', (_, schema, paths) => {
    expect(read(schema)[1]).toEqual(paths)
  })
})

describe('references are left out where outlines would not follow them, and omit a required property', () => {
  const node = closed({ v: NULL, next: { anyOf: [{ $ref: '#/$defs/n' }, NULL] } })

  test('one that leads back to itself', () => {
    expect(read({ ...closed({ l: { $ref: '#/$defs/n' } }), $defs: { n: node } })).toEqual([
      { ...closed({ l: { $ref: '#/$defs/n' } }), $defs: { n: closed({ v: NULL, next: { anyOf: [ANY, NULL] } }) } },
      ['/$defs/n/properties/next/anyOf/0/$ref'],
    ])
  })

  test('one of two that lead to each other', () => {
    const $defs = { a: { anyOf: [{ $ref: '#/$defs/b' }, NULL] }, b: { anyOf: [{ $ref: '#/$defs/a' }, NULL] } }
    expect(read({ $ref: '#/$defs/a', $defs })[1]).toEqual(['/$defs/b/anyOf/0/$ref'])
  })

  test('one that leads through more than three others', () => {
    const $defs = chain('a', 'b', 'c', 'd', 'e')
    expect(read({ $ref: '#/$defs/d', $defs })[1]).toEqual([])
    expect(read({ $ref: '#/$defs/e', $defs })[1]).toEqual(['/$ref'])
  })

  test('several may lead to one definition', () => {
    const $ref = '#/definitions/a'
    const schema = closed({ a: { $ref }, b: { $ref } }, { definitions: { a: NULL } })
    expect(read(schema)).toEqual([schema, []])
  })

  test('a long chain is left in several places, and is not read to its end', () => {
    const names = Array.from({ length: 5_000 }, (_, nth) => `d${nth}`)
    expect(read({ $ref: '#/$defs/d4999', $defs: chain(...names) })[1]).toHaveLength(13)
  })
})

describe('what outlines refuses or misreads comes in another form, which means the same', () => {
  test.each<[string, object, object]>([
    [
      'a list of types',
      { type: ['string', 'null'], maxLength: 3 },
      { anyOf: [{ type: 'string', maxLength: 3 }, NULL] },
    ],
    ['a list of one type', { type: ['string'] }, { type: 'string' }],
    [
      'a list of types with definitions',
      { type: ['object', 'null'], properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: NULL } },
      { anyOf: [{ type: 'object', properties: { a: { $ref: '#/$defs/a' } } }, NULL], $defs: { a: NULL } },
    ],
    ["OpenAPI's nullable", { type: 'string', nullable: true }, { anyOf: [{ type: 'string' }, NULL] }],
    ['types beside values', { enum: ['a', null], type: ['string', 'null'] }, { enum: ['a', null] }],
    ['annotations alone', { title: 'T' }, ANY],
    ['a property of any value', closed({ a: true, b: {} }), closed({ a: ANY, b: ANY })],
    [
      'an object without properties',
      { type: 'object', additionalProperties: false },
      closed({}, { required: undefined }),
    ],
    ['any object', { type: 'object', required: [], additionalProperties: true }, { type: 'object', depth: 0 }],
    ['any array', { type: 'array', items: true, minItems: 0 }, { type: 'array', depth: 0 }],
    ['more properties', { properties: { a: NULL }, additionalProperties: true }, { properties: { a: NULL } }],
    ['a tuple that may be empty', { prefixItems: [NULL], minItems: 0 }, { prefixItems: [NULL] }],
  ])('%s', (_, schema, sent) => {
    expect(read(schema)).toEqual([sent, []])
  })
})
