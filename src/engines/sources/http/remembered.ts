import type { HttpClient } from './http-client.js'
import { sharedWork } from './shared-work.js'

/** A remembered answer of a server. */
export interface Remembered<Answer> {
  /** The remembered answer. */
  readonly known: Answer | undefined
  /** Asks if nothing is remembered; concurrent callers share the request. Rejects with its error. */
  get(client: HttpClient, signal: AbortSignal): Promise<Answer>
  /** Forgets the answer, because another process may answer next. */
  forget(): void
}

/**
 * Asks the server of one engine when the answer is first needed, and again after `forget()`, a failure, or an answer of
 * undefined: a router may not have loaded its model yet.
 */
export function remembered<Answer>(
  ask: (client: HttpClient, signal: AbortSignal) => Promise<Answer>,
): Remembered<Answer> {
  let known: Answer | undefined
  let asking: ((signal: AbortSignal) => Promise<Answer>) | undefined
  return {
    get known() {
      return known
    },
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
