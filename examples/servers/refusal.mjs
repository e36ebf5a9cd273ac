// What the servers in this folder answer to an error, before the first byte of a stream.
import { HarmonyResponsesError } from 'harmony-responses'

/** Returns the status of an error, and a body of which OpenAI's SDKs make their own errors. Causes stay in the server. */
export function refusal(error) {
  const isRefused = error instanceof HarmonyResponsesError || error instanceof SyntaxError
  const status = error.status ?? error.statusCode ?? (isRefused ? 400 : 500)
  if (status >= 500) console.error(error)
  const { message, param = null, code = null } = status < 500 ? error : { message: 'internal error' }
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  return { status, body: { error: { message, type, param, code } } }
}
