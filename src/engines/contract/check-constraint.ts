import { check, HarmonyResponsesError } from '../../shared/errors.js'
import { isFields } from '../../shared/fields.js'
import { atOnce } from '../../shared/slices.js'
import { type Constraint, constraintKind, type EngineCapabilities } from './constraint.js'

/**
 * Checks the shape of a constraint.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkConstraint(constraint: unknown): asserts constraint is Constraint | undefined {
  if (constraint === undefined) return
  const expected = 'an object with jsonSchema, regex, or grammar and syntax'
  check(typeof constraint === 'object' && constraint !== null, 'constraint', expected, constraint)
  const { jsonSchema, regex, grammar, syntax, isJson = false } = constraint as Readonly<Record<string, unknown>>
  const given = [jsonSchema, regex, grammar].filter((part) => part !== undefined)
  check(given.length === 1, 'constraint', expected, constraint)
  if (jsonSchema !== undefined) {
    const isSchema = isFields(jsonSchema)
    check(isSchema, 'constraint.jsonSchema', 'a JSON Schema', jsonSchema)
  } else if (regex !== undefined) check(typeof regex === 'string', 'constraint.regex', 'a string', regex)
  else {
    check(typeof grammar === 'string', 'constraint.grammar', 'a string', grammar)
    check(syntax === 'lark' || syntax === 'gbnf', 'constraint.syntax', 'lark or gbnf', syntax)
    check(typeof isJson === 'boolean', 'constraint.isJson', 'a boolean', isJson)
  }
}

/**
 * Checks that an engine can enforce a constraint, at least in part. Every engine calls this before the call begins:
 * an answer that ignores its constraint would look like one that satisfies it.
 *
 * @param engine - its name, for the message
 * @returns the part that it enforces
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkEnforces<Given extends Constraint | undefined>(
  engine: string,
  capabilities: EngineCapabilities,
  constraint: Given,
): Constraint | Extract<Given, undefined> {
  if (constraint === undefined) return constraint as Extract<Given, undefined>
  const { constraints = [] } = capabilities
  const kind = constraintKind(constraint)
  const others = constraints.length === 0 ? `${engine} cannot constrain` : `${engine} supports nothing else`
  check(constraints.includes(kind), 'constraint', `${constraints.join(', ') || 'none'} (${others})`, kind)
  const fitted = capabilities.fit && atOnce(capabilities.fit(constraint))
  if (fitted === undefined) return constraint
  if (fitted.constraint !== undefined) return fitted.constraint
  const { path, message } = fitted.relaxed[0] ?? { path: '', message: 'it' }
  throw new HarmonyResponsesError(
    'bad_option',
    `constraint: ${engine} cannot enforce ${path === '' ? '' : `${path}: `}${message}`,
  )
}

/**
 * Copies a constraint, because the call begins later and the caller may change the original.
 *
 * @throws HarmonyResponsesError `bad_option` for a schema that JSON cannot express
 */
export function copyConstraint(constraint: Constraint): Constraint {
  if (!('jsonSchema' in constraint)) return { ...constraint }
  try {
    return { jsonSchema: JSON.parse(JSON.stringify(constraint.jsonSchema)) }
  } catch (cause) {
    const message = 'constraint.jsonSchema: expected a JSON Schema, got one that JSON cannot express'
    throw new HarmonyResponsesError('bad_option', message, { cause })
  }
}
