import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import { describe } from '../../../shared/errors.js'
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
export const count: z.ZodType<number | null | undefined> = z.int('a token count').nonnegative('a token count').nullish()

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

/**
 * Validates an engine's event.
 *
 * @throws EngineError `server_error`, in one line: `vLLM: choices[0].token_ids: expected an array, got "1"`
 */
export function parseEvent<T>(schema: z.ZodType<T>, event: unknown, engine: string): T {
  const { data, error } = schema.safeParse(event, { reportInput: true })
  if (error === undefined) return data as T
  const [issue] = error.issues
  const place = issue === undefined || issue.path.length === 0 ? '' : `${toDotPath(issue.path)}: `
  throw new EngineError('server_error', `${engine}: ${place}expected ${issue?.message}, got ${describe(issue?.input)}`)
}

/** Parses JSON; undefined if it is invalid. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
