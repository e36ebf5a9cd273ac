import { quote } from './one-line.js'

/** Deeper values are written as `"..."`, which bounds the recursion. */
const MAX_DEPTH = 200

/**
 * Writes a JSON value on one line, without spaces. Never throws, however deep the value is.
 *
 * @param limit - the maximum number of characters; a cut is marked by ` ... (cut)`
 */
export function jsonText(value: unknown, limit: number = Number.POSITIVE_INFINITY): string {
  const parts: string[] = []
  let room = limit

  function add(part: string): void {
    parts.push(part.length > room ? part.slice(0, Math.max(room, 0)) : part)
    room -= part.length
  }

  function write(value: unknown, depth: number): void {
    if (room < 0) return
    if (typeof value === 'string') add(quote(value.length > room ? value.slice(0, room) : value))
    else if (typeof value !== 'object' || value === null) add(atomText(value))
    else if (depth >= MAX_DEPTH) add('"..."')
    else if (Array.isArray(value)) {
      add('[')
      for (let index = 0; index < value.length && room >= 0; index++) {
        if (index > 0) add(',')
        write(value[index], depth + 1)
      }
      add(']')
    } else {
      add('{')
      let isFirst = true
      for (const name of Object.keys(value)) {
        if (room < 0) break
        add(`${isFirst ? '' : ','}${quote(name)}:`)
        isFirst = false
        write((value as Readonly<Record<string, unknown>>)[name], depth + 1)
      }
      add('}')
    }
  }

  write(value, 0)
  if (room < 0) parts.push(' ... (cut)')
  return parts.join('')
}

/** Writes a JSON value as a TypeScript literal type, which every JSON text is; undefined if it is too long. */
export function literalType(value: unknown, limit: number): string | undefined {
  const text = jsonText(value, limit + 1)
  return text.length > limit ? undefined : text
}

/** Writes numbers as JavaScript does. A value that JSON cannot express is null. */
function atomText(value: unknown): string {
  return typeof value === 'boolean' || Number.isFinite(value) ? JSON.stringify(value) : 'null'
}
