import { z } from 'zod'
import { extrasOf } from './wire-extras.js'

// Every schema is given what it expects in words: an issue's message is what people read after "expected".

const WHOLE_NUMBER = 'a whole number from 0'

export const text: z.ZodString = z.string('a string')
export const textOrNull: z.ZodNullable<z.ZodString> = z.string('a string or null').nullable()
export const flag: z.ZodBoolean = z.boolean('true or false')
export const flagOrNull: z.ZodNullable<z.ZodBoolean> = z.boolean('true, false or null').nullable()
export const number: z.ZodNumber = z.number('a number')
export const numberOrNull: z.ZodNullable<z.ZodNumber> = z.number('a number or null').nullable()
export const integer: z.ZodInt = z.int('a whole number')
export const count: z.ZodInt = z.int(WHOLE_NUMBER).nonnegative(WHOLE_NUMBER)
export const countOrNull: z.ZodNullable<z.ZodInt> = z
  .int(`${WHOLE_NUMBER}, or null`)
  .nonnegative(`${WHOLE_NUMBER}, or null`)
  .nullable()
/** Any JSON value, but there has to be one. */
export const anything: z.ZodType<unknown, unknown> = z.custom((value) => value !== undefined, 'a value')

export function list<Schema extends z.ZodType>(schema: Schema): z.ZodArray<Schema> {
  return z.array(schema, 'an array')
}

/** One of these words; null can be among them. */
export function oneOf<const Value extends string | null>(...values: Value[]): z.ZodLiteral<Value> {
  const words = values.map((value) => JSON.stringify(value))
  return z.literal(values, [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' or '))
}

/** One of these objects, as their types say. */
export function byType<
  const Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(types: string, options: Options): z.ZodDiscriminatedUnion<Options, 'type'> {
  return z.discriminatedUnion('type', options, {
    error: ({ code }: { code: string }) => (code === 'invalid_type' ? 'an object' : types),
  })
}

/** The schema's value or null; `what` is the value in words. */
export function orNull<Schema extends z.ZodType>(what: string, schema: Schema): z.ZodUnion<[Schema, z.ZodNull]> {
  return z.union([schema, z.null()], `${what} or null`)
}

/** An object of exactly these fields, and of what the wire adds to them: `name` is what its table knows them by. */
export function strict<Shape extends z.ZodRawShape>(name: string, shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject({ ...shape, ...extrasOf(name) } as Shape, `{${Object.keys(shape).join(', ')}}`)
}

/** The same of an object that says its type: it goes by that. */
export function typed<const Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape,
): z.ZodObject<{ type: z.ZodLiteral<Type> } & Shape, z.core.$strict> {
  return strict(type, { type: oneOf(type), ...shape })
}

/** An object that has at least these fields. */
export function loose<Shape extends z.ZodRawShape>(name: string, shape: Shape): z.ZodObject<Shape, z.core.$loose> {
  return z.looseObject({ ...shape, ...extrasOf(name) } as Shape, 'an object')
}

/**
 * The schema, under the type that is written down for it. It does not compile where the two differ; keys that one of
 * them does not have and the other may leave out are no difference.
 */
export function exactly<Type>(): <Schema extends z.ZodType>(
  schema: Schema & Same<z.output<Schema>, Type> & Same<z.input<Schema>, Type>,
) => z.ZodType<Type, Type> {
  return (schema) => schema as unknown as z.ZodType<Type, Type>
}

type Same<Got, Wanted> = [ByType<Got>] extends [ByType<Wanted>]
  ? [ByType<Wanted>] extends [ByType<Got>]
    ? unknown
    : { theSchemaRefuses: Wanted }
  : { theTypeLacks: Got }

/** A union's members one by one: against a union, the compiler takes a field that may be missing for one that may not. */
type ByType<Value> = [Value] extends [{ type: string }]
  ? {
      [Type in Value['type']]: Value extends unknown
        ? Type extends Value['type']
          ? Omit<Value, 'type'>
          : never
        : never
    }
  : Value
