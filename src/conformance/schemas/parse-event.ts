import { z } from 'zod'
import { preview } from '../preview.js'
import { responseStreamEventSchema, type WireStreamEvent } from './events.js'

/** Where a value is not what the wire has there, in words. */
export interface EventProblem {
  /** As in `item.content[0].text`; `event` for the whole. */
  readonly path: string
  readonly expected: string
  readonly got: string
}

/** An event, as it came, or the first thing that is wrong with it. */
export type ParsedEvent =
  | { readonly event: WireStreamEvent; readonly problem?: undefined }
  | { readonly problem: EventProblem; readonly event?: undefined }

/**
 * Says whether a value is an event as the wire has it.
 *
 *     const { event, problem } = parseEvent(JSON.parse(data))
 *     if (problem) console.error(`${problem.path}: expected ${problem.expected}, got ${problem.got}`)
 */
export function parseEvent(value: unknown): ParsedEvent {
  const [problem] = problemsOf(value)
  return problem === undefined ? { event: value as WireStreamEvent } : { problem }
}

const NO_PROBLEM: readonly EventProblem[] = []

/** Everything that is wrong with an event: held against what OpenAI's wire has, or against another schema. */
export function problemsOf(value: unknown, schema: z.ZodType = responseStreamEventSchema): readonly EventProblem[] {
  const { error } = schema.safeParse(value)
  return error === undefined ? NO_PROBLEM : error.issues.map((issue) => problemAt(mostSpecific(issue), value))
}

function problemAt({ path, message }: { path: PropertyKey[]; message: string }, value: unknown): EventProblem {
  const got = path.reduce<unknown>((part, key) => (part as { [key: PropertyKey]: unknown })[key], value)
  return {
    path: path.length === 0 ? 'event' : z.core.toDotPath(path),
    expected: message,
    got: preview(got),
  }
}

/** What is expected of a key that the schema does not have. */
export const UNKNOWN_KEY = 'no such key'

/** An issue as it is told: at an unknown key itself, and in the branch of a union that fits best. */
function mostSpecific(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string } {
  if (issue.code === 'unrecognized_keys') return { path: [...issue.path, issue.keys[0] ?? ''], message: UNKNOWN_KEY }
  if (issue.code !== 'invalid_union') return issue
  // A branch that fails deeper down got further. Where all fail at the value itself, the union says what it takes.
  return issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map((inner) => mostSpecific({ ...inner, path: [...issue.path, ...inner.path] }))
    .reduce((best, inner) => (inner.path.length > best.path.length ? inner : best), issue)
}
