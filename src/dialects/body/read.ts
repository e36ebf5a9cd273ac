import type { Fields } from '../../shared/fields.js'
import { invalidType, missingParameter } from '../../shared/request-error.js'
import { fieldOf, objectAt } from '../../shared/request-fields.js'

/*
 * Readers of a body that may be any JSON, besides those of `request-fields.ts`. They check only what they have to
 * understand: `parseRequest` checks the rest, as part of the resulting request. Null counts as absent, because clients
 * send it for omitted values.
 */

/** @throws RequestError if it is missing or not an object */
export function objectIn(fields: Fields, name: string, param: string): Fields {
  const value = fieldOf(fields, name)
  if (value === undefined) throw missingParameter(`${param}.${name}`)
  return objectAt(value, `${param}.${name}`)
}

/** @throws RequestError if it is not an array of objects */
export function objectsAt(value: unknown, param: string): readonly Fields[] {
  if (!Array.isArray(value)) throw invalidType(param, 'an array of objects', value)
  return value.map((entry, index) => objectAt(entry, `${param}[${index}]`))
}

/** Returns an optional flag. @throws RequestError if it is not a boolean */
export function flagAt(value: unknown, param: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw invalidType(param, 'a boolean', value)
}

/** Returns the present fields of an object, under their names in the other API. */
export function renamed(fields: Fields, names: { readonly [theirs: string]: string }): { [name: string]: unknown } {
  const copy: { [name: string]: unknown } = {}
  for (const [theirs, ours] of Object.entries(names)) {
    const value = fieldOf(fields, theirs)
    if (value !== undefined) copy[ours] = value
  }
  return copy
}
