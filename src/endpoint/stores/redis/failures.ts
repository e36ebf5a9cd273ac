import { HarmonyResponsesError } from '../../../shared/errors.js'
import { databaseError } from '../database/database-error.js'

/** The code that each error begins with that the server answered: `NOPERM`, `OOM`. */
const CODE = /^[A-Z]+(?= )/
/** Where in a script it occurred. */
const PLACE = / script: [0-9a-f]{40}, on @user_script:\d+\.$/

/** Whether the server answered with an error: the connection is well. */
export function isReply(error: unknown): boolean {
  return CODE.test(messageOf(error))
}

/** Whether the server does not have a script: it has started again, or was told to forget them. */
export function isUnknownScript(error: unknown): boolean {
  return messageOf(error).startsWith('NOSCRIPT')
}

/** Says what failed, without content. Errors of this package stay as they are. */
export function storeError(error: unknown, shown: string, timeoutSeconds: number): Error {
  if (error instanceof HarmonyResponsesError || !isReply(error)) {
    return error instanceof HarmonyResponsesError ? error : databaseError(error, shown, timeoutSeconds)
  }
  const message = messageOf(error).replace(PLACE, '')
  return databaseError({ message, code: CODE.exec(message)?.[0] }, shown, timeoutSeconds)
}

function messageOf(error: unknown): string {
  return String((Object(error) as { readonly message?: unknown }).message)
}
