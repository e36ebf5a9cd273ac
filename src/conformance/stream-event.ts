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

/** A value as JSON with its keys in order: equal for equal values. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    isFields(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  ) as string
}
