import { describe } from '../../shared/errors.js'
import { type Fields, isFields } from '../../shared/fields.js'

/** An event as received: its fields are not validated. */
export interface StreamEvent {
  /** The type. All other fields may be anything. */
  readonly type: string
  readonly [field: string]: unknown
}

/** The value if it is an object, otherwise an empty object. */
export function asFields(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** The value if it is an array, otherwise an empty array. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value if it is a string, otherwise an empty string. */
export function asString(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Whether a value is an index below a limit. */
export function isIndex(value: unknown, limit: number = Number.POSITIVE_INFINITY): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < limit
}

/** The string, or a description of another value. `String(value)` would throw if JSON has a field `toString`. */
export function stringOrDescription(value: unknown): string {
  return typeof value === 'string' ? value : describe(value)
}

/** An entry of a table. A type such as `constructor` must not find the properties that every object inherits. */
export function lookUp<Entry>(table: Readonly<Record<string, Entry>>, key: string): Entry | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** The maximum depth of comparisons: JSON may be nested deeper than the call stack allows. */
export const MAX_DEPTH = 200

/** Whether two JSON values are equal, regardless of the order of their keys. */
export function isSameJson(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b || depth > MAX_DEPTH) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false
    for (let at = 0; at < a.length; at++) if (!isSameJson(a[at], b[at], depth + 1)) return false
    return true
  }
  return isFields(a) && isFields(b) && differingFields(a, b, depth + 1).length === 0
}

/** The names of the fields in which two objects differ. As in JSON, an undefined field counts as missing. */
export function differingFields(a: Fields, b: Fields, depth = 0): string[] {
  const [names, others] = [Object.keys(a), Object.keys(b)]
  const hasSameKeys = names.length === others.length && names.every((name, at) => name === others[at])
  // The usual case, as servers write the same keys each time; the general comparison takes three times as long.
  if (hasSameKeys) return names.filter((name) => !isSameJson(a[name], b[name], depth))
  return [...new Set([...names, ...others])].filter((name) => !isSameJson(ownField(a, name), ownField(b, name), depth))
}

/** Returns an own field: inherited properties do not count. */
function ownField(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
