import { check, HarmonyResponsesError } from '../../errors.js'

/** What is sent with every request, and what of it no message may repeat. */
export interface RequestHeaders {
  readonly headers: Headers
  readonly secrets: readonly string[]
}

/**
 * The library's own headers, and the caller's, which win over them.
 *
 * @param fromUrl - the `Authorization` that stands in the URL
 * @throws HarmonyResponsesError `bad_option`. `Headers` would throw a TypeError that repeats the value
 */
export function requestHeaders(apiKey: unknown, own: unknown, fromUrl: string | undefined): RequestHeaders {
  const isObject = typeof own === 'object' && own !== null
  // A `Headers`, a `Map` or a list has no entries of its own: all would be lost.
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
    // Not in the message: what is no name may be a whole line, its value included.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw wrong('headers', 'valid HTTP header names', 'an invalid one')
    const what = `headers[${JSON.stringify(name)}]`
    checkValue(what, value)
    // Of `Bearer key` the key alone, too.
    secrets.push(value, ...value.split(/\s+/).slice(1, 2))
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

/** Nobody can tell which of two is meant, and the wrong one would go to the wrong server. */
function setOnly(headers: Headers, name: string, value: string, fromUrl: string | undefined, what: string): void {
  if (fromUrl !== undefined && fromUrl !== value) throw wrong(what, 'it unset when url has a user and password', 'both')
  headers.set(name, value)
}

function wrong(what: string, expected: string, got: string): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_option', `${what}: expected ${expected}, got ${got}`)
}
