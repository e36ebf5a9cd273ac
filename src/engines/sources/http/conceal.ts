import { EngineError } from '../../contract/engine-error.js'

/** Removes secrets from messages that others wrote: a server, a proxy, a `fetch`. */
export interface Concealer {
  text(text: string): string
  /**
   * Whether a text or a value contains a secret, such as an error in its message, stack or cause, or is too deep to tell.
   */
  holds(value: unknown): boolean
  /**
   * Returns the error itself if neither it nor its cause contains a secret. Otherwise returns an EngineError without
   * the cause and with `[hidden]` in place of the secret. Errors of other classes are the caller's own and stay as they
   * are.
   */
  error(error: unknown): unknown
}

const MARK = '[hidden]'
/** Shorter values occur in ordinary words; hiding them would make messages unreadable. */
const SHORTEST = 4

export function createConcealer(values: readonly string[]): Concealer {
  const secrets = [...new Set(values.map((value) => value.trim()).flatMap(spellings))]
    .filter((secret) => secret.length >= SHORTEST)
    // Longer secrets first, because one may contain another.
    .sort((a, b) => b.length - a.length)

  const text = (message: string): string => secrets.reduce(without, message)

  function holds(value: unknown, depth = 4): boolean {
    if (typeof value === 'string') return text(value) !== value
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false
    // It is not known what lies deeper.
    if (depth === 0) return true
    try {
      return Object.getOwnPropertyNames(value).some((name) =>
        holds((value as Record<string, unknown>)[name], depth - 1),
      )
    } catch {
      // A getter threw, so the value may contain a secret.
      return true
    }
  }

  return {
    text,
    holds: (value) => secrets.length > 0 && holds(value),
    error(error) {
      if (!(error instanceof EngineError)) return error
      const { code, status, message, cause, isUnavailable, reason, retryAfterMs } = error
      const clean = text(message)
      if (clean === message && (secrets.length === 0 || !holds(cause))) return error
      return new EngineError(code, clean, {
        ...{ isUnavailable, retryAfterMs },
        ...(status !== undefined && { status }),
        ...(reason !== undefined && { reason: text(reason) }),
      })
    },
  }
}

/** The forms a secret may take in a message: plain, in JSON, in a URL. */
function spellings(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]
}

function without(text: string, secret: string): string {
  const whole = text.replaceAll(secret, MARK)
  // The message may be truncated inside the secret.
  const mark = /(?:\.\.\.|…)?"?$/.exec(whole.slice(-4))?.[0] ?? ''
  const length = whole.length - mark.length
  for (let max = Math.min(secret.length - 1, length); max >= SHORTEST; max--) {
    if (whole.startsWith(secret.slice(0, max), length - max)) {
      return whole.slice(0, length - max) + MARK + whole.slice(length)
    }
  }
  return whole
}
