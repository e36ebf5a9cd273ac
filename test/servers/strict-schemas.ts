type Schema = Readonly<Record<string, unknown>>

const object = (properties: Schema, required = Object.keys(properties)): Schema => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
})
const text = (maxLength = 20): Schema => ({ type: 'string', maxLength })
const pattern = (source: string, more: Schema = {}): Schema => ({ type: 'string', pattern: source, ...more })
const format = (name: string): Schema => ({ type: 'string', format: name })

const NODE = object({
  v: { type: 'integer', minimum: 0, maximum: 3 },
  next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] },
})

/** A strict schema of each kind that users write, by name. */
export const STRICT_SCHEMAS: Readonly<Record<string, Schema>> = {
  flat: object({ city: text(), people: { type: 'integer' } }),
  booleans: object({ a: { type: 'boolean' }, b: { type: 'null' } }),
  number: object({ x: { type: 'number', minimum: -1, maximum: 1 } }),
  words: object({ unit: { enum: ['celsius', 'fahrenheit'] } }),
  values: object({ v: { enum: [1, '1', true, null, 2.5] } }),
  unicode: object({ v: { enum: ['größe', '日本語', '🌦️ sun', 'e\u0301', 'a"b\\c\n'] } }),
  constant: object({ k: { const: { a: [1, 2], b: 'x' } } }),
  names: object({
    ключ: { type: 'boolean' },
    名前: text(5),
    'a b"c': { type: 'null' },
    '😀': { type: 'integer', minimum: 0, maximum: 9 },
  }),
  pattern: object({ id: pattern('^[A-Z]{2}-[0-9]{4}$') }),
  patternAndLength: object({ id: pattern('^(foo|bar)+[^a-z]?$', { maxLength: 30 }) }),
  cyrillic: object({ id: pattern('^[а-я]{3,6}$') }),
  loosePattern: object({ id: pattern('[0-9]{3}', { maxLength: 12 }) }),
  dates: object({ d: format('date'), t: format('date-time') }),
  ids: object({ u: format('uuid'), i: format('ipv4') }),
  email: object({ e: format('email') }),
  duration: object({ e: format('duration'), h: format('hostname') }),
  ipv6: object({ e: format('ipv6'), t: format('time') }),
  nested: object({ a: object({ b: object({ c: object({ d: text(5) }) }) }) }),
  list: object({
    xs: { type: 'array', items: { type: 'integer', minimum: -5, maximum: 5 }, minItems: 2, maxItems: 4 },
  }),
  listOfObjects: object({ xs: { type: 'array', items: object({ n: text(4), f: { type: 'boolean' } }), maxItems: 3 } }),
  tuple: object({ t: { type: 'array', prefixItems: [{ type: 'integer' }, text(3)], items: false, minItems: 2 } }),
  anyOf: object({
    v: { anyOf: [object({ k: { const: 'a' }, x: { type: 'integer' } }), object({ k: { const: 'b' }, y: text(3) })] },
  }),
  oneOf: object({ v: { oneOf: [{ type: 'integer' }, { type: 'boolean' }] } }),
  recursive: { $defs: { n: NODE }, ...object({ l: { $ref: '#/$defs/n' } }) },
  optional: object({ a: { type: 'integer' }, b: { type: 'boolean' }, c: text(4) }, ['b']),
  more: {
    ...{ type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] },
    additionalProperties: { type: 'integer', minimum: 0, maximum: 9 },
  },
  range: object({
    n: { type: 'integer', minimum: 37, maximum: 1234 },
    m: { type: 'integer', multipleOf: 7, minimum: 0, maximum: 70 },
  }),
  exclusive: object({ n: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 } }),
  nullable: object({ s: { type: ['string', 'null'], maxLength: 6 } }),
  allOf: object({ v: { allOf: [{ type: 'integer', minimum: 3 }, { maximum: 8 }] } }),
  lengths: object({ s: { type: 'string', minLength: 5, maxLength: 8 } }),
  large: object(
    Object.fromEntries(
      Array.from({ length: 20 }, (_, nth) => [
        `f${nth}`,
        nth % 2 ? { type: 'boolean' } : { enum: [`x${nth}`, `y${nth}`] },
      ]),
    ),
  ),
  rootList: { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 3 },
  free: object({ s: { type: 'string' } }),
}

/**
 * Those of `STRICT_SCHEMAS` that leave a value unbounded: its digits, its text, its names, its depth. A limit of tokens
 * that is large enough for the others may cut only these.
 */
export const UNBOUNDED: ReadonlySet<string> = new Set([
  ...['flat', 'number', 'tuple', 'anyOf', 'oneOf', 'optional', 'exclusive', 'dates', 'ipv6'],
  ...['email', 'duration', 'free', 'more', 'recursive'],
])

const digit: Schema = { type: 'integer', minimum: 0, maximum: 9 }
const letters = (values: readonly string[], more: Schema): Schema => ({
  xs: { type: 'array', items: { enum: values }, maxItems: 4, ...more },
})

/**
 * Schemas whose keywords a backend accepts and ignores (xgrammar), or cannot compile, so that it answers 200 with an
 * empty body (guidance): sent to it as they are, the bodies would be wrong, or none.
 */
export const TRAP_SCHEMAS: Readonly<Record<string, Schema>> = {
  not: object({ v: { type: ['integer', 'boolean', 'null'], not: { type: 'integer' } } }),
  ifElse: {
    ...object({ a: { type: 'boolean' }, b: digit }, ['a']),
    ...{ if: { properties: { a: { const: true } } }, else: { required: ['b'] } },
  },
  propertyNames: {
    ...{ type: 'object', propertyNames: { pattern: '^[a-z]{1,3}$' }, maxProperties: 3 },
    additionalProperties: { type: 'boolean' },
  },
  dependentRequired: { ...object({ a: digit, b: { type: 'boolean' } }, []), dependentRequired: { a: ['b'] } },
  overlappingOneOf: object({
    v: {
      oneOf: [
        { ...digit, maximum: 5 },
        { ...digit, minimum: 5 },
      ],
    },
  }),
  patternProperties: {
    ...{ type: 'object', patternProperties: { '^x-[a-z]{1,3}$': digit }, maxProperties: 3 },
    additionalProperties: false,
  },
  uniqueItems: object(letters(['a', 'b', 'c'], { uniqueItems: true })),
  contains: object(letters(['a', 'b'], { contains: { const: 'b' } })),
}
