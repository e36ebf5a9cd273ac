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
