import { checkSchema } from '../../../engines/grammar/schema/check-schema.js'
import { InvalidSchema } from '../../../engines/grammar/unsupported-schema.js'
import { check, HarmonyResponsesError } from '../../../shared/errors.js'
import { isFields } from '../../../shared/fields.js'
import { plainCopy } from '../../../shared/plain-copy.js'
import { atOnce } from '../../../shared/slices.js'
import type { StandardSchema, StandardSchemaWithJson } from '../standard-schema.js'

type JsonSchema = Readonly<Record<string, unknown>>

/**
 * Returns the JSON Schema that the model is taught: the one that is passed, or else the one that the schema converts
 * to.
 *
 * @param name - of the function, for messages
 * @param parameters - a JSON Schema, or a Standard Schema that converts to one
 * @throws HarmonyResponsesError `bad_option` if there is neither, or if it is not a JSON Schema
 */
export function schemaOf(name: string, parameters: unknown, input: StandardSchema | undefined): JsonSchema {
  const standard = input?.['~standard']
  const isSchema = input === undefined || typeof standard?.validate === 'function'
  check(isSchema, `${name}.input`, 'a Standard Schema', input)
  if (isStandard(parameters)) return checked(`${name}.parameters`, sayingItself(`${name}.parameters`, parameters))
  if (parameters === undefined && input !== undefined && 'jsonSchema' in input['~standard'])
    return checked(`${name}.input`, sayingItself(`${name}.input`, input))
  const isObject = isFields(parameters)
  const why = input === undefined ? '' : ', as input cannot describe what it accepts'
  check(isObject, `${name}.parameters`, `a JSON Schema${why}`, parameters)
  return checked(`${name}.parameters`, parameters as JsonSchema)
}

/**
 * Whether it is a Standard Schema. Zod's has fields of its own, which the model would be taught in place of a JSON
 * Schema.
 */
function isStandard(value: unknown): value is StandardSchema {
  return typeof Object(value)['~standard']?.validate === 'function'
}

function sayingItself(what: string, schema: StandardSchema): unknown {
  const { jsonSchema } = schema['~standard'] as Partial<StandardSchemaWithJson['~standard']>
  try {
    if (jsonSchema !== undefined) return jsonSchema.input({ target: 'draft-2020-12' })
  } catch (cause) {
    const message = `${what}: expected a schema that JSON Schema can express; give parameters beside it`
    throw new HarmonyResponsesError('bad_option', message, { cause })
  }
  const vendor = String(schema['~standard'].vendor).slice(0, 40)
  const message = `${what}: expected a JSON Schema, got a schema of ${vendor} that does not convert to one`
  throw new HarmonyResponsesError('bad_option', `${message}: give it as input, and a JSON Schema as parameters`)
}

/** Returns a copy, so that the model is taught the schema as declared. */
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
