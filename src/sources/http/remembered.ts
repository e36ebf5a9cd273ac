import type { HttpClient } from './http-client.js'
import { sharedWork } from './shared-work.js'

/** A remembered answer of a server. */
export interface Remembered<Answer> {
  /** Asks if nothing is remembered; concurrent callers share the request. Rejects with its error. */
  get(client: HttpClient, signal: AbortSignal): Promise<Answer>
  /** Forgets the answer, because another process may answer next. */
  forget(): void
}

/** Asks the server of one engine when the answer is first needed, and again after `forget()` or a failure. */
export function remembered<Answer extends object | string>(
  ask: (client: HttpClient, signal: AbortSignal) => Promise<Answer>,
): Remembered<Answer> {
  let known: Answer | undefined
  let asking: ((signal: AbortSignal) => Promise<Answer>) | undefined
  return {
    async get(client, signal) {
      asking ??= sharedWork(async (signal) => {
        known = await ask(client, signal)
        return known
      })
      return known ?? (await asking(signal))
    },
    forget() {
      known = undefined
    },
  }
}
