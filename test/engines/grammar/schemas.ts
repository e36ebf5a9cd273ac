import fc from 'fast-check'

type Schema = Record<string, unknown>
/** A schema, and a value that is valid against it, with its properties in the declared order. */
export interface Case {
  readonly schema: unknown
  readonly value: unknown
}

const anyText = (options: fc.StringConstraints = {}): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.oneof({ weight: 5, arbitrary: fc.string({ minLength: 1, maxLength: 1 }) }, hostile()),
    ...options,
  })

const hostile = (): fc.Arbitrary<string> =>
  fc.constantFrom('"', '\\', '\n', '\u0000', '\u007f', '\u2028', 'é', '😀', '\u{10ffff}', ']', '^', '-', '}')

const anyName = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'ab', 'abc', 'type', 'toString', 'constructor', '') },
    anyText({ maxLength: 5 }),
  )

const annotated = (schema: Schema): fc.Arbitrary<Schema> =>
  fc
    .constantFrom({}, { title: 'T', description: 'D' }, { 'x-mine': { not: {} } })
    .map((more) => ({ ...schema, ...more }))

const countBounds = (length: number, low: string, high: string): fc.Arbitrary<Schema> =>
  fc.record(
    { [low]: fc.integer({ min: 0, max: length }), [high]: fc.integer({ min: length, max: length + 3 }) },
    { requiredKeys: [] },
  )

const strings = (): fc.Arbitrary<Case> =>
  anyText({ maxLength: 8 }).chain((value) =>
    countBounds(Array.from(value).length, 'minLength', 'maxLength').map((bounds) => ({
      schema: { type: 'string', ...bounds },
      value,
    })),
  )

const formatted = (): fc.Arbitrary<Case> =>
  fc.oneof(
    fc
      .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
      .chain((date) =>
        fc.constantFrom(
          { schema: { type: 'string', format: 'date-time' }, value: date.toISOString() },
          { schema: { type: 'string', format: 'date' }, value: date.toISOString().slice(0, 10) },
          { schema: { type: 'string', format: 'time' }, value: date.toISOString().slice(11) },
        ),
      ),
    fc.uuid().map((value) => ({ schema: { type: 'string', format: 'uuid' }, value })),
    fc.ipV4().map((value) => ({ schema: { type: 'string', format: 'ipv4' }, value })),
    fc
      .constantFrom('::', '::1', '1::', 'fe80::1', '2001:db8:0:0:0:0:0:1', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8')
      .map((value) => ({ schema: { type: 'string', format: 'ipv6' }, value })),
    fc.constantFrom('a@b.co', 'first.last+tag@mail.example.org').map((value) => ({
      schema: { type: 'string', format: 'email' },
      value,
    })),
    fc.constantFrom('P1D', 'PT5M', 'P1Y2M3DT4H5M6S', 'P2W').map((value) => ({
      schema: { type: 'string', format: 'duration' },
      value,
    })),
    fc.constantFrom('example.org', 'a', 'a-b.c1').map((value) => ({
      schema: { type: 'string', format: 'hostname' },
      value,
    })),
  )

const boundsAround = (value: number, step: number): fc.Arbitrary<Schema> => {
  const below = fc.integer({ min: 0, max: 200 }).map((n) => rounded(value - n * step))
  const above = fc.integer({ min: 0, max: 200 }).map((n) => rounded(value + n * step))
  const strictly = (bound: fc.Arbitrary<number>): fc.Arbitrary<number> => bound.filter((n) => n !== value)
  return fc.record(
    { minimum: below, maximum: above, exclusiveMinimum: strictly(below), exclusiveMaximum: strictly(above) },
    { requiredKeys: [] },
  )
}

const rounded = (n: number): number => Number(n.toFixed(3))

const integers = (): fc.Arbitrary<Case> =>
  fc.oneof(fc.integer({ min: -150, max: 150 }), fc.maxSafeInteger()).chain((value) =>
    fc.oneof(fc.constant({}), Math.abs(value) < 1e6 ? boundsAround(value, 1) : fc.constant({})).map((bounds) => ({
      schema: { type: 'integer', ...bounds },
      value,
    })),
  )

const multiples = (): fc.Arbitrary<Case> =>
  fc
    .tuple(fc.constantFrom(2, 5, 10, 25, 100, 250), fc.integer({ min: 0, max: 1000 }), fc.boolean())
    .map(([step, n, isOpen]) => ({
      schema: { type: 'integer', multipleOf: step, minimum: 0, ...(isOpen ? {} : { maximum: n * step }) },
      value: n * step,
    }))

const decimals = (): fc.Arbitrary<Case> =>
  fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({
      schema: { type: 'number' },
      value: value + 0,
    })),
    fc.integer({ min: -5000, max: 5000 }).chain((thousandths) => {
      const value = rounded(thousandths / 1000)
      const bounds = fc.constantFrom(1, 0.5, 0.01, 0.125).chain((step) => boundsAround(value, step))
      return bounds.map((said) => ({ schema: { type: 'number', ...said }, value }))
    }),
  )

const listed = (): fc.Arbitrary<Case> =>
  fc
    .array(fc.oneof(anyText({ maxLength: 4 }), fc.integer(), fc.boolean(), fc.constant(null)), { minLength: 1 })
    .map((values) => ({ schema: values.length === 1 ? { const: values[0] } : { enum: values }, value: values[0] }))

const patterned = (): fc.Arbitrary<Case> =>
  fc
    .constantFrom(
      '^[a-z_]{2,6}$',
      '^\\d{3}-\\d{2}$',
      'b',
      '^x|y$',
      '^(a|bc)*["\\\\\\n]$',
      '^[^a]$',
      '^.?$',
      '^\\S+@\\w$',
    )
    .chain((pattern) =>
      fc
        .stringMatching(new RegExp(pattern, 'u'))
        .filter(isWhole)
        .map((value) => ({ schema: { type: 'string', pattern }, value })),
    )

const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text)

const objects = (of: fc.Arbitrary<Case>): fc.Arbitrary<Case> =>
  fc
    .tuple(
      fc.uniqueArray(fc.tuple(anyName(), of, fc.boolean(), fc.boolean()), { maxLength: 5, selector: ([name]) => name }),
      fc.constantFrom(false, true, undefined),
    )
    .map(([members, additional]) => {
      // As JavaScript orders them.
      const properties = Object.fromEntries(members.map(([name, { schema }]) => [name, schema]))
      const required = members.filter(([, , isRequired]) => isRequired).map(([name]) => name)
      const there = members.filter(([, , isRequired, isThere]) => isRequired || isThere)
      const value = Object.fromEntries(there.map(([name, { value }]) => [name, value]))
      const closing = additional === undefined ? {} : { additionalProperties: additional }
      return { schema: { type: 'object', properties, required, ...closing }, value }
    })

const records = (of: fc.Arbitrary<Case>): fc.Arbitrary<Case> =>
  fc.tuple(of, fc.uniqueArray(anyName(), { maxLength: 3 })).map(([{ schema, value }, names]) => ({
    schema: { type: 'object', additionalProperties: schema },
    value: Object.fromEntries(names.map((name) => [name, value])),
  }))

const arrays = (of: fc.Arbitrary<Case>): fc.Arbitrary<Case> =>
  fc.tuple(of, fc.integer({ min: 0, max: 4 })).chain(([{ schema, value }, length]) =>
    countBounds(length, 'minItems', 'maxItems').map((bounds) => ({
      schema: { type: 'array', items: schema, ...bounds },
      value: Array.from({ length }, () => value),
    })),
  )

const tuples = (of: fc.Arbitrary<Case>): fc.Arbitrary<Case> =>
  fc.tuple(fc.array(of, { minLength: 1, maxLength: 3 }), fc.nat({ max: 3 })).chain(([parts, missing]) => {
    const value = parts.slice(0, Math.max(0, parts.length - missing)).map((part) => part.value)
    return countBounds(value.length, 'minItems', 'maxItems').map((bounds) => ({
      schema: { type: 'array', prefixItems: parts.map((part) => part.schema), items: false, ...bounds },
      value,
    }))
  })

const unions = (of: fc.Arbitrary<Case>): fc.Arbitrary<Case> =>
  fc.oneof(
    fc.tuple(of, of).map(([one, other]) => ({ schema: { anyOf: [one.schema, other.schema] }, value: one.value })),
    of.map(({ schema, value }) => ({ schema: { allOf: [schema, { title: 'both' }] }, value })),
    fc.tuple(of, of).map(([one, other]) => ({
      schema: {
        oneOf: [one, other].map(({ schema }, index) => ({
          type: 'object',
          properties: { kind: { const: index }, value: schema },
          required: ['kind'],
          additionalProperties: false,
        })),
      },
      value: { kind: 1, value: other.value },
    })),
    fc.tuple(of, of).map(([one, other]) => ({
      schema: {
        allOf: [
          { type: 'object', properties: { left: one.schema }, required: ['left'] },
          { properties: { right: other.schema }, required: ['right'] },
        ],
      },
      value: { left: one.value, right: other.value },
    })),
  )

/** Schemas with every supported keyword, each with a value. */
export const anyCase = (): fc.Arbitrary<Case> =>
  fc.letrec<{ case: Case; leaf: Case }>((tie) => ({
    leaf: fc.oneof(
      strings(),
      formatted(),
      integers(),
      multiples(),
      decimals(),
      listed(),
      patterned(),
      fc.constantFrom<Case>(
        { schema: { type: ['string', 'null'] }, value: null },
        { schema: { type: 'boolean' }, value: true },
        { schema: { type: 'string', nullable: true }, value: null },
      ),
      fc.json({ maxDepth: 2 }).map((text) => ({ schema: true, value: JSON.parse(text) as unknown })),
    ),
    case: fc
      .oneof(
        { maxDepth: 3, depthIdentifier: 'schemas' },
        tie('leaf'),
        objects(tie('case')),
        objects(tie('case')),
        records(tie('case')),
        arrays(tie('case')),
        tuples(tie('case')),
        unions(tie('case')),
      )
      .chain((made) =>
        typeof made.schema === 'object'
          ? annotated(made.schema as Schema).map((schema) => ({ schema, value: made.value }))
          : fc.constant(made),
      ),
  })).case
