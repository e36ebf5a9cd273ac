import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { chatChunkSchema } from '../../../../src/judge/conformance/chat/chunk-schema.js'
import { chunkSchema } from '../../../../src/judge/conformance/chat/clients/ai-sdk/chunk-schema.js'
import { EVENTS } from '../../../../src/judge/conformance/clients/ai-sdk/event-schemas.js'
import { DONE_ITEMS } from '../../../../src/judge/conformance/clients/ai-sdk/item-schemas.js'
import { openResponsesEventSchema, responseStreamEventSchema } from '../../../../src/judge/conformance/schemas/index.js'
import { surelyFits } from '../../../../src/judge/conformance/schemas/surely-fits.js'
import { runs, sampled } from '../../../support/runs.js'
import { BASES } from '../chat/streams.js'
import { fieldDamages } from './field-damages.js'
import { openResponsesSpecimens } from './open-responses-specimens.js'
import { eventSpecimens, itemSpecimens } from './specimens.js'

interface Judged {
  readonly name: string
  readonly schema: z.ZodType
  readonly event: { readonly type: string }
}

const openai = Object.values(eventSpecimens).map((event) => ({
  name: event.type,
  schema: responseStreamEventSchema as z.ZodType,
  event,
}))
const openResponses = (openResponsesSpecimens as readonly { readonly type: string }[]).map((event) => ({
  name: event.type,
  schema: openResponsesEventSchema as z.ZodType,
  event,
}))
const aiSdk = [
  ...Object.values(eventSpecimens).map((event) => ({ schema: EVENTS[event.type], event })),
  ...Object.values(itemSpecimens).map((event) => ({ schema: DONE_ITEMS[event.type], event })),
].flatMap(({ schema, event }) => (schema === undefined ? [] : [{ name: event.type, schema, event }]))
const chat = [chatChunkSchema, chunkSchema].flatMap((schema) =>
  BASES.calls.map((chunk) => ({ name: JSON.stringify(chunk), schema, event: { ...chunk, type: 'a chunk' } })),
)

describe.each([
  ['OpenAI', openai],
  ['Open Responses', openResponses],
  ['the AI SDK', aiSdk],
  ['Chat Completions', chat],
] as readonly [string, readonly Judged[]][])('the schemas of %s', (_name, judged) => {
  test('no valid event is left to zod', () => {
    const left = judged.filter(({ schema, event }) => !surelyFits(schema, event) && schema.safeParse(event).success)
    expect(left.map(({ name }) => name)).toEqual([])
  })

  test('of every damaged event it is known whether zod takes it', () => {
    const wrong: string[] = []
    for (const { schema, event } of judged)
      for (const { kind, event: damage } of sampled(fieldDamages(event))) {
        const damaged = damage()
        if (surelyFits(schema, damaged) !== schema.safeParse(damaged).success) wrong.push(kind)
      }
    expect(wrong).toEqual([])
  })
})

/** Schemas of every kind that is read, and of some that are not. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  string: z.string(),
  'string with a length': z.string().min(2),
  email: z.email(),
  'coerced string': z.coerce.string(),
  number: z.number(),
  'number from 1': z.number().min(1),
  'number from 0': z.number().nonnegative(),
  'coerced number': z.coerce.number(),
  integer: z.int(),
  count: z.int().nonnegative(),
  'positive integer': z.int().positive(),
  'integer to 5': z.int().nonnegative().max(5),
  int32: z.int32(),
  boolean: z.boolean(),
  'coerced boolean': z.coerce.boolean(),
  null: z.null(),
  undefined: z.undefined(),
  unknown: z.unknown(),
  any: z.any(),
  custom: z.custom((value) => value === 'a' || value === 1),
  'custom that gives a text': z.custom((value) => (value === 'a' ? 'yes' : '')),
  refined: z.string().refine((value) => value === 'a'),
  literal: z.literal('a'),
  literals: z.literal(['a', 1, null]),
  enum: z.enum(['a', 'b']),
  nullable: z.string().nullable(),
  'optional and nullable': z.string().nullish(),
  'with a default': z.string().default('a'),
  caught: z.string().catch('a'),
  array: z.array(z.string()),
  'array of two': z.array(z.string()).length(2),
  tuple: z.tuple([z.string(), z.number()]),
  record: z.record(z.string(), z.number()),
  'record of few keys': z.record(z.enum(['a', 'b']), z.unknown()),
  union: z.union([z.string(), z.null()]),
  xor: z.xor([z.string(), z.literal('a')]),
  intersection: z.intersection(z.object({ a: z.unknown() }), z.record(z.string(), z.unknown())),
  'object that drops keys': z.object({ a: z.string(), b: z.number().optional() }),
  'strict object': z.strictObject({ a: z.string(), b: z.number().exactOptional() }),
  'loose object': z.looseObject({ a: z.unknown(), b: z.number().nullish() }),
  'object with other keys': z.object({ a: z.unknown() }).catchall(z.number()),
  'object with a default': z.strictObject({ a: z.unknown().default(1) }),
  'refined object': z.strictObject({ a: z.unknown() }).refine(({ a }) => a === 1),
  variants: z.discriminatedUnion('a', [
    z.object({ a: z.literal('a'), b: z.number() }),
    z.strictObject({ a: z.literal(['b', 'c']) }),
  ]),
  json: z.json(),
  transformed: z.string().transform((value) => value.length),
  piped: z.string().pipe(z.literal('a')),
  readonly: z.array(z.string()).readonly(),
}

const leaf = fc.constantFrom<unknown>(
  'a',
  'b',
  '',
  'abc',
  0,
  1,
  -1,
  0.5,
  6,
  2 ** 53,
  Number.POSITIVE_INFINITY,
  true,
  null,
  undefined,
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { weight: 3, arbitrary: leaf },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
}))

describe.each(Object.entries(SCHEMAS))('a schema of the kind: %s', (_kind, schema) => {
  test('a value that surely fits is valid', () => {
    fc.assert(
      fc.property(value, (value) => !surelyFits(schema, value) || schema.safeParse(value).success),
      { numRuns: runs(1000) },
    )
  })
})
