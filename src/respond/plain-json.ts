/** A JSON value whose objects inherit nothing, and facts that its validation needs beforehand. */
export interface PlainJson {
  readonly value: unknown
  /** Its strings and the names of its properties. */
  readonly texts: ReadonlySet<string>
  readonly longestArray: number
}

/**
 * Parses JSON. Objects inherit nothing, because a schema may require a property called `constructor`.
 *
 * @throws SyntaxError if it is not JSON
 */
export function parsePlainJson(text: string): PlainJson {
  const texts = new Set<string>()
  let longestArray = 0
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') texts.add(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      longestArray = Math.max(longestArray, value.length)
      return value.map(copy)
    }
    const plain = Object.create(null) as { [name: string]: unknown }
    for (const [name, field] of Object.entries(value)) {
      texts.add(name)
      plain[name] = copy(field)
    }
    return plain
  }
  return { value: copy(JSON.parse(text)), texts, longestArray }
}
