/** One of the strings, and how much of its beginning the text ends in (Knuth, Morris and Pratt). */
class Needle {
  readonly length: number
  readonly text: string
  /** The number of its leading units that the text ends in. */
  matched = 0
  /** For each prefix, the length of the longest shorter prefix that it ends in. */
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
    // There is no unit after the last one, so a complete match continues from its border.
    while (this.matched > 0 && this.text.charCodeAt(this.matched) !== unit) {
      this.matched = this.#borders[this.matched] as number
    }
    if (this.text.charCodeAt(this.matched) === unit) this.matched += 1
  }
}

/**
 * Finds the first occurrence of some strings in a text that arrives in pieces. Of two overlapping ones, the one that
 * begins first counts, however the text is cut: if a string is complete inside a longer one that began before it, more
 * text has to decide.
 */
export class StopSearch {
  readonly #needles: readonly Needle[]
  #length = 0
  /** The length of the longest prefix of a string that the text ends in. */
  #open = 0
  /** Where the first complete string begins. */
  #first = Number.POSITIVE_INFINITY
  /** The string that begins there; of several, the one that is complete first. */
  #string = ''
  #found: number | undefined

  /** @param strings - none of them empty */
  constructor(strings: readonly string[]) {
    this.#needles = strings.map((string) => new Needle(string))
  }

  /** Where the match begins, in UTF-16 units of the text; undefined while there is none, or more text may decide. */
  get found(): number | undefined {
    return this.#found
  }

  /** The string of the match, if there is one. */
  get string(): string {
    return this.#string
  }

  /** How much of the text certainly precedes any match. */
  get certain(): number {
    return Math.min(this.#first, this.#length - this.#open)
  }

  /** Takes more text. Text after a match is ignored. */
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

  /** Ends the text: a complete string counts, although a longer one had begun before it. */
  end(): void {
    if (this.#first !== Number.POSITIVE_INFINITY) this.#found = this.#first
  }
}
