/** The path from the body to a value in it. */
export type Path = readonly PropertyKey[]

/** The longest path that an error shows, since keys are the client's and may be of any length. */
const MAX_LENGTH = 200

/** Formats a path: `input[3].content[0].type`. */
export function pathOf(path: Path): string {
  let text = ''
  for (const step of path) {
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step).slice(0, MAX_LENGTH)}`
    if (text.length > MAX_LENGTH) return `${text.slice(0, MAX_LENGTH)}...`
  }
  return text
}

/** Returns the value at a path, which may be null; undefined if there is none. */
export function valueAt(body: unknown, path: Path): unknown {
  let value = body
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as { readonly [key: PropertyKey]: unknown })[step]
  }
  return value
}
