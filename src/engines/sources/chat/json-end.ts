/** Watches the text of a JSON object, which arrives in pieces, for its end. */
export class JsonEnd {
  #depth = 0
  #isString = false
  #isEscaped = false
  #isWhole = false

  /** Whether the object is complete. White space may follow. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  push(text: string): void {
    for (let at = 0; at < text.length && !this.#isWhole; at++) this.#take(text[at] as string)
  }

  #take(unit: string): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (unit === '\\') this.#isEscaped = this.#isString
    else if (unit === '"') this.#isString = !this.#isString
    else if (!this.#isString && (unit === '{' || unit === '[')) this.#depth += 1
    else if (!this.#isString && (unit === '}' || unit === ']')) {
      this.#depth -= 1
      this.#isWhole = this.#depth <= 0
    }
  }
}
