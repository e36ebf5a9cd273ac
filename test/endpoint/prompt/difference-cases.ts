/** A schema that the official renderer and ours write differently, in docs/prompt.md's words. */
export interface SchemaDifference {
  readonly what: string
  readonly schema: unknown
  /** The type as the official renderer writes it, and as ours does. */
  readonly official: string
  readonly here: string
  readonly why: string
}

const object = (properties: object): object => ({ type: 'object', properties })

export const SCHEMA_DIFFERENCES: readonly SchemaDifference[] = [
  {
    what: '`enum` of other values than strings',
    schema: { type: 'integer', enum: [1, 2] },
    official: 'number',
    here: '1 | 2',
    why: 'the model may choose from these alone',
  },
  {
    what: '`enum` of strings and others',
    schema: { type: 'string', enum: ['a', null] },
    official: '"a"',
    here: '"a" | null',
    why: 'the same',
  },
  {
    what: '`enum` without a type, or beside several',
    schema: { enum: ['a', 'b'] },
    official: 'any',
    here: '"a" | "b"',
    why: 'the same',
  },
  {
    what: '`enum` with quotes, backslashes or breaks',
    schema: { type: 'string', enum: ['a" | "b', '\\'] },
    official: '"a" | "b" | "\\"',
    here: String.raw`"a\" | \"b" | "\\"`,
    why: 'a value must not end its literal',
  },
  { what: '`const`', schema: { const: 'a' }, official: 'any', here: '"a"', why: 'it is a type' },
  { what: 'type `null`', schema: { type: 'null' }, official: 'any', here: 'null', why: 'it is a type' },
  {
    what: 'unknown names in a list of types',
    schema: { type: ['string', '}) => any;'] },
    official: 'string | }) => any;',
    here: 'string | any',
    why: 'a name must not end the type',
  },
  {
    what: '`object` or `array` in a list of types',
    schema: { type: ['array', 'null'], items: { type: 'string' } },
    official: 'array | null',
    here: 'string[] | null',
    why: 'the items and properties are known',
  },
  {
    what: 'an array of several types, which may be null',
    schema: { type: ['array', 'null'], items: { type: ['string', 'null'] } },
    official: 'array | null',
    here: '(string | null)[] | null',
    why: 'without parentheses it would read as a string, or an array of null',
  },
  {
    what: '`anyOf`',
    schema: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    official: 'any',
    here: 'string | number',
    why: 'it is a union; over several lines, like `oneOf`, if it is long',
  },
  {
    what: '`anyOf` of a type and null',
    schema: object({ a: { anyOf: [{ type: 'string', description: 'D' }, { type: 'null' }] } }),
    official: '{\na?: any,\n}',
    here: '{\n// D\na?: string | null,\n}',
    why: 'writers of schemas spell optional types so',
  },
  {
    what: '`allOf`',
    schema: { allOf: [object({ a: { type: 'string' } }), object({ b: { type: 'string' } })] },
    official: 'any',
    here: '{\na?: string,\n} & {\nb?: string,\n}',
    why: 'it is an intersection',
  },
  {
    what: '`oneOf` beside properties',
    schema: { ...object({ a: {} }), oneOf: [{ type: 'object' }, { const: 1 }] },
    official: '\n | {\n   }\n | any',
    here: '{\na?: any,\n} & (\n | {\n   }\n | 1)',
    why: 'both are demanded',
  },
  {
    what: '`oneOf`, `anyOf` or `allOf` that only adds conditions',
    schema: { ...object({ a: {} }), oneOf: [{ required: ['a'] }] },
    official: '\n | any',
    here: '// oneOf: [{"required":["a"]}]\n{\na?: any,\n}',
    why: 'the properties were lost',
  },
  {
    what: '`oneOf` whose last variant has a comment',
    schema: { oneOf: [{ type: 'string', description: 'D' }] },
    official: '\n | string // D',
    here: '\n | string // D\n',
    why: 'what follows would be a part of the comment',
  },
  {
    what: 'an array of those',
    schema: { type: 'array', items: { oneOf: [{ type: 'string', description: 'D' }] } },
    official: '\n | string // D[]',
    here: '(\n | string // D\n)[]',
    why: 'the same',
  },
  {
    what: 'a variant that is a union over several lines',
    schema: { oneOf: [{ oneOf: [{ type: 'string' }] }] },
    official: '\n | \n    | string',
    here: '\n | (\n    | string)',
    why: 'TypeScript has no bar after a bar',
  },
  { what: 'an empty `oneOf`', schema: { oneOf: [] }, official: '', here: 'any', why: 'there has to be a type' },
  {
    what: '`oneOf` that is no list',
    schema: object({ a: { oneOf: 1, description: 'D', default: 1 } }),
    official: '{\na?: any,\n}',
    here: '{\n// D\na?: any, // default: 1\n}',
    why: 'the description was lost',
  },
  {
    what: 'objects and arrays without `type`',
    schema: { properties: { a: { items: { type: 'string' } } }, required: ['a', 'b'] },
    official: 'any',
    here: '{\na: string[],\nb: any,\n}',
    why: 'the keywords show what they are',
  },
  {
    what: '`additionalProperties` and `patternProperties` with a schema',
    schema: { type: 'object', additionalProperties: { type: 'number' }, patternProperties: { '^x-': {} } },
    official: '{\n}',
    here: '{\n[key: string]: number,\n[key: string]: any, // names like "^x-"\n}',
    why: 'TypeScript can say it; `false` is what its objects mean anyway',
  },
  {
    what: 'tuples: `prefixItems`, or a list of `items`',
    schema: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    official: 'number[]',
    here: '[string, ...number[]]',
    why: 'TypeScript can say it',
  },
  { what: 'the schema `false`', schema: false, official: 'any', here: 'never', why: 'nothing fits it' },
  {
    what: '`$ref` into the schema',
    schema: { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } },
    official: 'any',
    here: 'string',
    why: 'the definition stands where it is used, at most ten times',
  },
  {
    what: 'a definition that is long, and used again',
    schema: {
      ...object({ a: { $ref: '#/$defs/b' }, c: { $ref: '#/$defs/b', description: 'D' } }),
      $defs: {
        b: {
          enum: [
            'one of the values that there are',
            'another of the values that there are',
            'a third one of these values',
          ],
        },
      },
    },
    official: '{\na?: any,\n// D\nc?: any,\n}',
    here: '{\na?: // B\n"one of the values that there are" | "another of the values that there are" | "a third one of these values",\n// D\nc?: B,\n}',
    why: 'it is written out once: schemas that share definitions would be many times as long',
  },
  {
    what: 'a definition that refers to itself',
    schema: { $ref: '#/$defs/node', $defs: { node: object({ next: { $ref: '#/$defs/node' } }) } },
    official: 'any',
    here: '// Node\n{\nnext?: Node,\n}',
    why: 'it has a name, from then on',
  },
  {
    what: '`$ref` to elsewhere',
    schema: object({ a: { $ref: 'https://example.com/a.json' } }),
    official: '{\na?: any,\n}',
    here: '{\na?: any, // $ref: "https://example.com/a.json"\n}',
    why: 'its name may tell the model something',
  },
  {
    what: 'constraints: `format`, `pattern`, bounds, `not`, `if` and the like',
    schema: object({ a: { type: 'string', default: 'x', format: 'uri', maxLength: 9 } }),
    official: '{\na?: string, // default: "x"\n}',
    here: '{\na?: string, // default: "x", format: "uri", maxLength: 9\n}',
    why: 'the model should keep them; those of items follow `each item:`',
  },
  {
    what: 'names of properties that are no identifiers',
    schema: object({ 'X-Id': { type: 'string' } }),
    official: '{\nX-Id?: string,\n}',
    here: '{\n"X-Id"?: string,\n}',
    why: 'a name must not end the property',
  },
  {
    what: 'descriptions, titles and examples of several lines',
    schema: object({ a: { type: 'string', description: 'D\n} // E' } }),
    official: '{\n// D\n} // E\na?: string,\n}',
    here: '{\n// D\n// } // E\na?: string,\n}',
    why: 'every line has to be a comment, whatever ends a line: CR, U+2028 and U+0085, too',
  },
  {
    what: 'a last line that is empty',
    schema: { type: 'object', description: 'D\n' },
    official: '// D\n\n{\n}',
    here: '// D\n{\n}',
    why: 'it says nothing',
  },
  {
    what: 'defaults with line breaks',
    schema: object({ a: { type: 'string', default: 'x\ny' } }),
    official: '{\na?: string, // default: "x\ny"\n}',
    here: String.raw`{↵a?: string, // default: "x\ny"↵}`.replaceAll('↵', '\n'),
    why: 'the comment ends with its line',
  },
  {
    what: 'examples that are no strings',
    schema: object({ a: { examples: [{ x: 1 }] } }),
    official: '{\n// Examples:\na?: any,\n}',
    here: '{\n// Examples:\n// - {"x":1}\na?: any,\n}',
    why: 'they help, too',
  },
  {
    what: 'numbers from 2^53 on, and small ones',
    schema: object({ a: { default: 1e21 }, b: { default: 0.000001 } }),
    official: '{\na?: any, // default: 1e21\nb?: any, // default: 1e-6\n}',
    here: '{\na?: any, // default: 1e+21\nb?: any, // default: 0.000001\n}',
    why: 'JavaScript writes them so',
  },
]
