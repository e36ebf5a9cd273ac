import { isFields } from '../../../shared/fields.js'
import { type SeenCall, seenCall } from './client.js'

/** A value as an application in Python shows it. */
export const shownInPython = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)

/** A call as an application in Python gets it: arguments that are no text are no JSON, either. */
export function callInPython(name: unknown, given: unknown): SeenCall {
  const words = shownInPython(given)
  return seenCall(shownInPython(name), words, typeof given === 'string' ? undefined : { value: words })
}

/** An index, which may be a text: the SDKs for Python read events with pydantic, which takes a number for it. */
export const indexInPython = (index: unknown): unknown =>
  typeof index === 'string' && /^\d+$/.test(index) ? Number(index) : index

/** What a loop goes through: nothing in an empty text or object. Undefined if it raises, or sees characters or names. */
export function listInPython(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  return value === '' || (isFields(value) && Object.keys(value).length === 0) ? [] : undefined
}

/** Whether `if` takes a value for true: no empty list or object. */
export const isTrueInPython = (value: unknown): boolean => Boolean(value) && listInPython(value)?.length !== 0
