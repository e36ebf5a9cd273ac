import { asString } from './stream-event.js'

/** Whether a text is JSON of a string that is itself the JSON of an object. */
export function isEncodedTwice(text: unknown): text is string {
  // A cheap test first: an exception takes as long as checking ten events.
  if (typeof text !== 'string' || !/^\s*"\s*\{/.test(text)) return false
  try {
    return typeof JSON.parse(JSON.parse(text)) === 'object'
  } catch {
    return false
  }
}

/** Whether a value is a text of valid JSON. */
export function isJson(text: unknown): boolean {
  // A cheap test first: an exception takes as long as checking ten events.
  if (!/^[\t\n\r ]*[[{"\-\dtfn]/.test(asString(text))) return false
  try {
    JSON.parse(asString(text))
    return true
  } catch {
    return false
  }
}
