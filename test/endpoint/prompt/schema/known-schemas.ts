import fc from 'fast-check'
import { harmonyText } from '../../../support/arbitraries.js'

/*
 * JSON Schemas whose keywords the official renderer all supports, and whose TypeScript is safe: ours must equal it,
 * token for token.
 */

/** Text on one line that no JSON escapes. */
export const plainText = (): fc.Arbitrary<string> =>
  fc.oneof(
    harmonyText().map((text) => text.replace(/[\p{C}\p{Z}"\\]/gu, ' ')),
    fc.constantFrom(
      '',
      ' ',
      'The city, e.g. Oslo',
      'a // b',
      '*/ }',
      'null',
      '{',
      '<|end|>',
      "don't",
      'größe 日本 👩‍👧',
    ),
  )

export const toolName = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('search', 'get-weather', 'a.b', 'db/query', '日本', '_', '9lives', 'constructor', '__proto__'),
    fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/),
  )

const propertyName = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('id', 'query', 'größe', '$x', '_', '0', '12', 'constructor', '__proto__', 'type', 'nullish'),
    fc.stringMatching(/^[a-z_$][a-zA-Z0-9_$]{0,8}$/),
  )

/** Numbers that JSON writers of all languages write alike. */
const number = (): fc.Arbitrary<number> =>
  fc.oneof(
    fc.integer(),
    fc.maxSafeInteger(),
    fc.integer({ min: -9999, max: 9999 }).map((n) => n / 8),
  )

const json = (): fc.Arbitrary<unknown> =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(plainText(), number(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(propertyName(), tie('value'), { maxKeys: 3 }),
    ),
  })).value

type Schema = Record<string, unknown>

/** Keywords that may accompany every type. */
const about = (): fc.Arbitrary<Schema> =>
  fc.record(
    {
      title: plainText(),
      description: fc.oneof(plainText(), fc.constant(7)),
      default: json(),
      examples: fc.array(plainText(), { maxLength: 3 }),
      nullable: fc.constantFrom(true, false, 'yes'),
      $comment: fc.string(),
      'x-order': fc.nat(),
    },
    { requiredKeys: [] },
  )

const primitive = (): fc.Arbitrary<Schema> =>
  fc.oneof(
    fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'file', 'array') }),
    fc.record({ type: fc.constant('string'), enum: fc.array(plainText(), { maxLength: 4 }) }),
    fc.record({
      type: fc.array(fc.constantFrom('string', 'number', 'integer', 'boolean', 'null'), { minLength: 1, maxLength: 3 }),
    }),
    fc.constantFrom<Schema>({}, { oneOf: [] }, { type: [] }, { type: 5 }).filter((schema) => !('oneOf' in schema)),
  )

/** Without comments: in the official renderer, text after a last variant would become part of its comment. */
const withoutComments = ({ description, default: _, ...schema }: Schema): Schema => schema

const beginsWithBar = (schema: Schema): boolean =>
  'oneOf' in schema || (schema['type'] === 'array' && 'items' in schema && beginsWithBar(schema['items'] as Schema))

export const knownSchema = (): fc.Arbitrary<unknown> =>
  fc.letrec<{
    schema: Schema
    inner: Schema
    union: Schema
    variant: Schema
    object: Schema
    array: Schema
    property: Schema
  }>((tie) => ({
    schema: fc.tuple(tie('inner'), about()).map(([inner, more]) => ({ ...more, ...inner })),
    inner: fc.oneof(
      { depthSize: 'small', maxDepth: 5, withCrossShrink: true },
      primitive(),
      tie('object'),
      tie('array'),
      tie('union'),
    ),
    // A variant that begins with a bar is no TypeScript.
    variant: tie('schema').filter((schema) => !beginsWithBar(schema)),
    union: fc
      .tuple(fc.array(tie('variant'), { maxLength: 2 }), tie('variant'))
      .map(([first, last]) => ({ oneOf: [...first, withoutComments(last)] })),
    array: fc.record({ type: fc.constant('array'), items: tie('schema') }, { requiredKeys: ['type'] }),
    property: fc.oneof(
      tie('schema'),
      fc
        .tuple(about(), fc.array(tie('variant'), { minLength: 1, maxLength: 3 }))
        .map(([more, oneOf]) => ({ ...more, oneOf })),
    ),
    object: fc
      .record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(propertyName(), tie('property'), { maxKeys: 4 }),
          additionalProperties: fc.constant(false),
          $schema: fc.constant('https://json-schema.org/draft/2020-12/schema'),
        },
        { requiredKeys: ['type'] },
      )
      .chain((schema) => {
        const names = Object.keys(schema.properties ?? {})
        return fc.subarray([...names, 'unknown']).map((required) => ({ ...schema, required }))
      }),
  })).schema
