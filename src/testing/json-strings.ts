/** A string that is a value in a JSON text. */
export interface JsonString {
  /** The place of its quotes: the first one, and after the last one. */
  readonly start: number
  readonly end: number
  /** The path to it: names and indexes. */
  readonly path: readonly (string | number)[]
}

/** The strings of a JSON text that are values, in order. */
export function stringsIn(json: string): JsonString[] {
  const found: JsonString[] = []
  /** The open containers, with the name or index of the next value. */
  const open: { isObject: boolean; key: string | number }[] = []
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    const inner = open.at(-1)
    if (character === '{' || character === '[')
      open.push({ isObject: character === '{', key: character === '{' ? '' : 0 })
    else if (character === '}' || character === ']') open.pop()
    else if (character === ',' && typeof inner?.key === 'number') inner.key += 1
    else if (character === '"') {
      const end = endOfString(json, at)
      const isName = inner?.isObject === true && /^\s*:/.test(json.slice(end, end + 3))
      if (isName) inner.key = JSON.parse(json.slice(at, end)) as string
      else found.push({ start: at, end, path: open.map(({ key }) => key) })
      at = end - 1
    }
  }
  return found
}

function endOfString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}
