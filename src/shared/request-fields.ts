import { type Fields, isFields } from './fields.js'
import { invalidType, invalidValue, missingParameter } from './request-error.js'

/*
 * Readers of a request that may be any JSON: each returns the field, or throws a RequestError with its path. Null
 * counts as absent, because clients send it for omitted values.
 */

/** @throws RequestError if it is not an object */
export function objectAt(value: unknown, param: string): Fields {
  if (isFields(value)) return value
  throw invalidType(param, 'an object', value)
}

/** @throws RequestError if it is not an array */
export function listAt(value: unknown, param: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalidType(param, 'an array of objects', value)
}

/** Returns an own field that is not null. */
export function fieldOf(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined
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
  const path = pathOf(param, name)
  return listAt(fieldOf(fields, name) ?? [], path).map((value, index) => {
    if (typeof value !== 'string') throw invalidType(`${path}[${index}]`, 'a string', value)
    return value
  })
}

/** Returns an optional whole number. @throws RequestError if it is anything else */
export function optionalIntegerIn(fields: Fields, name: string, param: string): number | undefined {
  const value = fieldOf(fields, name)
  if (value !== undefined && !Number.isInteger(value)) throw invalidType(pathOf(param, name), 'an integer', value)
  return value as number | undefined
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
