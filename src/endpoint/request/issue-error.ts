import type { z } from 'zod'
import {
  arrayTooLong,
  emptyString,
  invalidType,
  invalidValue,
  listOf,
  missingParameter,
  outOfRange,
  patternMismatch,
  type RequestError,
  stringTooLong,
} from '../../shared/request-error.js'
import { type Path, pathOf, valueAt } from './path.js'

type Issue = z.core.$ZodIssue

/**
 * Words the first of zod's issues as OpenAI would.
 *
 * @param body - as the client sent it: its value at the issue's path shows whether that is missing
 */
export function errorOf([issue]: readonly Issue[], body: unknown): RequestError {
  if (issue === undefined) throw new Error('nothing is wrong')
  return worded(issue, issue.path, body)
}

function worded(issue: Issue, path: Path, body: unknown): RequestError {
  const param = pathOf(path)
  const value = valueAt(body, path)
  if (value === undefined) return missingParameter(param)
  switch (issue.code) {
    case 'invalid_value':
      if (typeof value === 'string') return invalidValue(param, value, issue.values.map(String))
      return invalidType(param, oneOfThese(issue.values.map(String)), value)
    case 'too_big':
    case 'too_small':
      return beyond(issue, param, value)
    case 'invalid_format':
      return patternMismatch(
        param,
        'pattern' in issue ? String(issue.pattern).replace(/^\/|\/[a-z]*$/g, '') : issue.format,
      )
    case 'invalid_union': {
      const [first] = issue.errors.find((issues) => issues.some((each) => isMeant(each, value))) ?? []
      return first === undefined
        ? invalidType(param, issue.message, value)
        : worded(first, [...path, ...first.path], body)
    }
    default:
      return invalidType(param, issue.message, value)
  }
}

/**
 * Whether the client meant this branch of a union, or a branch within it: the value has the right kind, but a fault
 * inside.
 */
function isMeant(issue: Issue, value: unknown): boolean {
  const { path, code } = issue
  if (path.length > 0 || code === 'too_big' || code === 'too_small' || code === 'invalid_format') return true
  if (code === 'invalid_union') return issue.errors.some((issues) => issues.some((each) => isMeant(each, value)))
  return code === 'invalid_value' && typeof value === 'string'
}

function beyond(issue: Extract<Issue, { code: 'too_big' | 'too_small' }>, param: string, value: unknown): RequestError {
  const bound = issue.code === 'too_small' ? { min: Number(issue.minimum) } : { max: Number(issue.maximum) }
  if (typeof value === 'number') {
    // zod says "int" for a number beyond the safe integers, else "number" for both kinds: the expectation tells them
    // apart.
    return outOfRange(param, issue.message === 'an integer' ? 'integer' : 'decimal', bound, value)
  }
  if (typeof value === 'string') {
    return 'max' in bound ? stringTooLong(param, bound.max, value.length) : emptyString(param)
  }
  const { length } = value as readonly unknown[]
  return 'max' in bound ? arrayTooLong(param, bound.max, length) : invalidType(param, issue.message, value)
}

function oneOfThese(values: readonly string[]): string {
  return values.length === 1 ? listOf(values, 'or') : `one of ${listOf(values, 'or')}`
}
