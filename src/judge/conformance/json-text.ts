import { parseJson } from './read/parse-json.js'
import { asString, lookUp } from './stream-event.js'

/** Whether a text is JSON of a string that is itself the JSON of an object. */
export function isEncodedTwice(text: unknown): text is string {
  if (typeof text !== 'string' || !/^\s*"\s*\{/.test(text)) return false
  try {
    return typeof JSON.parse(JSON.parse(text)) === 'object'
  } catch {
    return false
  }
}

/** The value of a text of JSON; undefined if it is none. */
export function jsonIn(text: string): { readonly value: unknown } | undefined {
  return isLikeJson(text) ? parseJson(text) : undefined
}

/** The last character of JSON text, by its first. */
const ENDS: Readonly<Record<string, string>> = { '{': '}', '[': ']', '"': '"' }
const SCALAR = /^(?:-?\d[\d.eE+-]*|true|false|null)$/

/**
 * Whether text may be JSON, by its ends. Checked before parsing, as an exception takes as long as checking ten events.
 */
function isLikeJson(text: string): boolean {
  const inner = text.trim()
  const end = lookUp(ENDS, inner.charAt(0))
  return end === undefined ? SCALAR.test(inner) : inner.endsWith(end)
}

/** Whether a value is a text of valid JSON. */
export function isJson(text: unknown): boolean {
  return jsonIn(asString(text)) !== undefined
}
