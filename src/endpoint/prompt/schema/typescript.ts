import { isFields } from '../../../shared/fields.js'
import { atOnce, createWork, type Slices, type Work } from '../../../shared/slices.js'
import { literalType } from './json-text.js'
import { combined, hasShape, listOf } from './keywords.js'
import { notesOf } from './notes.js'
import { objectType } from './object-type.js'
import { isFull, LEFT_OUT, MAX_LEVELS, SCHEMA_ROOM, spend } from './room.js'
import { viewOf } from './schema-view.js'
import { label, pauseWhereDue, type SchemaView, type Scope, within } from './scope.js'
import { createTypeNames, type TypeNames } from './type-names.js'
import { unionOf, unionType } from './union-type.js'

/**
 * Renders a JSON Schema as a TypeScript type: like the official renderer for the keywords that it knows, and readably
 * for the others. docs/prompt.md lists the differences.
 *
 * Never throws, for any value. Takes time linear in the schema; the text is cut at some 200,000 characters, 40 levels
 * and 4,096 parts of a combination, with a comment where something is missing. No text of the schema ends a comment, a string or the type.
 */
export function typescriptOf(schema: unknown): string {
  return atOnce(typescriptInSlices(schema, createWork()))
}

/** Does the same in slices: a pause may follow each property, variant, part and value. */
export function* typescriptInSlices(schema: unknown, work: Work): Slices<string> {
  const names = createTypeNames()
  const text = yield* render(schema, names, false, work)
  // Which definitions are referred to by name is known only at the end, so a second pass labels them.
  return names.size === 0 ? text : yield* render(schema, names, true, work)
}

function* render(document: unknown, names: TypeNames, isLabelled: boolean, work: Work): Slices<string> {
  const root = isFields(document) ? [document] : []
  const scope: Scope = {
    document,
    room: { left: SCHEMA_ROOM },
    work,
    counted: SCHEMA_ROOM,
    path: [...root],
    uses: new Map(),
    sizes: new Map(),
    names,
    isLabelled,
    level: 0,
    type: (view, indent) => typeOf(view, indent, scope),
  }
  const view = viewOf(document, scope)
  const notes = notesOf(view, scope)
  const comments = notes.length === 0 ? '' : `// ${notes.join(', ')}\n`
  const type = yield* typeOf(view, '', scope)
  return label({ targets: view.typeName === undefined ? root : [] }, '', scope) + comments + type
}

function* typeOf(view: SchemaView, indent: string, scope: Scope): Slices<string> {
  const type = yield* valueType(view, indent, scope)
  return view.isOptional && !/(^|\| )null$/.test(type) ? `${type} | null` : type
}

function* valueType(view: SchemaView, indent: string, scope: Scope): Slices<string> {
  spend(scope.room, 8)
  if (view.typeName !== undefined) {
    spend(scope.room, view.typeName.length)
    return view.typeName
  }
  if (view.schema === false) return 'never'
  if (!isFields(view.schema)) return 'any'
  if (scope.level >= MAX_LEVELS || isFull(scope.room)) {
    spend(scope.room, LEFT_OUT.length)
    return LEFT_OUT
  }
  // It ends the line on which the type begins.
  const name = label(view, '', scope)
  return name + (yield* within(view, scope, () => combinedType(view, indent, scope)))
}

/** Renders the type with its `oneOf`, `anyOf` and `allOf`. */
function* combinedType(view: SchemaView, indent: string, scope: Scope): Slices<string> {
  const union = unionOf(view)
  if (union !== undefined) return yield* unionType(union.parts, union.keyword === 'anyOf', indent, scope)
  const { types: parts, leftOut } = combined(view, 'allOf')
  const unions = UNIONS.map((keyword) => combined(view, keyword)).filter(({ types }) => types.length > 0)
  const isCombined = parts.length + unions.length > 0
  if (!isCombined) return yield* shapeType(view, indent, scope)
  const types = hasShape(view.get) ? [yield* shapeType(view, indent, scope)] : []
  for (const part of parts) {
    if (isFull(scope.room)) break
    const inner = viewOf(part, scope)
    types.push(operand(inner, yield* scope.type(inner, indent)))
    yield* pauseWhereDue(scope)
  }
  if (leftOut > 0) types.push(LEFT_OUT)
  for (const union of unions) types.push(`(${yield* unionType(union, true, indent, scope)})`)
  return types.join(' & ') || LEFT_OUT
}

const UNIONS = ['oneOf', 'anyOf'] as const
const COMBINATIONS = [...UNIONS, 'allOf'] as const

/** Renders the type that `const`, `enum` or `type` define, or that the other keywords imply. */
function* shapeType(view: SchemaView, indent: string, scope: Scope): Slices<string> {
  const { get } = view
  const type = get('type')
  const constant = get('const')
  if (constant !== undefined) return literal(constant, scope)
  const values = listOf(get, 'enum')
  if (values.length > 0) return yield* literals(values, scope)
  if (typeof type === 'string') return yield* namedType(type, view, indent, scope)
  const types = listOf(get, 'type').filter((one) => typeof one === 'string')
  if (types.length > 0) {
    const named: string[] = []
    for (const one of types.slice(0, MAX_TYPES)) named.push(yield* namedType(one, view, indent, scope))
    return named.join(' | ')
  }
  if (OBJECT.some((keyword) => get(keyword) !== undefined)) return yield* objectType(view, indent, scope)
  return ARRAY.some((keyword) => get(keyword) !== undefined) ? yield* arrayType(view, indent, scope) : 'any'
}

/** The number of JSON's types. */
const MAX_TYPES = 7
const OBJECT = ['properties', 'required', 'additionalProperties', 'patternProperties']
const ARRAY = ['items', 'prefixItems']

function* namedType(type: string, view: SchemaView, indent: string, scope: Scope): Slices<string> {
  switch (type) {
    case 'object':
      return yield* objectType(view, indent, scope)
    case 'array':
      return yield* arrayType(view, indent, scope)
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type
    default:
      return 'any'
  }
}

function* arrayType(view: SchemaView, indent: string, scope: Scope): Slices<string> {
  const { get } = view
  const items = get('items')
  // Before 2020, `items` held the list of a tuple's types, and `additionalItems` the type of the rest.
  const isOld = Array.isArray(items) && items.length > 0
  const tuple = isOld ? items : listOf(get, 'prefixItems')
  if (tuple.length > 0) return yield* tupleType(tuple, isOld ? get('additionalItems') : items, indent, scope)
  return items === undefined ? 'Array<any>' : `${yield* itemType(items, indent, scope, isMixed(view))}[]`
}

/** Writes `[A, B, ...C[]]`. */
function* tupleType(tuple: readonly unknown[], rest: unknown, indent: string, scope: Scope): Slices<string> {
  const types: string[] = []
  for (const item of tuple) {
    spend(scope.room, 2)
    if (isFull(scope.room)) break
    types.push(yield* scope.type(viewOf(item, scope), indent))
    yield* pauseWhereDue(scope)
  }
  if (isFull(scope.room)) types.push(`...${LEFT_OUT}[]`)
  else if (rest !== false) types.push(`...${rest === undefined ? 'any' : yield* itemType(rest, indent, scope)}[]`)
  return `[${types.join(', ')}]`
}

/** Whether an array is one of several types, in a form that the official renderer does not have. */
function isMixed({ get, isOptional }: SchemaView): boolean {
  return isOptional || listOf(get, 'type').length > 1
}

/** @param isBeside - whether another type follows the array: a union of items would read as one of arrays */
function* itemType(items: unknown, indent: string, scope: Scope, isBeside = false): Slices<string> {
  const view = viewOf(items, scope)
  const type = yield* scope.type(view, indent)
  // Brackets on a line of their own do not belong to the type above.
  if (type.endsWith(`\n${indent}`)) return `(${type})`
  return isBeside && isUnion(view) ? `(${type})` : grouped(view, type)
}

/**
 * Adds parentheses before an operator, except to the unions that the official renderer knows: it writes an array of
 * `'a' | 'b'` without them, and models have learnt to read it.
 */
function grouped(view: SchemaView, type: string): string {
  return isJoined(view) ? `(${type})` : type
}

/** Adds parentheses unless it is one word or one object. */
function operand({ get, isOptional }: SchemaView, type: string): string {
  const isObject = type.endsWith('}') && !isOptional && !COMBINATIONS.some((keyword) => listOf(get, keyword).length > 0)
  return isObject || !/[\n|&]/.test(type) ? type : `(${type})`
}

function isJoined(view: SchemaView): boolean {
  const { get } = view
  if (view.isOptional) return true
  if (view.typeName !== undefined) return false
  if (listOf(get, 'anyOf').length > 0 || listOf(get, 'allOf').length > 0) return true
  if (listOf(get, 'oneOf').length > 0) return hasShape(get)
  const type = get('type')
  const values = listOf(get, 'enum')
  if (values.length > 0) return type !== 'string' || values.some((value) => typeof value !== 'string')
  return Array.isArray(type) && type.some((one) => one === 'object' || one === 'array')
}

/** Whether the type has a bar of its own, including one that the official renderer writes without parentheses. */
function isUnion(view: SchemaView): boolean {
  if (isJoined(view)) return true
  if (view.typeName !== undefined) return false
  return ['oneOf', 'enum', 'type'].some((keyword) => listOf(view.get, keyword).length > 1)
}

function* literals(values: readonly unknown[], scope: Scope): Slices<string> {
  const types: string[] = []
  for (const [index, value] of values.entries()) {
    if (isFull(scope.room)) {
      types.push(`any /* ${values.length - index} more values are left out */`)
      break
    }
    types.push(literal(value, scope))
    yield* pauseWhereDue(scope)
  }
  return types.join(' | ')
}

function literal(value: unknown, { room }: Scope): string {
  const type = literalType(value, Math.max(0, Math.min(room.left, MAX_LITERAL))) ?? LEFT_OUT
  spend(room, type.length + 3)
  return type
}

/** Longer values are not names of anything. */
const MAX_LITERAL = 10_000
