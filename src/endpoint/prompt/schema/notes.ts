import { isFields } from '../../../shared/fields.js'
import { jsonText } from './json-text.js'
import { combined } from './keywords.js'
import { inline } from './one-line.js'
import { fitting, isFull, MAX_LEVELS, spend } from './room.js'
import { viewOf } from './schema-view.js'
import { enter, leave, type SchemaView, type Scope } from './scope.js'

/** Constraints beyond the type, in the order in which they are written. */
const CONSTRAINTS = [
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'contentEncoding',
  'contentMediaType',
  'not',
  'if',
  'then',
  'else',
  'deprecated',
] as const

/** Longer values are cut. */
const MAX_VALUE = 300

/**
 * Returns the constraints that the type of a schema cannot express, for a comment: `minimum: 1`, `format: "uri"`, `each
 * item: maxLength: 80`.
 */
export function notesOf(view: SchemaView, scope: Scope): string[] {
  if (view.typeName !== undefined || scope.level >= MAX_LEVELS || isFull(scope.room)) return []
  spend(scope.room, 4)
  enter(view, scope)
  const notes = [...ownNotes(view), ...innerNotes(view, scope)]
  leave(view, scope)
  return notes.map((note) => fitting(note, scope.room))
}

function ownNotes(view: SchemaView): string[] {
  const notes: string[] = []
  for (const keyword of CONSTRAINTS) {
    const value = view.get(keyword)
    if (value !== undefined && !saysNothing(value)) notes.push(`${keyword}: ${valueText(value)}`)
  }
  if (view.unresolved !== undefined) notes.push(`$ref: ${valueText(view.unresolved)}`)
  for (const keyword of ['oneOf', 'anyOf', 'allOf'] as const) {
    const rest = combined(view, keyword).comments
    if (rest.length > 0) notes.push(`${keyword}: ${valueText(rest)}`)
  }
  return notes
}

/**
 * Returns the notes of items, and of the parts of an intersection, which have no line of their own. Stops there:
 * definitions that combine each other have exponentially many paths.
 */
function innerNotes(view: SchemaView, scope: Scope): string[] {
  const items = view.get('items')
  const each = isFields(items) ? notesOf(viewOf(items, scope), scope).map((note) => `each item: ${note}`) : []
  return [...each, ...combined(view, 'allOf').types.flatMap((part) => ownNotes(viewOf(part, scope)))]
}

/** Whether a constraint is void: schema generators add these to every integer, or to any unconstrained type. */
function saysNothing(value: unknown): boolean {
  return value === false || (typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER)
}

/** Writes strings unescaped between quotes, so that a pattern keeps its single backslashes. */
function valueText(value: unknown): string {
  if (typeof value !== 'string') return jsonText(value, MAX_VALUE)
  return value.length > MAX_VALUE ? `"${inline(value.slice(0, MAX_VALUE))}" ... (cut)` : `"${inline(value)}"`
}
