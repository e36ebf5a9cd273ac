import type * as z from 'zod'
import { isFields } from '../../../shared/fields.js'

/** Whether a value is valid, where that is certain. */
type Test = (value: unknown) => boolean

/**
 * Whether a value is certainly valid by a schema. If this is false, only the schema can decide. Almost every event is
 * valid, and zod, which copies the value, takes several times as long.
 */
export function surelyFits(schema: z.core.$ZodType, value: unknown): boolean {
  return known(schema)(value)
}

/** By schema. Each is read when it is first needed, as most of them never are. */
const TESTS = new WeakMap<z.core.$ZodType, Test>()

function known(schema: z.core.$ZodType): Test {
  let test = TESTS.get(schema)
  if (test === undefined) {
    // The cast: all kinds of schemas as one union. A kind that is not in it has no case below, and is left to zod.
    test = testOf(schema as z.core.$ZodTypes)
    TESTS.set(schema, test)
  }
  return test
}

/** The test of a schema in another one. */
function inner(schema: z.core.$ZodType): Test {
  let test: Test = (value) => {
    test = known(schema)
    return test(value)
  }
  return (value) => test(value)
}

function testOf(schema: z.core.$ZodTypes): Test {
  const { def } = schema._zod
  if (def.type === 'number') return numberTest(def)
  if ((def.checks ?? []).length > 0) return isLeftToZod
  switch (def.type) {
    case 'string':
      // A format, such as an email address, is a check of its own.
      return 'check' in def || def.coerce ? isLeftToZod : isString
    case 'boolean':
      return def.coerce ? isLeftToZod : isBoolean
    case 'null':
      return isNull
    case 'unknown':
    case 'any':
      return isAnything
    case 'custom':
      return (value) => def.fn(value) === true
    case 'literal':
      return among(def.values)
    case 'enum':
      return among(Object.values(def.entries))
    case 'nullable': {
      const test = inner(def.innerType)
      return (value) => value === null || test(value)
    }
    case 'optional':
      // The test of the object handles a missing field. An undefined one is left to zod.
      return inner(def.innerType)
    case 'array': {
      const test = inner(def.element)
      return (value) => Array.isArray(value) && value.every((one) => test(one))
    }
    case 'record':
      return recordTest(inner(def.keyType), inner(def.valueType))
    case 'union':
      if ('discriminator' in def) return variantTest(def.options, String(def.discriminator))
      // An exclusive one takes what exactly one option takes.
      return def.inclusive === false ? isLeftToZod : anyOf(def.options.map((option) => inner(option)))
    case 'intersection': {
      const [left, right] = [inner(def.left), inner(def.right)]
      return (value) => left(value) && right(value)
    }
    case 'object':
      return objectTest(def)
    case 'lazy':
      return inner(def.getter())
    default:
      return isLeftToZod
  }
}

const isLeftToZod: Test = () => false
const isAnything: Test = () => true
const isString: Test = (value) => typeof value === 'string'
const isBoolean: Test = (value) => typeof value === 'boolean'
const isNull: Test = (value) => value === null

function among(values: readonly unknown[]): Test {
  const [only] = values
  if (values.length === 1) return (value) => value === only
  const all = new Set(values)
  return (value) => all.has(value)
}

/** Any number, a whole one, or a whole one from 0. Other checks are left to zod. */
function numberTest(def: z.core.$ZodNumberDef | z.core.$ZodNumberFormatDef): Test {
  const isWhole = 'format' in def && def.format === 'safeint'
  if (def.coerce || ('format' in def && !isWhole)) return isLeftToZod
  const [check, ...others] = (def.checks ?? []).map((check) => check._zod.def)
  if (check === undefined) return isWhole ? (value) => Number.isSafeInteger(value) : (value) => Number.isFinite(value)
  // The cast: the definition of a check does not say which check it is the definition of.
  const { check: kind, value: min, inclusive } = check as z.core.$ZodCheckGreaterThanDef
  if (others.length > 0 || kind !== 'greater_than' || min !== 0 || !inclusive || !isWhole) return isLeftToZod
  return (value) => Number.isSafeInteger(value) && (value as number) >= 0
}

function anyOf(tests: readonly Test[]): Test {
  return (value) => tests.some((test) => test(value))
}

/** One of several objects, which a field tells apart. */
function variantTest(options: readonly z.core.$ZodType[], name: string): Test {
  const tests = new Map<unknown, Test>()
  for (const option of options)
    for (const value of option._zod.propValues?.[name] ?? []) tests.set(value, inner(option))
  return (value) => isFields(value) && (tests.get(value[name])?.(value) ?? false)
}

function recordTest(key: Test, one: Test): Test {
  return (value) => {
    // zod takes plain objects only, and skips `__proto__`.
    if (!isFields(value) || Object.getPrototypeOf(value) !== Object.prototype) return false
    for (const name in value) if (name === '__proto__' || !key(name) || !one(value[name])) return false
    return true
  }
}

function objectTest({ shape, catchall }: z.core.$ZodObjectDef): Test {
  const rest = catchall?._zod.def.type
  const isStrict = rest === 'never'
  if (rest !== undefined && !isStrict && rest !== 'unknown') return isLeftToZod
  const fields = new Map<string, { readonly test: Test; readonly isRequired: boolean }>()
  let required = 0
  for (const [name, field] of Object.entries(shape)) {
    const isRequired = field._zod.optin === undefined || field._zod.optout === undefined
    if (isRequired) required++
    fields.set(name, { test: inner(field), isRequired })
  }
  return (value) => {
    if (!isFields(value)) return false
    let found = 0
    for (const name in value) {
      const field = fields.get(name)
      if (field === undefined) {
        if (isStrict) return false
      } else if (!field.test(value[name])) return false
      else if (field.isRequired) found++
    }
    return found === required
  }
}
