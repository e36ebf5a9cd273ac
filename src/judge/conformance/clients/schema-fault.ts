import type { z } from 'zod'
import { surelyFits } from '../schemas/surely-fits.js'

/** The first problem of a value. */
export interface SchemaFault {
  readonly expected: string
  readonly got: unknown
  /** A description that replaces the value. */
  readonly words?: string
}

/** The first problem that a client's schema has with a value; undefined if it has none. */
export function faultOf(schema: z.ZodType, value: unknown, prefix: string): SchemaFault | undefined {
  if (surelyFits(schema, value)) return undefined
  const { error } = schema.safeParse(value)
  const issue = error?.issues[0]
  if (issue === undefined) return undefined
  const path = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  const got = issue.path.reduce<unknown>((part, key) => Object(part)[key], value)
  return { expected: `\`${prefix}${path.slice(1)}\` ${expectedBy(issue)}`, got }
}

/** Returns the schema's expectation, such as `a string` or `"completed"`. */
function expectedBy(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value)).join(' or ')
  return issue.code === 'invalid_union' ? 'of a known type' : issue.message
}
