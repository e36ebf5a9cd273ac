import { isFields } from '../../../shared/fields.js'
import type { StandardIssue, StandardSchema } from '../standard-schema.js'

/** Arguments, or a description of the problems for the model. */
export type ReadArguments = { readonly args: unknown } | { readonly problem: string }

/** The maximum number of problems that are listed, enough for the model to see what to correct. */
const MAX_ISSUES = 10

/**
 * Parses the model's arguments. An empty text is an empty object: models call functions without parameters that way.
 *
 * @throws the error of the schema
 */
export async function readArguments(text: string, schema: StandardSchema | undefined): Promise<ReadArguments> {
  let args: unknown
  try {
    args = text.trim() === '' ? {} : JSON.parse(text)
  } catch (error) {
    return { problem: `The arguments are not valid JSON: ${(error as Error).message}` }
  }
  if (schema === undefined) {
    const isObject = isFields(args)
    return isObject ? { args } : { problem: 'The arguments are not a JSON object.' }
  }
  const result = await schema['~standard'].validate(args)
  if (result.issues === undefined) return { args: result.value }
  return { problem: `The arguments are invalid:\n${result.issues.slice(0, MAX_ISSUES).map(inWords).join('\n')}` }
}

/** Formats an issue: `days[0].name: expected a string`. */
function inWords({ message, path = [] }: StandardIssue): string {
  const steps = path.map((step) => (typeof step === 'object' ? step.key : step))
  const place = steps.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return place === '' ? message : `${place.replace(/^\./, '')}: ${message}`
}
