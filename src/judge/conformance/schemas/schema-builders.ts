import * as z from 'zod'
import { withoutEval } from '../../../shared/system/without-eval.js'
import { extrasOf } from './wire-extras.js'

withoutEval()

// The description of each schema is its expectation, which messages show after "expected".

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
/** Any JSON value, but not a missing one. */
export const anything: z.ZodType<unknown, unknown> = z.custom((value) => value !== undefined, 'a value')

export function list<Schema extends z.ZodType>(schema: Schema): z.ZodArray<Schema> {
  return z.array(schema, 'an array')
}

/** One of these strings or null. */
export function oneOf<const Value extends string | null>(...values: Value[]): z.ZodLiteral<Value> {
  const words = values.map((value) => JSON.stringify(value))
  return z.literal(values, [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' or '))
}

/** One of these objects, which `type` tells apart. `types` describes the expected types. */
export function byType<
  const Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(types: string, options: Options): z.ZodDiscriminatedUnion<Options, 'type'> {
  return z.discriminatedUnion('type', options, {
    error: ({ code }: { code: string }) => (code === 'invalid_type' ? 'an object' : types),
  })
}

/** A value of the schema, or null. `what` describes the value. */
export function orNull<Schema extends z.ZodType>(what: string, schema: Schema): z.ZodUnion<[Schema, z.ZodNull]> {
  return z.union([schema, z.null()], `${what} or null`)
}

// The casts below: the wire's extra keys, all optional, are left out of the types, which `openai` does not have either.

/** An object with exactly these fields and those of `extraKeys` for `name`. */
export function strict<Shape extends z.ZodRawShape>(name: string, shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject({ ...shape, ...extrasOf(name) } as Shape, `{${Object.keys(shape).join(', ')}}`)
}

/** As {@link strict}, for an object with a `type`, which is also its name. */
export function typed<const Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape,
): z.ZodObject<{ type: z.ZodLiteral<Type> } & Shape, z.core.$strict> {
  return strict(type, { type: oneOf(type), ...shape })
}

/** An object with at least these fields, and those of `extraKeys` for `name`. */
export function loose<Shape extends z.ZodRawShape>(name: string, shape: Shape): z.ZodObject<Shape, z.core.$loose> {
  return z.looseObject({ ...shape, ...extrasOf(name) } as Shape, 'an object')
}

/**
 * Gives a schema a type that is written by hand. It does not compile if the two differ. An optional key that only one
 * of them has is not a difference.
 */
export function exactly<Type>(): <Schema extends z.ZodType>(
  schema: Schema & Same<z.output<Schema>, Type> & Same<z.input<Schema>, Type>,
) => z.ZodType<Type, Type> {
  // The cast: `Same` has compared the types, but the compiler cannot conclude from that that they are equal.
  return (schema) => schema as unknown as z.ZodType<Type, Type>
}

type Same<Got, Wanted> = [ByType<Got>] extends [ByType<Wanted>]
  ? [ByType<Wanted>] extends [ByType<Got>]
    ? unknown
    : { theSchemaRefuses: Wanted }
  : { theTypeLacks: Got }

/**
 * The members of a union by type. Compared as a union, a member with an optional field would equal one with a required
 * field.
 */
type ByType<Value> = [Value] extends [{ type: string }]
  ? {
      [Type in Value['type']]: Value extends unknown
        ? Type extends Value['type']
          ? Omit<Value, 'type'>
          : never
        : never
    }
  : Value
