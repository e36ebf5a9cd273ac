import { check, HarmonyResponsesError } from '../../errors.js'
import { checkSchema } from '../../grammar/schema/check-schema.js'
import { InvalidSchema } from '../../grammar/unsupported-schema.js'
import { atOnce } from '../../slices.js'
import { plainCopy } from '../../translate/plain-copy.js'
import type { StandardSchema, StandardSchemaWithJson } from '../standard-schema.js'

type JsonSchema = Readonly<Record<string, unknown>>

/**
 * The JSON Schema that the model is told of: the one that is given, or else the one that the schema gives of itself.
 *
 * @param name - of the function, for messages
 * @param parameters - a JSON Schema, or a Standard Schema that can say itself as one
 * @throws HarmonyResponsesError `bad_option` if there is neither, or if it is no JSON Schema
 */
export function schemaOf(name: string, parameters: unknown, input: StandardSchema | undefined): JsonSchema {
  const standard = input?.['~standard']
  const isSchema = input === undefined || typeof standard?.validate === 'function'
  check(isSchema, `${name}.input`, 'a Standard Schema', input)
  if (isStandard(parameters)) return checked(`${name}.parameters`, sayingItself(`${name}.parameters`, parameters))
  if (parameters === undefined && input !== undefined && 'jsonSchema' in input['~standard'])
    return checked(`${name}.input`, sayingItself(`${name}.input`, input))
  const isObject = typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters)
  const why = input === undefined ? '' : ', as input cannot say what it accepts'
  check(isObject, `${name}.parameters`, `a JSON Schema${why}`, parameters)
  return checked(`${name}.parameters`, parameters as JsonSchema)
}

/** Zod's schemas have fields of their own, which the model would be taught in the place of a JSON Schema. */
function isStandard(value: unknown): value is StandardSchema {
  return typeof Object(value)['~standard']?.validate === 'function'
}

function sayingItself(what: string, schema: StandardSchema): unknown {
  const { jsonSchema } = schema['~standard'] as Partial<StandardSchemaWithJson['~standard']>
  try {
    if (jsonSchema !== undefined) return jsonSchema.input({ target: 'draft-2020-12' })
  } catch (cause) {
    const message = `${what}: expected a schema that JSON Schema can say; give parameters beside it`
    throw new HarmonyResponsesError('bad_option', message, { cause })
  }
  const vendor = String(schema['~standard'].vendor).slice(0, 40)
  const message = `${what}: expected a JSON Schema, got a schema of ${vendor} that cannot say itself as one`
  throw new HarmonyResponsesError('bad_option', `${message}: give it as input, and a JSON Schema as parameters`)
}

/** A copy: the model is taught what was there when the function was declared. */
function checked(what: string, schema: unknown): JsonSchema {
  const copy = plainCopy(what, schema)
  try {
    atOnce(checkSchema(copy))
  } catch (error) {
    if (!(error instanceof InvalidSchema)) throw error
    throw new HarmonyResponsesError('bad_option', `${what}${error.path}: ${error.message}`, { cause: error })
  }
  return copy as JsonSchema
}
