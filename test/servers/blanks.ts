/** Strings of JSON, the last one perhaps without its end. */
const STRINGS = /"(?:[^"\\]|\\.)*(?:"|\\?$)/g

/** Returns the length of the longest white space outside of strings. */
export function longestBlank(text: string): number {
  const outside = text.replace(STRINGS, '"')
  return Math.max(0, ...Array.from(outside.matchAll(/\s+/g), ([blank]) => blank.length))
}

/**
 * Drops the blanks of a body, the exponents, which our grammar writes in another way, and digits of a number that only
 * our grammar limits: xgrammar and outlines do not.
 */
export function compacted(text: string): string {
  let rest = ''
  let at = 0
  for (const { 0: string, index } of text.matchAll(STRINGS)) {
    rest += compactedOutside(text.slice(at, index)) + string
    at = index + string.length
  }
  return rest + compactedOutside(text.slice(at))
}

function compactedOutside(text: string): string {
  const compact = text.replace(/\s+/g, '')
  return compact.replace(/(\d)[eE][-+]?\d*/g, '$1').replace(/(\d{15})\d+/g, '$1')
}
