import { check, HarmonyResponsesError } from '../../../shared/errors.js'

/** A server's address, and the secrets in its URL that no message may repeat. */
export interface Address {
  readonly isSecure: boolean
  readonly host: string
  /** The path before every endpoint: empty, or `/openai/v1`. */
  readonly path: string
  /** The URL of an endpoint, which may have a query, with the query of the server's URL. */
  endpoint(path: string): string
  /** The same for messages, without the query. */
  shown(path: string): string
  /** The `Authorization` header for the URL's user and password. */
  readonly authorization: string | undefined
  readonly secrets: readonly string[]
}

const EXPECTED = 'an http or https URL'

/**
 * Parses a server's URL. `fetch` rejects URLs with a user and a password, with a message that repeats them.
 *
 * @throws HarmonyResponsesError `bad_option`, with a message that repeats no possible secret
 */
export function addressOf(url: unknown): Address {
  check(typeof url === 'string', 'url', EXPECTED, url)
  const isHttp = /^https?:\/\//i.test(url)
  // Even an invalid URL may contain a password: `bob:pass@host`, or one with an unencoded `#`.
  if (!isHttp && !/[@?#]/.test(url)) check(false, 'url', EXPECTED, url)
  if (!isHttp || !URL.canParse(url)) throw wrong(EXPECTED, 'text that is not a valid URL')
  const { host, origin, pathname, search, searchParams, hash, username, password } = new URL(url)
  if (hash !== '') throw wrong(EXPECTED, 'one with a # (write %23 in a password)')
  const path = pathname.replace(/\/+$/, '')
  const user = percentDecoded(username)
  const pass = percentDecoded(password)
  if (user.includes(':')) throw wrong('a user name without a colon', 'one with a colon')
  const hasUser = username !== '' || password !== ''
  const basic = btoa(`${user}:${pass}`)
  return {
    isSecure: origin.startsWith('https:'),
    host,
    path,
    endpoint: (more) => `${origin}${path}${more}${more.includes('?') ? search.replace('?', '&') : search}`,
    shown: (more) => `${origin}${path}${more}`,
    authorization: hasUser ? `Basic ${basic}` : undefined,
    secrets: [
      ...(hasUser ? [`${username}:${password}`, username, password, ...[user, pass].map(utf8Text), basic] : []),
      ...search
        .slice(1)
        .split('&')
        .map((one) => one.slice(one.indexOf('=') + 1)),
      ...searchParams.values(),
    ],
  }
}

function wrong(expected: string, got: string): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_option', `url: expected ${expected}, got ${got}`)
}

/** Decodes to bytes, one per character, like URLs do; a `%` without two hex digits stays. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function utf8Text(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)))
}
