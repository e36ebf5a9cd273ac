import * as z from 'zod'
import { type Fields, isFields } from '../../../shared/fields.js'
import { withoutEval } from '../../../shared/system/without-eval.js'
import { isUnknownAllowed, readEntries } from './resumed.js'

withoutEval()

// The message of each schema is its expectation, in OpenAI's words: `invalidType` puts it after "expected".

export const text: z.ZodType<string> = z.string('a string')
/** A text that identifies something, and so cannot be empty. */
export const key: z.ZodType<string> = z.string('a string').min(1)
export const flag: z.ZodType<boolean> = z.boolean('a boolean')
export const integer: z.ZodType<number> = z.int('an integer')
export const decimal: z.ZodType<number> = z.number('a decimal')
/** Any JSON value, including null, but not a missing one. */
export const anything: z.ZodType<unknown> = z.custom((value) => value !== undefined, 'a value')
/** An object whose fields are not checked: a JSON Schema, or the parameters of a tool that is only echoed. */
export const anyObject: z.ZodType<{ [key: string]: unknown }> = z.custom<{ [key: string]: unknown }>(
  isFields,
  'an object',
)

export function integerFrom(min: number, max: number = Number.MAX_SAFE_INTEGER): z.ZodType<number> {
  return z.int('an integer').min(min).max(max)
}

export function decimalFrom(min: number, max: number): z.ZodType<number> {
  return z.number('a decimal').min(min).max(max)
}

/** Accepts a non-empty text that matches the pattern. */
export function textLike(pattern: RegExp): z.ZodType<string> {
  return z.string('a string').min(1).regex(pattern)
}

/** Accepts a name of at most `max` characters that matches the pattern. */
export function nameLike(pattern: RegExp, max: number): z.ZodType<string> {
  return z.string('a string').min(1).max(max).regex(pattern)
}

/** Accepts one of these strings. */
export function oneOf<const Value extends string>(...values: Value[]): z.ZodType<Value> {
  return z.literal(values)
}

/** Makes a field optional; null counts as missing. */
export function optional<Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<Schema> {
  return schema.exactOptional()
}

/** Accepts a missing field as null, for fields that the result requires but clients omit. */
export function orNull<Value>(schema: z.ZodType<Value>): z.ZodType<Value | null> {
  return schema.nullable().default(null)
}

/**
 * Reads a list up to the first invalid entry: wording errors for 100,000 entries would cost a client nothing and the
 * server much. Where the caller allows unknown types, entries of such a type are left out.
 *
 * @param instead - returns what is read in place of an entry of an unknown type
 */
export function list<Value>(
  of: string,
  schema: z.ZodType<Value>,
  instead?: (entry: Fields & { readonly type: string }) => Value,
): z.ZodType<Value[]> {
  const fate = instead === undefined ? 'skipped' : 'replaced'
  return z.unknown().transform((value, context): Value[] => {
    if (!Array.isArray(value)) {
      context.issues.push({ code: 'invalid_type', expected: 'array', input: value, message: `an array of ${of}` })
      return z.NEVER
    }
    const read = readEntries<Value>(schema, value, (entry, index, entries) => {
      const result = schema.safeParse(entry)
      if (result.success) entries.push(result.data)
      else if (hasUnknownType(result.error) && isUnknownAllowed(value, index, fate)) {
        if (instead !== undefined) entries.push(instead(entry as Parameters<typeof instead>[0]))
      } else {
        passOn(result.error, context, index)
        return false
      }
      return true
    })
    return read ?? z.NEVER
  })
}

/** Reads a list with at most `max` entries. */
export function listUpTo<Value>(max: number, of: string, schema: z.ZodType<Value>): z.ZodType<Value[]> {
  const bounded = z.unknown().transform((value, context): unknown => {
    if (!Array.isArray(value) || value.length <= max) return value
    context.issues.push({ code: 'too_big', maximum: max, origin: 'array', input: value })
    return z.NEVER
  })
  return bounded.pipe(list(of, schema))
}

export const texts: z.ZodType<string[]> = list('strings', text)

export function record<Value>(schema: z.ZodType<Value>): z.ZodType<{ [key: string]: Value }> {
  return z.record(z.string(), schema, 'an object')
}

/** Accepts either kind of JSON value. @param expected - `one of a string or object` */
export function either<A, B>(expected: string, a: z.ZodType<A>, b: z.ZodType<B>): z.ZodType<A | B> {
  return z.union([a, b], expected)
}

type FieldSchemas = Readonly<Record<string, z.ZodType>>

/** Reads an object with these fields and drops all others. Null counts as missing where a field is optional. */
export function object<Shape extends FieldSchemas>(shape: Shape): z.ZodType<z.output<z.ZodObject<Shape>>> {
  return z.unknown().transform(withoutNulls(shape)).pipe(z.object(shape, 'an object'))
}

/** Does the same, but passes other fields on unchanged. */
export function loose<Shape extends FieldSchemas>(shape: Shape): z.ZodType<z.output<z.ZodObject<Shape>>> {
  const read: z.ZodType = z.unknown().transform(withoutNulls(shape)).pipe(z.looseObject(shape, 'an object'))
  return read as z.ZodType<z.output<z.ZodObject<Shape>>>
}

function withoutNulls(shape: FieldSchemas): (value: unknown) => unknown {
  const nullable = Object.keys(shape).filter((name) => shape[name]?._zod.optin === 'optional')
  return (value) => {
    if (!isFields(value) || !nullable.some((name) => value[name] === null)) return value
    return Object.fromEntries(Object.entries(value).filter(([name, it]) => it !== null || !nullable.includes(name)))
  }
}

/** Reads an {@link object} of this type. */
export function typed<const Type extends string, Shape extends FieldSchemas>(
  type: Type,
  shape: Shape,
): z.ZodType<z.output<z.ZodObject<{ type: z.ZodType<Type> } & Shape>>> {
  return object({ type: oneOf(type), ...shape })
}

/**
 * Reads an object by the schema that its `type` selects, with or without the prefix that Open Responses requires of
 * unknown types. zod's discriminated union accepts no schemas that transform, and does not list the types.
 *
 * @param isKnownElsewhere - whether a type that is wrong here is right in another place: it is refused in any case
 */
export function byType<Value>(
  schemas: { readonly [type: string]: z.ZodType<Value> },
  isKnownElsewhere: (type: string) => boolean = () => false,
): z.ZodType<Value> {
  const types = Object.keys(schemas)
  return z.unknown().transform((value, context): Value => {
    if (!isFields(value)) {
      context.issues.push({ code: 'invalid_type', expected: 'object', input: value, message: 'an object' })
      return z.NEVER
    }
    const typeName = Object.hasOwn(value, 'type') ? value['type'] : undefined
    const type = typeof typeName === 'string' ? typeName.replace(/^openai:/, '') : ''
    const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined
    if (schema === undefined) {
      const isUnknown = typeof typeName === 'string' && !isKnownElsewhere(type)
      context.issues.push({ code: 'invalid_value', values: types, input: typeName, path: ['type'], isUnknown })
      return z.NEVER
    }
    const result = schema.safeParse(type === typeName ? value : { ...value, type })
    return result.success ? result.data : passOn(result.error, context)
  })
}

/** Reports the issues of a nested schema as issues of its container. */
function passOn({ issues }: z.ZodError, context: z.core.$RefinementCtx, ...path: readonly PropertyKey[]): never {
  for (const issue of issues) context.issues.push({ ...issue, input: undefined, path: [...path, ...issue.path] })
  return z.NEVER
}

/** Whether a value was refused because {@link byType} does not know its type. */
function hasUnknownType({ issues }: z.ZodError): boolean {
  const [issue] = issues as readonly (z.core.$ZodIssue & { readonly isUnknown?: boolean })[]
  return issue?.isUnknown === true && issue.path.length === 1
}
