/** Strings of JSON, the last one perhaps without its end. */
const STRINGS = /"(?:[^"\\]|\\.)*(?:"|\\?$)/g

/** Returns the length of the longest white space outside of strings. */
export function longestBlank(text: string): number {
  const outside = text.replace(STRINGS, '"')
  return Math.max(0, ...Array.from(outside.matchAll(/\s+/g), ([blank]) => blank.length))
}

/** Drops the blanks of a body, and digits of a number that only our grammar limits: xgrammar and outlines do not. */
export function compacted(text: string): string {
  return outsideStrings(text, (piece) => piece.replace(/\s+/g, '').replace(/(\d{15})\d+/g, '$1'))
}

/** Drops the exponents of a body: outlines writes them behind any number, our grammar only behind one digit. */
export function withoutExponents(text: string): string {
  return outsideStrings(text, (piece) => piece.replace(/(\d)[eE][-+]?\d*/g, '$1'))
}

function outsideStrings(text: string, change: (piece: string) => string): string {
  let rest = ''
  let at = 0
  for (const { 0: string, index } of text.matchAll(STRINGS)) {
    rest += change(text.slice(at, index)) + string
    at = index + string.length
  }
  return rest + change(text.slice(at))
}
