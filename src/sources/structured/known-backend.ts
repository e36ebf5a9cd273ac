import type { HttpClient } from '../http/http-client.js'
import { sharedWork } from '../http/shared-work.js'
import type { GrammarBackend } from './backends.js'

/** Asks a server what compiles its constraints. @throws EngineError if it does not answer */
export type FindBackend = (client: HttpClient, signal: AbortSignal) => Promise<GrammarBackend>

/** What compiles a server's constraints, as far as it was asked. */
export interface KnownBackend {
  /** Asks the server if it is not known, once for calls that come together. */
  get(client: HttpClient, signal: AbortSignal): Promise<GrammarBackend>
  /** Asks again when it is needed next: another process may answer then. Changes nothing if the host named it. */
  forget(): void
}

/**
 * @param named - by the host; the server is not asked then
 * @param onBackend - told of the first that is found, and of each other one
 */
export function createKnownBackend(
  find: FindBackend,
  named: GrammarBackend | undefined,
  onBackend: ((backend: GrammarBackend) => void) | undefined,
): KnownBackend {
  let known = named
  let told: GrammarBackend | undefined
  let asked: HttpClient | undefined

  const ask = sharedWork(async (signal) => {
    const found = await find(asked as HttpClient, signal)
    known = found
    if (found !== told) onBackend?.(found)
    told = found
    return found
  })

  return {
    async get(client, signal) {
      if (known !== undefined) return known
      asked = client
      return await ask(signal)
    },
    forget() {
      known = named
    },
  }
}
