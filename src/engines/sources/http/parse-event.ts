import * as z from 'zod'
import { type ParsePayload, toDotPath } from 'zod/v4/core'
import { describe } from '../../../shared/errors.js'
import { isFields } from '../../../shared/fields.js'
import { EngineError } from '../../contract/engine-error.js'

const TOKEN_ID = 'a token id'

/** A token id from an engine. */
export const tokenId: z.ZodInt = z.int(TOKEN_ID).nonnegative(TOKEN_ID)
/** A log-probability. JSON can express the logarithm of 0 only as null. */
export const logprob: z.ZodType<number> = z.preprocess(
  (value) => (value === null ? -Infinity : value),
  z.custom<number>(isNumber, 'a number'),
)
/** A number of tokens; null if the engine does not report it. */
export type Count = number | null | undefined
export const count: z.ZodType<Count> = z.int('a token count').nonnegative('a token count').nullish()

/** Entries that are read at once: zod describes each that is wrong, and a server may send millions. */
const PIECE = 100

/** A list that is read up to the first piece that has wrong entries. */
export function listOf<Entry extends z.ZodType>(entry: Entry, expected: string): z.ZodArray<Entry> {
  const list = z.array(entry, expected)
  const pieces = (value: unknown): unknown[][] | undefined => {
    if (!Array.isArray(value) || value.length <= PIECE) return undefined
    return Array.from({ length: Math.ceil(value.length / PIECE) }, (_, at) => value.slice(at * PIECE, (at + 1) * PIECE))
  }
  return inPieces(list, pieces, (parts: readonly z.output<Entry>[][]) => parts.flat(), true)
}

/** An object of such values, by any names, that is read up to the first piece that has wrong ones. */
export function recordOf<Value extends z.ZodType>(value: Value, expected: string): z.ZodRecord<z.ZodString, Value> {
  const pieces = (given: unknown): object[] | undefined => {
    const entries = isFields(given) ? Object.entries(given) : []
    if (entries.length <= PIECE) return undefined
    const count = Math.ceil(entries.length / PIECE)
    return Array.from({ length: count }, (_, at) => Object.fromEntries(entries.slice(at * PIECE, (at + 1) * PIECE)))
  }
  const record = z.record(z.string(), value, expected)
  const whole = (parts: readonly object[]): object => Object.fromEntries(parts.flatMap(Object.entries))
  return inPieces(record, pieces, whole, false)
}

function inPieces<Schema extends z.ZodType, Part>(
  schema: Schema,
  pieces: (value: unknown) => readonly unknown[] | undefined,
  whole: (parts: readonly Part[]) => unknown,
  isList: boolean,
): Schema {
  const { _zod: internals } = schema
  const { parse } = internals
  const read: typeof parse = (payload, context) => {
    const parts = pieces(payload.value)
    if (parts === undefined) return parse(payload, context)
    const done: Part[] = []
    for (const [at, part] of parts.entries()) {
      // None of the schemas of events waits for anything.
      const { value, issues } = parse({ value: part, issues: [] }, context) as ParsePayload
      const [issue] = issues
      if (issue !== undefined) {
        const [place, ...below] = issue.path ?? []
        payload.issues.push(isList ? { ...issue, path: [Number(place) + at * PIECE, ...below] } : issue)
        return payload
      }
      done.push(value as Part)
    }
    payload.value = whole(done)
    return payload
  }
  // A schema without checks runs what it parses by.
  internals.parse = read
  internals.run = read
  return schema
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

/** Whether a value is a list of token ids that is short enough for one look. */
export function isTokenIds(value: unknown): value is number[] {
  return Array.isArray(value) && value.length <= PIECE && value.every(isCounted)
}

/** Whether a value is what {@link count} accepts. */
export function isCount(value: unknown): value is Count {
  return isAbsent(value) || isCounted(value)
}

/** Whether a field is null or missing. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined
}

function isCounted(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/**
 * Validates an engine's event.
 *
 * @param isUsual - a look at the fields that are read: whether the schema would accept the event and change none of them.
 * Nearly all events are such, and the schema takes ten times as long
 * @throws EngineError `server_error`, in one line: `vLLM: choices[0].token_ids: expected an array, got "1"`
 */
export function parseEvent<T>(
  schema: z.ZodType<T>,
  event: unknown,
  engine: string,
  isUsual?: (event: unknown) => boolean,
): T {
  if (isUsual?.(event) === true) return event as T
  const { data, error } = schema.safeParse(event, { reportInput: true })
  if (error === undefined) return data as T
  const [issue] = error.issues
  const place = issue === undefined || issue.path.length === 0 ? '' : `${toDotPath(issue.path)}: `
  throw new EngineError('server_error', `${engine}: ${place}expected ${issue?.message}, got ${describe(issue?.input)}`)
}
