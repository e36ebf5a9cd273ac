/** One of the strings, and how much of its beginning the text ends in: Knuth, Morris and Pratt. */
class Needle {
  readonly length: number
  readonly text: string
  /** How many of its units the text ends in. */
  matched = 0
  /** For each length of its beginning, the length of the longest shorter beginning that it ends in. */
  readonly #borders: Uint32Array

  constructor(text: string) {
    this.text = text
    this.length = text.length
    this.#borders = new Uint32Array(text.length + 1)
    for (let at = 1; at < text.length; at++) {
      this.push(text.charCodeAt(at))
      this.#borders[at + 1] = this.matched
    }
    this.matched = 0
  }

  push(unit: number): void {
    // Behind its last unit there is none, so that a whole match goes on from its border.
    while (this.matched > 0 && this.text.charCodeAt(this.matched) !== unit) {
      this.matched = this.#borders[this.matched] as number
    }
    if (this.text.charCodeAt(this.matched) === unit) this.matched += 1
  }
}

/**
 * Finds where the first of some strings begins in a text that comes in pieces. Of two that overlap, the one that begins
 * first counts, however the text is cut: where a string is complete inside a longer one that has begun before it, more
 * text has to decide.
 */
export class StopSearch {
  readonly #needles: readonly Needle[]
  #length = 0
  /** How long the longest beginning of a string is that the text ends in. */
  #open = 0
  /** Where the first of the complete strings begins. */
  #first = Number.POSITIVE_INFINITY
  /** The string that begins there; of several the one that is complete first. */
  #string = ''
  #found: number | undefined

  /** @param strings - none of them empty */
  constructor(strings: readonly string[]) {
    this.#needles = strings.map((string) => new Needle(string))
  }

  /** Where the match begins, in UTF-16 units of the text; undefined as long as there is none, or more text may decide. */
  get found(): number | undefined {
    return this.#found
  }

  /** The string of the match, if there is one. */
  get string(): string {
    return this.#string
  }

  /** How much of the text certainly stands in front of any match. */
  get certain(): number {
    return Math.min(this.#first, this.#length - this.#open)
  }

  /** Takes more of the text. What follows a match is ignored. */
  push(text: string): void {
    for (let at = 0; at < text.length && this.#found === undefined; at++) {
      const unit = text.charCodeAt(at)
      this.#length += 1
      this.#open = 0
      for (const needle of this.#needles) {
        needle.push(unit)
        this.#open = Math.max(this.#open, needle.matched)
        if (needle.matched === needle.length && this.#length - needle.length < this.#first) {
          this.#first = this.#length - needle.length
          this.#string = needle.text
        }
      }
      if (this.#first <= this.#length - this.#open) this.#found = this.#first
    }
  }

  /** The text is over: a complete string counts, although a longer one had begun before it. */
  end(): void {
    if (this.#first !== Number.POSITIVE_INFINITY) this.#found = this.#first
  }
}
