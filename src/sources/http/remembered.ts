import type { HttpClient } from './http-client.js'
import { sharedWork } from './shared-work.js'

/** What a server was asked once. */
export interface Remembered<Answer> {
  /** Asks if nothing is remembered; callers that come together ask once. Rejects as the question does. */
  get(client: HttpClient, signal: AbortSignal): Promise<Answer>
  /** Another process may answer next. */
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
