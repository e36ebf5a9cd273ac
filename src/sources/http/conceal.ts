import { EngineError } from '../../engine/engine-error.js'

/** Keeps secrets out of messages that others wrote: a server, a proxy, a `fetch`. */
export interface Concealer {
  text(text: string): string
  /**
   * The error, where neither it nor what caused it holds a secret. Otherwise the same EngineError without its cause,
   * and with a mark in place of the secret. Errors of other classes are the caller's own.
   */
  error(error: unknown): unknown
}

const MARK = '[hidden]'
/** A shorter value is found in ordinary words: to hide it would only make messages unreadable. */
const SHORTEST = 4

export function createConcealer(values: readonly string[]): Concealer {
  const secrets = [...new Set(values.map((value) => value.trim()).flatMap(spellings))]
    .filter((secret) => secret.length >= SHORTEST)
    // Whole before its parts.
    .sort((a, b) => b.length - a.length)

  const text = (message: string): string => secrets.reduce(without, message)

  function holds(value: unknown, depth = 4): boolean {
    if (typeof value === 'string') return text(value) !== value
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || depth === 0) return false
    try {
      return Object.getOwnPropertyNames(value).some((name) =>
        holds((value as Record<string, unknown>)[name], depth - 1),
      )
    } catch {
      // What cannot be looked at may hold anything.
      return true
    }
  }

  return {
    text,
    error(error) {
      if (!(error instanceof EngineError)) return error
      const { code, status, message, cause } = error
      const clean = text(message)
      if (clean === message && (secrets.length === 0 || !holds(cause))) return error
      return new EngineError(code, clean, status === undefined ? {} : { status })
    },
  }
}

/** As a message may have it: plain, within JSON, within a URL. */
function spellings(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]
}

function without(text: string, secret: string): string {
  const whole = text.replaceAll(secret, MARK)
  // A message may have been cut in the middle of it.
  const { length } = whole.replace(/(?:\.\.\.)?"?$/, '')
  for (let most = Math.min(secret.length - 1, length); most >= SHORTEST; most--) {
    if (whole.startsWith(secret.slice(0, most), length - most)) {
      return whole.slice(0, length - most) + MARK + whole.slice(length)
    }
  }
  return whole
}
