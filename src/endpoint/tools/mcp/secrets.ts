import { type Concealer, createConcealer } from '../../../engines/sources/http/conceal.js'
import { shortened } from '../../../shared/shortened.js'
import type { McpServerConfig } from './options.js'

/**
 * The ends of the names of environment variables whose values are secrets, before an `_ID` or a number. Others are paths
 * and flags, which messages need.
 */
const SECRET_NAMES = [
  /(?:token|secret|authorization|credential|cookie|session|signature)s?$/,
  /(?:^|[_-]|api|access|auth|private|secret)keys?$/,
  /(?:^|[_-])(?:auth|oauth|pat|jwt|sig)$/,
]
/** The same of passwords, which may look like any word. */
const PASSWORD_NAME = /(?:passw(?:or)?d|passphrase)s?$|(?:^|[_-])pass$|[_-]pwd$/
/** Headers that are no credentials. */
const PUBLIC_HEADER = /^(?:accept|content-type$|user-agent$|mcp-)/
/** Values of switches. */
const SWITCH = /^(?:true|false|none|null|default)$/i
/** Of an error that is replaced. In UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 10_000

/**
 * Creates a concealer of what a server was given and may repeat: values of headers, the user, the password and the query
 * of its address, and variables of its environment that are named like secrets. What is no password and looks like an
 * ordinary word is not concealed, because messages could not be read without it.
 */
export function concealerOf(config: McpServerConfig): Concealer {
  if ('url' in config) {
    const headers = Object.entries(config.headers ?? {}).flatMap(([name, value]) => inHeader(name.toLowerCase(), value))
    return createConcealer([...headers, ...inAddress(config.url)])
  }
  const env = 'command' in config ? Object.entries(config.env ?? {}) : []
  return createConcealer(env.filter(([name, value]) => isSecret(name, value)).map(([, value]) => value))
}

/** Returns the error as the operator may see it: itself, unless it or a cause of it has a secret, or is too deep to tell. */
export function shownError(error: unknown, conceal: Concealer): unknown {
  // An error of JSON quotes the beginning of what the server sent, which may be that of a secret.
  if (!(error instanceof SyntaxError) && !conceal.holds(error)) return error
  const { name, code, status, message = error } = Object(error) as Readonly<Record<string, unknown>>
  const words = error instanceof SyntaxError ? 'The server sent a text that is not JSON.' : String(message)
  const shown = new Error(shortened(conceal.text(words), MAX_MESSAGE_LENGTH))
  const known = Object.entries({ code, status }).filter(([, value]) => typeof value === 'number')
  return Object.assign(shown, { name: conceal.text(String(name ?? 'Error')) }, Object.fromEntries(known))
}

function isSecret(name: string, value: string): boolean {
  const end = name.toLowerCase().replace(/[_-]?(?:id|\d+)$/, '')
  return PASSWORD_NAME.test(end) || (isTelling(value) && SECRET_NAMES.some((names) => names.test(end)))
}

/** Whether a value is more than an ordinary word or number. */
function isTelling(value: string): boolean {
  const text = value.trim()
  if (SWITCH.test(text) || /^[+-]?\d+(?:\.\d+)?$/.test(text)) return false
  return text.length >= 8 || (/\d/.test(text) && /\p{L}/u.test(text))
}

function inHeader(name: string, value: string): string[] {
  if (PUBLIC_HEADER.test(name)) return []
  const text = value.trim()
  const isAuthorization = /^(?:proxy-)?authorization$/.test(name)
  // The name of the scheme is no secret.
  const own = text.replace(isAuthorization ? /^\S+\s+/ : /^(?:basic|bearer|token)\s+/i, '')
  const parts = own.split(/[\s,;]+/).filter(isTelling)
  if (!isAuthorization) return isTelling(own) ? [own, ...parts] : parts
  return [own, ...parts, ...(/^basic\s/i.test(text) ? inBasic(own) : [])]
}

/** Returns `user:password` and the password. */
function inBasic(base64: string): string[] {
  try {
    const pair = new TextDecoder().decode(Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)))
    return [pair, pair.slice(pair.indexOf(':') + 1)]
  } catch {
    return []
  }
}

function inAddress(url: string | URL): string[] {
  const { username, password, search, searchParams } = new URL(url)
  const own = username === '' && password === '' ? [] : [`${username}:${password}`, username, password]
  const query = search
    .slice(1)
    .split('&')
    .map((one) => one.slice(one.indexOf('=') + 1))
  return [...own, ...own.map(decoded), ...[...query, ...searchParams.values()].filter(isTelling)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
