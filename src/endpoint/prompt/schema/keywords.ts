import { type Fields, isFields } from '../../../shared/fields.js'
import type { SchemaView } from './scope.js'

/** Returns an own field: schemas have properties called `constructor` and `__proto__`. */
export function ownValue(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

type Get = (keyword: string) => unknown

/** Returns a keyword's list; empty if it has none. */
export function listOf(get: Get, keyword: string): readonly unknown[] {
  const value = get(keyword)
  return Array.isArray(value) ? value : []
}

/** Returns a keyword's string; undefined if it has none. */
export function stringOf(get: Get, keyword: string): string | undefined {
  const value = get(keyword)
  return typeof value === 'string' ? value : undefined
}

/** Whether a schema describes more of a type than its name, without `oneOf` and the like. */
export function hasShape(get: Get): boolean {
  return (
    get('const') !== undefined ||
    ['enum', 'prefixItems'].some((keyword) => listOf(get, keyword).length > 0) ||
    ['properties', 'patternProperties'].some((keyword) => hasFields(get(keyword))) ||
    ['additionalProperties', 'items'].some((keyword) => isFields(get(keyword))) ||
    listOf(get, 'items').length > 0
  )
}

export type Combination = 'oneOf' | 'anyOf' | 'allOf'

/** The maximum number of parts of a combination that are looked at. More would hold up all other requests. */
const MAX_PARTS = 4_096

function hasFields(value: unknown): boolean {
  return isFields(value) && Object.keys(value).length > 0
}

/** The parts of a combination. */
export interface Parts {
  /** Those that become a type. */
  readonly types: readonly unknown[]
  /** Those that become a comment. */
  readonly comments: readonly unknown[]
  /** The number of further ones. */
  readonly leftOut: number
}

/**
 * Divides the parts of a combination. A part such as `{ required: ['a'] }`, beside the properties that it constrains,
 * is no type.
 */
export function combined({ get }: SchemaView, keyword: Combination): Parts {
  const all = listOf(get, keyword)
  const parts = all.slice(0, MAX_PARTS)
  const leftOut = all.length - parts.length
  const types = parts.filter(isType)
  if (keyword === 'allOf') return { types, comments: parts.filter((part) => !isType(part)), leftOut }
  const hasTypes = types.length === parts.length || !hasShape(get)
  return { types: hasTypes ? parts : [], comments: hasTypes ? [] : parts, leftOut }
}

function isType(schema: unknown): boolean {
  if (!isFields(schema)) return schema === false
  const get: Get = (keyword) => ownValue(schema, keyword)
  return hasShape(get) || ['type', '$ref', 'oneOf', 'anyOf', 'allOf'].some((keyword) => get(keyword) !== undefined)
}
