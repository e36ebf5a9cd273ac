/** The maximum nesting: no input of a tool is deeper, and recursion has to be limited. */
const MAX_NESTING = 1000

/** The end of the text came within a value that has to be dropped. */
const DROPPED = Symbol('dropped')

/**
 * Parses JSON that may be cut off anywhere, as the Anthropic SDK does: values that were incomplete at the cut are
 * dropped (a string, a number, a word, a key without its value), and open containers are closed.
 *
 * @throws SyntaxError if something else than the end of the text is wrong, or nothing is left of it
 */
export function wholeJson(text: string): unknown {
  return new Reader(text).whole()
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): unknown {
    const value = this.#value(0)
    this.#space()
    if (value === DROPPED || !this.#isOver) throw new SyntaxError('no JSON')
    return value
  }

  get #isOver(): boolean {
    return this.#at >= this.#text.length
  }

  #space(): void {
    while (!this.#isOver && ' \t\n\r'.includes(this.#text[this.#at] as string)) this.#at++
  }

  #takes(character: string): boolean {
    const does = this.#text[this.#at] === character
    if (does) this.#at++
    return does
  }

  #value(depth: number): unknown {
    this.#space()
    if (this.#isOver) return DROPPED
    if (depth > MAX_NESTING) throw new SyntaxError('nested too deeply')
    const next = this.#text[this.#at] as string
    if (next === '{') return this.#object(depth)
    if (next === '[') return this.#list(depth)
    if (next === '"') return this.#string()
    return /[-.\d]/.test(next) ? this.#number() : this.#word()
  }

  #word(): unknown {
    const [word = ''] = /^[A-Za-z]*/.exec(this.#text.slice(this.#at, this.#at + 6)) ?? []
    this.#at += word.length
    if (word === 'true' || word === 'false' || word === 'null') return JSON.parse(word)
    this.#space()
    if (word !== '' && this.#isOver && ['true', 'false', 'null'].some((whole) => whole.startsWith(word))) return DROPPED
    throw new SyntaxError('no value')
  }

  #number(): unknown {
    const [digits = ''] = /^-?[\d.]*(?:[eE][-+]?[\d.]*)?/.exec(this.#text.slice(this.#at)) ?? []
    this.#at += digits.length
    // More digits may follow one that the text ends with.
    if (this.#isOver) return DROPPED
    const isWhole = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(digits)
    if (isWhole) return JSON.parse(digits)
    this.#space()
    if (this.#isOver) return DROPPED
    throw new SyntaxError('no number')
  }

  #string(): unknown {
    const begin = this.#at++
    while (!this.#isOver) {
      const character = this.#text[this.#at++]
      if (character === '\\') this.#at++
      else if (character === '"') return JSON.parse(this.#text.slice(begin, this.#at))
    }
    return DROPPED
  }

  #list(depth: number): unknown[] {
    this.#at++
    const values: unknown[] = []
    for (let isFirst = true; ; isFirst = false) {
      this.#space()
      if (isFirst && this.#takes(']')) return values
      const value = this.#value(depth + 1)
      if (value === DROPPED) return values
      values.push(value)
      if (this.#ends(']')) return values
    }
  }

  #object(depth: number): unknown {
    this.#at++
    const fields: [string, unknown][] = []
    for (let isFirst = true; ; isFirst = false) {
      this.#space()
      if (this.#isOver || (isFirst && this.#takes('}'))) break
      if (this.#text[this.#at] !== '"') throw new SyntaxError('no key')
      const name = this.#string()
      this.#space()
      if (name === DROPPED || this.#isOver) break
      if (!this.#takes(':')) throw new SyntaxError('no colon')
      const value = this.#value(depth + 1)
      if (value === DROPPED) break
      fields.push([name as string, value])
      if (this.#ends('}')) break
    }
    return Object.fromEntries(fields)
  }

  /** Reads the separator after a value. Returns whether that value was the last one. */
  #ends(bracket: string): boolean {
    this.#space()
    if (this.#isOver || this.#takes(bracket)) return true
    if (!this.#takes(',')) throw new SyntaxError('no comma')
    return false
  }
}
