import { HarmonyResponsesError } from '../../../shared/errors.js'
import { databaseError } from '../database/database-error.js'

/** What ends a transaction without an effect, and with an answer. */
export class Undone<Result> extends Error {
  readonly answer: Result
  constructor(answer: Result) {
    super('undone')
    this.answer = answer
  }
}

/**
 * Deadlocks, and rows that another transaction has changed or inserted: the same transaction succeeds if it is tried again,
 * or is refused.
 */
const TRANSIENT = ['40P01', '40001', '23505']

export function isTransient(error: unknown): boolean {
  return TRANSIENT.includes(Object(error).code)
}

/** Whether a connection cannot be used after an error: the server has not answered it, or has ended it. */
export function isLost(error: unknown): boolean {
  if (error instanceof Undone) return false
  const { severity } = Object(error) as { readonly severity?: unknown }
  return severity === undefined || severity === 'FATAL' || severity === 'PANIC'
}

/** The error of a pooler that gives one session to several connections, which then change each other's settings. */
export function sharedSessions(shown: string): Error {
  const advice = 'let it pool sessions (pool_mode = session), or connect to the server itself'
  return databaseError(new Error(`a pooler shares sessions between connections: ${advice}`), shown, 0)
}

/** Says what failed. {@link Undone} and the errors of this package stay as they are. */
export function storeError(error: unknown, shown: string, timeoutSeconds: number): Error {
  if (error instanceof Undone || error instanceof HarmonyResponsesError) return error
  return databaseError(error, shown, timeoutSeconds)
}
