/**
 * Whether the arguments so far are a complete JSON object or list, by which the SDK decides whether a call may
 * continue.
 */
export class ArgumentState {
  /** The open brackets; undefined before the first character, null if the text is neither an object nor a list. */
  #open: string[] | null | undefined
  #isInString = false
  #isEscaped = false
  #isWhole = false

  get isWhole(): boolean {
    return this.#isWhole
  }

  append(delta: string): void {
    for (const character of delta) this.#take(character)
  }

  #take(character: string): void {
    if (this.#open === null || this.#isWhole) return
    if (this.#open === undefined) {
      if (/\s/.test(character)) return
      this.#open = character === '{' || character === '[' ? [character] : null
      return
    }
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (character === '\\') this.#isEscaped = true
      else if (character === '"') this.#isInString = false
      return
    }
    if (character === '"') this.#isInString = true
    else if (character === '{' || character === '[') this.#open.push(character)
    else if (character === '}' || character === ']') this.#close(character === '}' ? '{' : '[')
  }

  #close(opening: string): void {
    if (this.#open?.at(-1) !== opening) {
      this.#open = null
      return
    }
    this.#open.pop()
    this.#isWhole = this.#open.length === 0
  }
}

/** Whether a text begins as a JSON object or list does. */
export const beginsWhole = (text: unknown): boolean => typeof text === 'string' && /^\s*[{[]/.test(text)
