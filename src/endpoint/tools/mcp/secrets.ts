import { type Concealer, createConcealer } from '../../../engines/sources/http/conceal.js'
import { shortened } from '../../../shared/shortened.js'
import type { McpServerConfig } from './options.js'

/** Names of environment variables whose values are secrets: others are paths and flags, which messages need. */
const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie|session|private|signature/i
/** Of an error that is replaced. In UTF-16 code units. */
const LONGEST_MESSAGE = 10_000

/**
 * Creates a concealer of what a server was given and may repeat: values of headers, the user, the password and the query
 * of its address, and variables of its environment that are named like secrets.
 */
export function concealerOf(config: McpServerConfig): Concealer {
  if ('url' in config) {
    const values = Object.values(config.headers ?? {})
    // Also the key of `Bearer key` on its own.
    return createConcealer([
      ...values,
      ...values.flatMap((value) => value.split(/\s+/).slice(1)),
      ...inAddress(config.url),
    ])
  }
  const env = 'command' in config ? Object.entries(config.env ?? {}) : []
  return createConcealer(env.filter(([name]) => SECRET_NAME.test(name)).map(([, value]) => value))
}

/** Returns the error as the operator may see it: itself, unless it or a cause of it has a secret, or is too deep to tell. */
export function shownError(error: unknown, conceal: Concealer): unknown {
  // An error of JSON quotes the beginning of what the server sent, which may be that of a secret.
  if (!(error instanceof SyntaxError) && !conceal.holds(error)) return error
  const { name, code, status, message = error } = Object(error) as Readonly<Record<string, unknown>>
  const words = error instanceof SyntaxError ? 'The server sent a text that is not JSON.' : String(message)
  const shown = new Error(shortened(conceal.text(words), LONGEST_MESSAGE))
  const known = Object.entries({ code, status }).filter(([, value]) => typeof value === 'number')
  return Object.assign(shown, { name: conceal.text(String(name ?? 'Error')) }, Object.fromEntries(known))
}

function inAddress(url: string | URL): string[] {
  const { username, password, search, searchParams } = new URL(url)
  const own = username === '' && password === '' ? [] : [`${username}:${password}`, username, password]
  const query = search
    .slice(1)
    .split('&')
    .map((one) => one.slice(one.indexOf('=') + 1))
  return [...own, ...own.map(decoded), ...query, ...searchParams.values()]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
