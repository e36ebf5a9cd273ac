import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileSchema, createMatcher, jsonSchemaToGbnf, matcherOf } from '../../../src/engines/grammar/index.js'
import { atOnce } from '../../../src/shared/slices.js'
import { runs } from '../../support/runs.js'
import { anyWalk, walk } from './walk.js'

const Node = z.object({
  name: z.string(),
  get children() {
    return z.array(Node)
  },
})

/** Typical schemas of strict functions and structured answers. */
const SCHEMAS = {
  'an agent of tools': z.object({
    query: z.string().min(1).max(40).describe('What to look for'),
    limit: z.int().min(1).max(50).default(10),
    sort: z.enum(['new', 'old']).nullable(),
    since: z.iso.datetime().optional(),
    tags: z.array(z.string().regex(/^[a-z][a-z0-9-]*$/)).max(5),
  }),
  'an extraction': z.strictObject({
    confidence: z.number().min(0).max(1),
    id: z.uuid(),
    born: z.iso.date(),
    place: z.tuple([z.number().gte(-180).lte(180), z.number().gte(-90).lte(90)]),
    kind: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('person'), age: z.int().nonnegative() }),
      z.strictObject({ type: z.literal('company'), employees: z.number().positive() }),
    ]),
  }),
  'a tree': Node,
  records: z.object({
    counts: z.record(z.string(), z.int()),
    flags: z.record(z.enum(['a', 'b']), z.boolean()),
    both: z.intersection(z.object({ left: z.string() }), z.object({ right: z.null() })),
    some: z.union([z.string(), z.number(), z.literal(true), z.null()]),
  }),
}

test.each(Object.entries(SCHEMAS))('zod accepts all values that the grammar of its schema allows: %s', (_, schema) => {
  const start = createMatcher(jsonSchemaToGbnf(z.toJSONSchema(schema)))
  fc.assert(
    fc.property(anyWalk(), (choices) => {
      const text = walk(start, choices)
      const { success, error } = schema.safeParse(JSON.parse(text))
      expect({ text, success, error }).toEqual({ text, success: true, error: undefined })
    }),
    { numRuns: runs(200) },
  )
})

test.each(
  Object.entries({
    url: z.url(),
    email: z.email(),
    uuid: z.uuid(),
    date: z.iso.date(),
    time: z.iso.time(),
    datetime: z.iso.datetime({ offset: true }),
    // Its pattern looks ahead, so that the format beside it is held.
    duration: z.iso.duration(),
    hostname: z.hostname(),
    ipv4: z.ipv4(),
    ipv6: z.ipv6(),
    cidr: z.cidrv6(),
    nanoid: z.nanoid(),
    cuid2: z.cuid2(),
    ulid: z.ulid(),
    base64: z.base64(),
    e164: z.e164(),
    multiple: z.number().multipleOf(0.01),
  }),
)('zod reads the shortest text of its own format: %s', (_format, type) => {
  const { grammar } = atOnce(compileSchema(z.toJSONSchema(type)))
  const text = atOnce(matcherOf(grammar)).completion() ?? ''
  expect(type.parse(JSON.parse(text))).toBeDefined()
})
