/** A value of which the end of the text leaves nothing. */
export const CUT: unique symbol = Symbol('cut')

/**
 * Parses JSON that may be cut off anywhere: open arrays and objects end with the text. What is left of strings, numbers
 * and words that were cut depends on the client.
 */
export abstract class CutJsonReader {
  protected readonly text: string
  protected at = 0
  readonly #maxDepth: number

  /** @param maxDepth - how deeply values may be nested */
  constructor(text: string, maxDepth: number = Number.POSITIVE_INFINITY) {
    this.text = text
    this.#maxDepth = maxDepth
  }

  /** @throws SyntaxError if something else than the end of the text is wrong, or nothing is left of it */
  whole(): unknown {
    const value = this.first()
    this.space()
    if (!this.isOver) throw new SyntaxError('no JSON')
    return value
  }

  /** The first value, whatever comes behind it. Throws as `whole` does. */
  first(): unknown {
    const value = this.#value(0)
    if (value === CUT) throw new SyntaxError('no JSON')
    return value
  }

  protected get isOver(): boolean {
    return this.at >= this.text.length
  }

  protected abstract isNumber(character: string): boolean
  protected abstract string(): string | typeof CUT
  protected abstract number(): unknown
  protected abstract word(): unknown

  /** Whether a character is one of JSON's blanks. */
  protected isSpace(character: string): boolean {
    return ' \t\n\r'.includes(character)
  }

  /** Decides where a value is followed by neither a comma nor the bracket. Returns whether that value was the last one. */
  protected withoutComma(): boolean {
    throw new SyntaxError('no comma')
  }

  protected space(): void {
    while (!this.isOver && this.isSpace(this.text[this.at] as string)) this.at++
  }

  /** Reads the character if it comes next. Returns whether it did. */
  #takes(character: string): boolean {
    const does = this.text[this.at] === character
    if (does) this.at++
    return does
  }

  /** The next value; `CUT` at the end of the text. */
  #value(depth: number): unknown {
    this.space()
    if (this.isOver) return CUT
    if (depth > this.#maxDepth) throw new SyntaxError('nested too deeply')
    const next = this.text[this.at] as string
    if (next === '{') return this.#object(depth)
    if (next === '[') return this.#list(depth)
    if (next === '"') return this.string()
    return this.isNumber(next) ? this.number() : this.word()
  }

  #list(depth: number): unknown[] {
    this.at++
    const values: unknown[] = []
    for (let isFirst = true; ; isFirst = false) {
      this.space()
      if (isFirst && this.#takes(']')) return values
      const value = this.#value(depth + 1)
      if (value === CUT) return values
      values.push(value)
      if (this.#ends(']')) return values
    }
  }

  #object(depth: number): unknown {
    this.at++
    const fields: [string, unknown][] = []
    for (let isFirst = true; ; isFirst = false) {
      this.space()
      if (this.isOver || (isFirst && this.#takes('}'))) break
      if (this.text[this.at] !== '"') throw new SyntaxError('no key')
      const name = this.string()
      this.space()
      if (name === CUT || this.isOver) break
      if (!this.#takes(':')) throw new SyntaxError('no colon')
      const value = this.#value(depth + 1)
      if (value === CUT) break
      fields.push([name, value])
      if (this.#ends('}')) break
    }
    return Object.fromEntries(fields)
  }

  /** Reads the separator after a value. Returns whether that value was the last one. */
  #ends(bracket: string): boolean {
    this.space()
    if (this.isOver || this.#takes(bracket)) return true
    return this.#takes(',') ? false : this.withoutComma()
  }
}
