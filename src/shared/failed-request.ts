import { errorTypeOf, type RequestErrorBody } from './request-error.js'

/** The statuses of failures with a code of their own; any other is the server's fault. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['context_length_exceeded', 400],
  ['invalid_prompt', 400],
  ['rate_limit_exceeded', 429],
  ['server_is_overloaded', 503],
])

/**
 * Returns the answer to a request whose response failed. Its body, in the form of their API, also ends the streams of
 * Chat Completions and Messages: clients branch on the same types in both.
 *
 * @param failure - its `code` may be one of the host's own, unlike that of a `RequestError`
 */
export function failedRequest({
  code = 'server_error',
  message,
}: {
  readonly code?: string
  readonly message: string
}): {
  readonly status: number
  readonly body: RequestErrorBody
} {
  const status = STATUSES.get(code) ?? 500
  return { status, body: { error: { message, type: errorTypeOf(status), param: null, code } } }
}
