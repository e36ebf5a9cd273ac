import { check, HarmonyResponsesError } from '../../../shared/errors.js'

/** The headers of every request, and the secrets in them that no message may repeat. */
export interface RequestHeaders {
  readonly headers: Headers
  readonly secrets: readonly string[]
}

/**
 * Merges the library's headers with the caller's, which take precedence.
 *
 * @param fromUrl - the `Authorization` from the URL
 * @throws HarmonyResponsesError `bad_option`, where `Headers` would throw a TypeError that repeats the value
 */
export function requestHeaders(apiKey: unknown, own: unknown, fromUrl: string | undefined): RequestHeaders {
  const isObject = typeof own === 'object' && own !== null
  // A `Headers`, a `Map` or a list has no own entries, so all headers would be lost.
  check(isObject && !(Symbol.iterator in own), 'headers', 'an object of names and values', own)
  const headers = new Headers({ 'content-type': 'application/json' })
  const secrets: string[] = []
  if (fromUrl !== undefined) headers.set('authorization', fromUrl)
  if (apiKey !== undefined) {
    checkValue('apiKey', apiKey)
    secrets.push(apiKey)
    setOnly(headers, 'authorization', `Bearer ${apiKey}`, fromUrl, 'apiKey')
  }
  for (const [name, value] of Object.entries(own)) {
    // The message must not repeat it: an invalid name may be a complete header line with its value.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw wrong('headers', 'valid HTTP header names', 'an invalid one')
    const what = `headers[${JSON.stringify(name)}]`
    checkValue(what, value)
    // Also hide the key of `Bearer key` on its own.
    secrets.push(value)
    const [, credentials] = value.split(/\s+/, 2)
    if (credentials !== undefined) secrets.push(credentials)
    if (name.toLowerCase() === 'authorization') setOnly(headers, name, value, fromUrl, what)
    else headers.set(name, value)
  }
  return { headers, secrets }
}

function checkValue(what: string, value: unknown): asserts value is string {
  if (typeof value !== 'string')
    throw wrong(what, 'a string', value === null ? 'null' : `a value of type ${typeof value}`)
  const expected = 'one line of characters up to U+00FF'
  if (/[\r\n]/.test(value)) throw wrong(what, expected, 'one with a line break')
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw wrong(what, expected, 'a character outside that range')
}

/** Sets `Authorization`. Two different values are an error: the wrong one could leak to the wrong server. */
function setOnly(headers: Headers, name: string, value: string, fromUrl: string | undefined, what: string): void {
  if (fromUrl !== undefined && fromUrl !== value) throw wrong(what, 'it unset when url has a user and password', 'both')
  headers.set(name, value)
}

function wrong(what: string, expected: string, got: string): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_option', `${what}: expected ${expected}, got ${got}`)
}
