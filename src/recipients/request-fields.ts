import { type Fields, isFields } from '../fields.js'
import { ROLES } from '../harmony/vocabulary.js'
import { invalidType, invalidValue, missingParameter } from '../request-error.js'

/*
 * Reading a request that may be any JSON: what a field must be, or a RequestError with its path. Null is absent, as
 * clients send it for whatever they leave out.
 */

/** @throws RequestError if it is no object */
export function objectAt(value: unknown, param: string): Fields {
  if (isFields(value)) return value
  throw invalidType(param, 'an object', value)
}

/** @throws RequestError if it is no array */
export function listAt(value: unknown, param: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalidType(param, 'an array of objects', value)
}

/** An own field that is not null. */
export function fieldOf(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined
}

/** A required text. @throws RequestError if it is missing or no string */
export function textIn(fields: Fields, name: string, param: string): string {
  const value = optionalTextIn(fields, name, param)
  if (value === undefined) throw missingParameter(`${param}.${name}`)
  return value
}

/** A text that may be absent. @throws RequestError if it is no string */
export function optionalTextIn(fields: Fields, name: string, param: string): string | undefined {
  const value = fieldOf(fields, name)
  if (value !== undefined && typeof value !== 'string') throw invalidType(pathOf(param, name), 'a string', value)
  return value
}

/** A list of texts that may be absent. @throws RequestError if it is anything else */
export function textsIn(fields: Fields, name: string, param: string): readonly string[] {
  const path = pathOf(param, name)
  return listAt(fieldOf(fields, name) ?? [], path).map((value, index) => {
    if (typeof value !== 'string') throw invalidType(`${path}[${index}]`, 'a string', value)
    return value
  })
}

/** A whole number that may be absent. @throws RequestError if it is anything else */
export function optionalIntegerIn(fields: Fields, name: string, param: string): number | undefined {
  const value = fieldOf(fields, name)
  if (value !== undefined && !Number.isInteger(value)) throw invalidType(pathOf(param, name), 'an integer', value)
  return value as number | undefined
}

/** A required text that is not empty, such as an id or a name. @throws RequestError */
export function nameIn(fields: Fields, name: string, param: string): string {
  const value = textIn(fields, name, param)
  if (value === '') throw invalidValue(pathOf(param, name), value)
  return value
}

/** What would end a recipient in a header, is where string-based parsers look for markers, or names a role. */
const UNSAFE: RegExp = new RegExp(`[\\s\\x85<]|(?<=^(?:${ROLES.join('|')})):`, 'g')

/**
 * A part of a recipient: the name of a tool that was called, or of where it lives. It may be one that a model made up,
 * so what no header can hold becomes `_`: a conversation must not end because a model once misspelled a tool.
 *
 * @throws RequestError if it is missing, empty or no string
 */
export function addressIn(fields: Fields, name: string, param: string): string {
  return nameIn(fields, name, param).replace(UNSAFE, '_')
}

/** One of some words. @throws RequestError if it is missing or another */
export function wordIn<Word extends string>(fields: Fields, name: string, param: string, words: readonly Word[]): Word {
  const value = textIn(fields, name, param)
  if (!words.includes(value as Word)) throw invalidValue(pathOf(param, name), value, words)
  return value as Word
}

function pathOf(param: string, name: string): string {
  return param === '' ? name : `${param}.${name}`
}
