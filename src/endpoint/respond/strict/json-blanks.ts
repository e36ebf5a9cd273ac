const BLANK = /[ \t\n\r]/

/**
 * Removes the blanks between the tokens of a JSON text, which comes in pieces. A backend may write more of them than our
 * grammars allow, and in other places.
 */
export class JsonBlanks {
  #isInString = false
  #isEscaped = false
  /** Whether a number outside strings is the last thing before the blanks. */
  #isAfterDigit = false
  #hasBlank = false

  /** Returns a piece without its blanks. */
  remove(piece: string): string {
    let kept = ''
    let from = 0
    for (let at = 0; at < piece.length; at++) {
      const char = piece[at] as string
      const isBlank = !this.#isInString && BLANK.test(char)
      if (isBlank) {
        kept += piece.slice(from, at)
        from = at + 1
      } else this.#read(char)
      this.#hasBlank = isBlank
    }
    return kept + piece.slice(from)
  }

  /** Whether a blank ended the number before it, so that no digit may follow. */
  get hasEndedNumber(): boolean {
    return this.#hasBlank && this.#isAfterDigit
  }

  #read(char: string): void {
    this.#isAfterDigit = !this.#isInString && char >= '0' && char <= '9'
    if (this.#isEscaped) this.#isEscaped = false
    else if (char === '"') this.#isInString = !this.#isInString
    else if (char === '\\') this.#isEscaped = this.#isInString
  }
}
