/** The names of definitions that are referred to, by definition. */
export interface TypeNames {
  readonly size: number
  get(definition: object): string | undefined
  /**
   * Returns the name of a definition, derived from a word at the first call. Names differ from each other and from
   * keywords.
   */
  nameOf(definition: object, word: string): string
}

export function createTypeNames(): TypeNames {
  const names = new Map<object, string>()
  const taken = new Set<string>()
  /** The last number that was appended to a name. */
  const numbers = new Map<string, number>()

  function unused(base: string): string {
    let name = base
    for (let number = numbers.get(base) ?? 2; taken.has(name); number++) {
      name = `${base}${number}`
      numbers.set(base, number)
    }
    taken.add(name)
    return name
  }

  return {
    get size() {
      return names.size
    },
    get: (definition) => names.get(definition),
    nameOf(definition, word) {
      const name = names.get(definition) ?? unused(identifier(word))
      names.set(definition, name)
      return name
    },
  }
}

/** Longer names are cut. */
const MAX_NAME = 60

/** Writes `Node` for `node`: no keyword of TypeScript begins with a capital. */
function identifier(word: string): string {
  const letters = word
    .slice(0, MAX_NAME)
    .replace(/\W/g, '_')
    .replace(/^(?=\d|$)/, '_')
  return letters.replace(/^[a-z]/, (letter) => letter.toUpperCase())
}
