import { check, HarmonyResponsesError } from '../../errors.js'
import type { StandardSchema, StandardSchemaWithJson } from '../standard-schema.js'

/**
 * The JSON Schema that the model is told of: the one that is given, or else the one that the schema gives of itself.
 *
 * @param name - of the function, for messages
 * @throws HarmonyResponsesError `bad_option` if there is neither
 */
export function schemaOf(
  name: string,
  parameters: Readonly<Record<string, unknown>> | undefined,
  input: StandardSchema | undefined,
): Readonly<Record<string, unknown>> {
  const standard = input?.['~standard']
  const isSchema = input === undefined || typeof standard?.validate === 'function'
  check(isSchema, `${name}.input`, 'a Standard Schema', input)
  if (parameters !== undefined || standard === undefined || !('jsonSchema' in standard)) {
    const isObject = typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters)
    const why = input === undefined ? '' : ', as input cannot say what it accepts'
    check(isObject, `${name}.parameters`, `a JSON Schema${why}`, parameters)
    return parameters
  }
  try {
    const { jsonSchema } = standard as StandardSchemaWithJson['~standard']
    return jsonSchema.input({ target: 'draft-2020-12' })
  } catch (cause) {
    const message = `${name}.input: expected a schema that JSON Schema can say; give parameters beside it`
    throw new HarmonyResponsesError('bad_option', message, { cause })
  }
}
