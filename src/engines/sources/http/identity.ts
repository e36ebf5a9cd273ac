import type { Address } from './address.js'
import { type Concealer, createConcealer } from './conceal.js'
import { type RequestHeaders, requestHeaders } from './request-headers.js'

/** How a client proves to a server who it is. */
export interface Identity {
  /** Returns the headers of the next request. @throws HarmonyResponsesError `bad_option` for an invalid key */
  headers(): Headers
  /** Returns what removes its secrets from messages. */
  concealer(): Concealer
}

/**
 * @param apiKey - a key, or a function that is called here and for each request
 * @param own - the caller's headers
 * @throws HarmonyResponsesError `bad_option`
 */
export function createIdentity(apiKey: unknown, own: unknown, address: Address): Identity {
  const made = (key: unknown): RequestHeaders => requestHeaders(key, own, address.authorization)
  const concealing = (...all: readonly RequestHeaders[]): Concealer =>
    createConcealer([...address.secrets, ...all.flatMap(({ secrets }) => secrets)])
  let key: unknown = typeof apiKey === 'function' ? apiKey() : apiKey
  let known = made(key)
  let concealer = concealing(known)
  return {
    headers() {
      const next: unknown = typeof apiKey === 'function' ? apiKey() : key
      if (next !== key) {
        const changed = made(next)
        // A request that was sent with the key before may still be answered.
        concealer = concealing(changed, known)
        known = changed
        key = next
      }
      return known.headers
    },
    concealer: () => concealer,
  }
}
