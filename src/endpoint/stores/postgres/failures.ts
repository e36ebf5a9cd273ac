import { HarmonyResponsesError } from '../../../shared/errors.js'

/** What ends a transaction without an effect, and with an answer. */
export class Undone<Result> extends Error {
  readonly answer: Result
  constructor(answer: Result) {
    super('undone')
    this.answer = answer
  }
}

/** An error of a database, without its address's credentials and without the content of rows. */
class PostgresError extends Error {
  override readonly name = 'PostgresError'
  /** Its SQLSTATE, or the code of the connection's error. */
  readonly code: string | undefined
  constructor(message: string, code: string | undefined) {
    super(message)
    this.code = code
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
  return new PostgresError(`the database ${shown}: a pooler shares sessions between connections: ${advice}`, undefined)
}

/** Says what failed, as {@link PostgresError}. {@link Undone} and the errors of this package stay as they are. */
export function storeError(error: unknown, shown: string, timeoutSeconds: number): Error {
  if (error instanceof Undone || error instanceof HarmonyResponsesError) return error
  // Of all addresses of a host, the first.
  const [first = error] = (Object(error) as { readonly errors?: readonly unknown[] }).errors ?? []
  const { message, code } = Object(first) as { readonly message?: unknown; readonly code?: unknown }
  const isLate = /timeout/i.test(String(message)) && code === undefined
  const problem = isLate ? `no answer within ${timeoutSeconds} s` : String(message)
  return new PostgresError(`the database ${shown}: ${problem}`, typeof code === 'string' ? code : undefined)
}
