/** Begins an escaped text. */
const MARK = '\u0001'

/** What databases do not take, or read only a part of: NULs, and halves of surrogate pairs. A client's id may contain them. */
const UNSAFE = /\0|\p{Surrogate}/u

/** Escapes a text that a database would change. */
export function marked(text: string): string {
  return UNSAFE.test(text) || isMarked(text) ? MARK + JSON.stringify(text) : text
}

export function isMarked(text: string): boolean {
  return text.startsWith(MARK)
}

export function unmarked(text: string): string {
  return isMarked(text) ? (JSON.parse(text.slice(MARK.length)) as string) : text
}
