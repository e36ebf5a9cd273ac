/*
 * Spells text of a request where a line break, a quote or a brace would end the surrounding construct. Breaks are all
 * characters that TypeScript, Unicode or a reader may take for one.
 */
const BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/
const BREAKS = new RegExp(BREAK, 'g')

/** Splits a text into lines, without an empty one after the last break. */
export function linesOf(text: string): string[] {
  const lines = text.split(BREAK)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Writes the lines of a text as comments: `// LINE`. None for an empty text. */
export function commentLines(text: string): string[] {
  return linesOf(text).map((line) => `// ${line}`)
}

/** Writes a text on one line, with its breaks spelled as in JSON. */
export function inline(text: string): string {
  return text.replace(BREAKS, escaped)
}

/** Writes a string literal, with U+FFFD for lone surrogates, as in the encoder. */
export function quote(text: string): string {
  // JSON leaves these breaks as they are.
  return JSON.stringify(text.replace(/\p{Cs}/gu, '\ufffd')).replace(/[\u0085\u2028\u2029]/g, escaped)
}

/** Writes the name of a tool or a namespace: unquoted if it reads as one word, otherwise as a string literal. */
export function nameText(name: string): string {
  return WORD.test(name) ? name : quote(name)
}

/** Single slashes only, since `//` begins a comment. */
const WORD = /^[\p{L}\p{N}\p{M}_$.:@-]+(?:\/[\p{L}\p{N}\p{M}_$.:@-]+)*$/u

/** Writes the name of a property: unquoted if TypeScript allows it, otherwise as a string literal. */
export function propertyName(name: string): string {
  return PROPERTY.test(name) ? name : quote(name)
}

const PROPERTY = /^(?:[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*|0|[1-9]\d*)$/u

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\f': '\\f' }

function escaped(characters: string): string {
  return Array.from(characters, (one) => SHORT[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}
