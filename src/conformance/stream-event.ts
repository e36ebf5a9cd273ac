import { describe } from '../errors.js'

/** An event as it came over the wire: nobody has looked at it yet. */
export interface StreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** A JSON object of whatever fields. */
export interface Fields {
  readonly [field: string]: unknown
}

/** A value as an object to read fields of; one without any where it is none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as a list; an empty one where it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A value as text; empty where it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A value in a word, for a message: not `String(value)`, which runs what JSON may have put in the place of `toString`. */
export function wordFor(value: unknown): string {
  return typeof value === 'string' ? value : describe(value)
}

/** An entry of a table. What every object has of itself is no entry: types come from anybody. */
export function lookUp<Entry>(table: Readonly<Record<string, Entry>>, key: string): Entry | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** How deep values are looked into: JSON may be nested deeper than a function can call itself. */
export const DEEPEST = 200

/** Whether two values are the same JSON, whatever the order of their keys. */
export function isSame(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b || depth > DEEPEST) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false
    for (let at = 0; at < a.length; at++) if (!isSame(a[at], b[at], depth + 1)) return false
    return true
  }
  return isFields(a) && isFields(b) && differing(a, b, depth + 1).length === 0
}

/** The fields in which two objects differ. One without a value is none, as JSON has it. */
export function differing(a: Fields, b: Fields, depth = 0): string[] {
  const [names, others] = [Object.keys(a), Object.keys(b)]
  const isAlike = names.length === others.length && names.every((name, at) => name === others[at])
  // Servers write an object like the one before it: to look each field up takes three times as long.
  if (isAlike) return names.filter((name) => !isSame(a[name], b[name], depth))
  return [...new Set([...names, ...others])].filter((name) => !isSame(own(a, name), own(b, name), depth))
}

/** A field of its own: what every object has of itself is none. */
function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
