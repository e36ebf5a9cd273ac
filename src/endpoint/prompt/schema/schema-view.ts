import { type Fields, isFields } from '../../../shared/fields.js'
import { hasShape, listOf, ownValue, stringOf } from './keywords.js'
import { isFull, LEFT_OUT } from './room.js'
import type { SchemaView, Scope } from './scope.js'

/**
 * Longer definitions are written out once and referred to by name after that, lest the text be many times the schema.
 * In characters.
 */
const MAX_REPEATED = 100
/** How often a shorter definition is written out. Keeps the text linear in the schema, whatever the references. */
const MAX_USES = 10

/** The maximum number of `$ref`s and wrappers followed in a row, and the maximum length of their pointers. */
const MAX_CHAIN = 20
const MAX_POINTER = 1000

/**
 * Follows the schema's `$ref`, as long as it points into the document and the definition may be written out here. Also
 * reads two spellings of schema writers: `anyOf` of a type and null is that type, and optional; `allOf` of one is that.
 */
export function viewOf(schema: unknown, scope: Scope): SchemaView {
  const layers: Fields[] = []
  const targets: object[] = []
  let typeName: string | undefined
  let unresolved: string | undefined
  let isOptional = false
  let next = schema
  while (isFields(next) && !isFull(scope.room)) {
    if (layers.length >= MAX_CHAIN) {
      typeName = LEFT_OUT
      break
    }
    const wrapped = soleType(next)
    if (wrapped !== undefined) {
      const { [wrapped.keyword]: _, ...own } = next
      layers.push(own)
      if (wrapped.keyword === 'anyOf') isOptional = true
      next = wrapped.type
      continue
    }
    layers.push(next)
    const target = targetOf(next, scope.document)
    if (!isFields(target)) {
      unresolved = stringOf(getter([next]), '$ref')
      break
    }
    if (hasShape(getter([next]))) {
      layers[layers.length - 1] = withPart(next)
      break
    }
    if (scope.path.includes(target) || targets.includes(target) || isWrittenOut(target, scope)) {
      typeName = scope.names.nameOf(target, lastWord(next['$ref'] as string))
      break
    }
    targets.push(target)
    next = target
  }
  return {
    schema,
    get: getter(layers),
    targets,
    isOptional,
    ...(typeName !== undefined && { typeName }),
    ...(unresolved !== undefined && { unresolved }),
  }
}

/** Whether a definition has been written out as often as allowed. */
function isWrittenOut(target: object, { uses, sizes }: Scope): boolean {
  return (uses.get(target) ?? 0) >= MAX_USES || (sizes.get(target) ?? 0) > MAX_REPEATED
}

/** Returns the schema in an `allOf` of one, or in an `anyOf` of it and null, if the enclosing schema adds no type. */
function soleType(schema: Fields): { keyword: 'anyOf' | 'allOf'; type: Fields } | undefined {
  const get = getter([schema])
  const [anyOf, allOf] = [listOf(get, 'anyOf'), listOf(get, 'allOf')]
  const keyword = anyOf.length === 2 && allOf.length === 0 ? 'anyOf' : 'allOf'
  const others = keyword === 'anyOf' ? anyOf.filter((part) => !isNull(part)) : anyOf.length === 0 ? allOf : []
  const [type] = others
  if (others.length !== 1 || !isFields(type) || listOf(get, 'oneOf').length > 0) return undefined
  return hasShape(get) || get('$ref') !== undefined ? undefined : { keyword, type }
}

function isNull(schema: unknown): boolean {
  return isFields(schema) && ownValue(schema, 'type') === 'null'
}

/** Adds a shape beside a `$ref` as a part: both apply, like in `allOf`. */
function withPart({ $ref, ...own }: Fields): Fields {
  return { ...own, allOf: [{ $ref }, ...listOf(getter([own]), 'allOf')] }
}

function getter(layers: readonly Fields[]): (keyword: string) => unknown {
  return (keyword) => layers.find((layer) => ownValue(layer, keyword) !== undefined)?.[keyword]
}

/** Returns the target of a `$ref` within the document: `#`, or a JSON pointer after it. */
function targetOf(schema: Fields, document: unknown): unknown {
  const pointer = ownValue(schema, '$ref')
  if (typeof pointer !== 'string' || pointer.length > MAX_POINTER || !/^#(\/|$)/.test(pointer)) return undefined
  let value = document
  for (const segment of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = ownValue(value as Fields, unescaped(segment))
  }
  return value
}

/** Returns the word after which a definition is named: `node` for `#/$defs/node`. */
function lastWord(pointer: string): string {
  return pointer === '#' ? 'Arguments' : unescaped(pointer.slice(pointer.lastIndexOf('/') + 1))
}

function unescaped(segment: string): string {
  const name = segment.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
