import type * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import { preview } from '../preview.js'
import { responseStreamEventSchema, type WireStreamEvent } from './events.js'
import { surelyFits } from './surely-fits.js'

/** A value that does not match its schema. */
export interface EventProblem {
  /** The path in the event, such as `item.content[0].text`; `event` for the event itself. */
  readonly path: string
  /** What the schema expects there, in words. */
  readonly expected: string
  /** The value there as short JSON, or a description. */
  readonly got: string
}

/** A valid event, unchanged, or the first problem with it. */
export type ParsedEvent =
  /** The event fits its schema. */
  | { readonly event: WireStreamEvent; readonly problem?: undefined }
  /** The first problem. */
  | { readonly problem: EventProblem; readonly event?: undefined }

/**
 * Validates an event against the schemas of OpenAI's stream events.
 *
 * @example
 * ```ts
 * import { parseEvent } from 'harmony-responses/conformance'
 *
 * const { problem } = parseEvent({ type: 'response.output_text.delta' })
 * if (problem) console.log(`${problem.path}: expected ${problem.expected}, got ${problem.got}`)
 * ```
 */
export function parseEvent(value: unknown): ParsedEvent {
  const [problem] = problemsOf(value)
  return problem === undefined ? { event: value as WireStreamEvent } : { problem }
}

const NO_PROBLEM: readonly EventProblem[] = []

/** All problems of an event. Default schema: that of OpenAI's stream events. */
export function problemsOf(value: unknown, schema: z.ZodType = responseStreamEventSchema): readonly EventProblem[] {
  if (surelyFits(schema, value)) return NO_PROBLEM
  const { error } = schema.safeParse(value)
  return error === undefined ? NO_PROBLEM : error.issues.map((issue) => problemAt(mostSpecific(issue), value))
}

function problemAt({ path, message }: { path: PropertyKey[]; message: string }, value: unknown): EventProblem {
  const got = path.reduce<unknown>((part, key) => (part as { [key: PropertyKey]: unknown })[key], value)
  return {
    path: path.length === 0 ? 'event' : toDotPath(path),
    expected: message,
    got: preview(got),
  }
}

/** The expectation in a problem about an unknown key. */
export const UNKNOWN_KEY = 'no such key'

/** The most specific form of an issue: at an unknown key itself, and in the best-fitting branch of a union. */
function mostSpecific(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string } {
  if (issue.code === 'unrecognized_keys') return { path: [...issue.path, issue.keys[0] ?? ''], message: UNKNOWN_KEY }
  if (issue.code !== 'invalid_union') return issue
  // The branch that fails at the longest path fits best. If all fail at the value itself, the union describes the
  // options.
  return issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map((inner) => mostSpecific({ ...inner, path: [...issue.path, ...inner.path] }))
    .reduce((best, inner) => (inner.path.length > best.path.length ? inner : best), issue)
}
