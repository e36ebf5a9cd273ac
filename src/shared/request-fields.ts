import { type Fields, isFields } from './fields.js'
import { invalidType, invalidValue, missingParameter, outOfRange } from './request-error.js'

/*
 * Readers of a body that may be any JSON, in pure code: each returns the value, or throws a RequestError with its path.
 * They check only what has to be understood: `parseRequest` checks the rest. Null counts as absent, because clients send
 * it for omitted values.
 */

/** What a content may be. */
export const TEXT_OR_OBJECTS = 'one of a string or array of objects'

/** @throws RequestError if it is not an object */
export function objectAt(value: unknown, param: string): Fields {
  if (isFields(value)) return value
  throw invalidType(param, 'an object', value)
}

/** @throws RequestError if it is not an array */
export function listAt(value: unknown, param: string, expected = 'an array of objects'): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalidType(param, expected, value)
}

/** @throws RequestError if it is not an array of objects */
export function objectsAt(value: unknown, param: string, expected?: string): readonly Fields[] {
  return listAt(value, param, expected).map((entry, index) => objectAt(entry, `${param}[${index}]`))
}

/** @throws RequestError if it is not an array of texts */
export function textsAt(value: unknown, param: string): readonly string[] {
  return listAt(value, param, 'an array of strings').map((entry, index) => {
    if (typeof entry !== 'string') throw invalidType(`${param}[${index}]`, 'a string', entry)
    return entry
  })
}

/** @throws RequestError if it is not a whole number, or below the least one */
export function integerAt(value: unknown, param: string, min: number = Number.NEGATIVE_INFINITY): number {
  if (!Number.isInteger(value)) throw invalidType(param, 'an integer', value)
  const given = value as number
  if (given < min) throw outOfRange(param, 'integer', { min }, given)
  return given
}

/** Returns an optional flag. @throws RequestError if it is not a boolean */
export function flagAt(value: unknown, param: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw invalidType(param, 'a boolean', value)
}

/** Returns an own field that is not null. */
export function fieldOf(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined
}

/** Returns a required object. @throws RequestError if it is missing or not an object */
export function objectIn(fields: Fields, name: string, param: string): Fields {
  const value = fieldOf(fields, name)
  if (value === undefined) throw missingParameter(pathOf(param, name))
  return objectAt(value, pathOf(param, name))
}

/** Returns a required text. @throws RequestError if it is missing or not a string */
export function textIn(fields: Fields, name: string, param: string): string {
  const value = optionalTextIn(fields, name, param)
  if (value === undefined) throw missingParameter(pathOf(param, name))
  return value
}

/** Returns an optional text. @throws RequestError if it is not a string */
export function optionalTextIn(fields: Fields, name: string, param: string): string | undefined {
  const value = fieldOf(fields, name)
  if (value !== undefined && typeof value !== 'string') throw invalidType(pathOf(param, name), 'a string', value)
  return value
}

/** Returns an optional list of texts. @throws RequestError if it is anything else */
export function textsIn(fields: Fields, name: string, param: string): readonly string[] {
  return textsAt(fieldOf(fields, name) ?? [], pathOf(param, name))
}

/** Returns an optional whole number. @throws RequestError if it is anything else, or below the least one */
export function optionalIntegerIn(fields: Fields, name: string, param: string, min?: number): number | undefined {
  const value = fieldOf(fields, name)
  return value === undefined ? undefined : integerAt(value, pathOf(param, name), min)
}

/** Returns an optional flag. @throws RequestError if it is not a boolean */
export function flagIn(fields: Fields, name: string, param: string): boolean | undefined {
  return flagAt(fieldOf(fields, name), pathOf(param, name))
}

/** Returns a required non-empty text, such as an id or a name. @throws RequestError */
export function nameIn(fields: Fields, name: string, param: string): string {
  const value = textIn(fields, name, param)
  if (value === '') throw invalidValue(pathOf(param, name), value)
  return value
}

/** Returns one of a set of words. @throws RequestError if it is missing or another */
export function wordIn<Word extends string>(fields: Fields, name: string, param: string, words: readonly Word[]): Word {
  const value = textIn(fields, name, param)
  if (!words.includes(value as Word)) throw invalidValue(pathOf(param, name), value, words)
  return value as Word
}

function pathOf(param: string, name: string): string {
  return param === '' ? name : `${param}.${name}`
}
