/** The way from the body to a value in it. */
export type Path = readonly PropertyKey[]

/** The longest path that an error shows. Keys are the client's, and may be of any length. */
const LONGEST = 200

/** `input[3].content[0].type` */
export function pathOf(path: Path): string {
  let text = ''
  for (const step of path) {
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step).slice(0, LONGEST)}`
    if (text.length > LONGEST) return `${text.slice(0, LONGEST)}...`
  }
  return text
}

/** What is at a path, null included; undefined if nothing is. */
export function valueAt(body: unknown, path: Path): unknown {
  let value = body
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as { readonly [key: PropertyKey]: unknown })[step]
  }
  return value
}
