import { type Fields, isFields } from '../../../shared/fields.js'
import type { Slices } from '../../../shared/slices.js'
import { comment, descriptionComment, examplesComment, factsOf, titleComment, trailingComment } from './comments.js'
import { listOf, ownValue, stringOf } from './keywords.js'
import { inline, propertyName } from './one-line.js'
import { isFull, spend } from './room.js'
import { viewOf } from './schema-view.js'
import { label, pauseWhereDue, type SchemaView, type Scope, within } from './scope.js'
import { inlineUnion, nullable, unionOf, variantLines, variantsOf } from './union-type.js'

/** Writes an object type, over many lines, after its description. */
export function* objectType(view: SchemaView, indent: string, scope: Scope): Slices<string> {
  const { get } = view
  const properties = recordOf(get('properties'))
  const names = Object.keys(properties)
  const required = yield* setOf(listOf(get, 'required'), scope)
  // Counting them takes time, too.
  spend(scope.room, names.length + required.size + 2 * indent.length)
  const lines = [descriptionComment(view, indent, scope), '{\n']
  for (const [index, name] of names.entries()) {
    if (!hasRoomFor(name, indent, scope)) {
      lines.push(`${indent}// ... ${names.length - index} more properties are left out\n`)
      break
    }
    lines.push(yield* propertyText(name, ownValue(properties, name), required.has(name), indent, scope))
    yield* pauseWhereDue(scope)
  }
  // Beside a type, the official renderer writes nothing for a required property without a schema.
  if (get('type') === undefined) lines.push(yield* undescribed(required, properties, indent, scope))
  lines.push(yield* indexText(get('additionalProperties'), [], indent, scope))
  const patterns = Object.entries(recordOf(get('patternProperties')))
  for (const [index, [pattern, schema]] of patterns.entries()) {
    if (isFull(scope.room)) {
      lines.push(`${indent}// ... ${patterns.length - index} more patterns are left out\n`)
      break
    }
    lines.push(yield* indexText(schema, [`names like "${inline(pattern)}"`], indent, scope))
    yield* pauseWhereDue(scope)
  }
  lines.push(`${indent}}`)
  return lines.join('')
}

/** The work of taking a name into a set, in characters read. */
const OF_NAME = 4

/** In slices: a client may require a hundred thousand names. */
function* setOf(names: readonly unknown[], scope: Scope): Slices<ReadonlySet<unknown>> {
  const all = new Set<unknown>()
  for (const name of names) {
    all.add(name)
    scope.work.left -= OF_NAME
    if (scope.work.left <= 0) yield* scope.work.pause()
  }
  return all
}

function recordOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** Reserves the room of a property's line. */
function hasRoomFor(name: string, indent: string, { room }: Scope): boolean {
  spend(room, propertyName(name).length + indent.length + 8)
  return !isFull(room)
}

function* propertyText(
  name: string,
  schema: unknown,
  isRequired: boolean,
  indent: string,
  scope: Scope,
): Slices<string> {
  const view = viewOf(schema, scope)
  const key = `${indent}${propertyName(name)}${isRequired ? '' : '?'}`
  const facts = factsOf(view, scope)
  const union = view.isOptional ? undefined : unionOf(view)
  const head = titleComment(view, indent, scope)
  if (union === undefined) {
    const comments = head + descriptionComment(view, indent, scope) + examplesComment(view, indent, scope)
    const type = nullable(view, yield* scope.type(view, `${indent}    `))
    return `${comments}${key}: ${type},${trailingComment(facts, indent, scope)}\n`
  }

  // For a `oneOf`, the official renderer writes the description after the examples, unless it equals that of the first
  // variant, and then omits the first variant's. `anyOf`, which it does not know, keeps all.
  const isOneOf = union.keyword === 'oneOf'
  const description = stringOf(view.get, 'description')
  const first = viewOf(union.parts.types[0], scope)
  const isAbove = description !== undefined && (!isOneOf || description !== stringOf(first.get, 'description'))
  const above = isAbove ? comment(description, indent, scope) : ''
  const examples = examplesComment(view, indent, scope)
  const comments = head + (isOneOf ? examples + above : above + examples)
  const name_ = label(view, indent, scope)
  const property = { description, hidesFirst: isOneOf && isAbove }
  const variants = yield* within(view, scope, () => variantsOf(union.parts, indent, scope, property))
  const short = isOneOf ? undefined : inlineUnion(variants)
  if (short !== undefined)
    return `${comments}${key}: ${nullable(view, short)},${trailingComment(facts, indent, scope)}\n`
  const line = facts.map((fact) => comment(fact, indent, scope)).join('')
  return `${comments}${line}${name_}${key}:\n${variantLines(variants, indent)}\n${indent},\n`
}

/** Returns the required properties without a schema. */
function* undescribed(
  required: ReadonlySet<unknown>,
  properties: Fields,
  indent: string,
  scope: Scope,
): Slices<string> {
  const lines: string[] = []
  for (const name of required) {
    if (typeof name !== 'string' || Object.hasOwn(properties, name)) continue
    if (!hasRoomFor(name, indent, scope)) break
    lines.push(`${indent}${propertyName(name)}: any,\n`)
    yield* pauseWhereDue(scope)
  }
  return lines.join('')
}

/** Writes the type of additional properties. Nothing for `false`, which allows none. */
function* indexText(schema: unknown, about: readonly string[], indent: string, scope: Scope): Slices<string> {
  if (schema !== true && !isFields(schema)) return ''
  spend(scope.room, indent.length + 18)
  const view = viewOf(schema, scope)
  const description = stringOf(view.get, 'description')
  const facts = [...(description === undefined ? about : [...about, description]), ...factsOf(view, scope)]
  const type = nullable(view, yield* scope.type(view, `${indent}    `))
  const comments = facts.length === 0 ? [] : [facts.join(', ')]
  return `${indent}[key: string]: ${type},${trailingComment(comments, indent, scope)}
`
}
