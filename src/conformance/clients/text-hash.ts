/**
 * A text of any length in a few numbers: how it begins, how long it is, and a hash. Two digests are appended to each
 * other as their texts would be, so that what a client shows can be compared with what a stream says without keeping
 * either.
 */
export class TextHash {
  /** The first characters, for messages. */
  head = ''
  length = 0
  #a = 0
  #b = 0

  static of(text: string): TextHash {
    return new TextHash().append(text)
  }

  append(text: string): this {
    this.#show(text)
    let [a, b] = [this.#a, this.#b]
    for (let at = 0; at < text.length; at++) {
      // Never 0: a text is not the same with more of them in front.
      const unit = text.charCodeAt(at) + 1
      a = (Math.imul(a, BASE_A) + unit) | 0
      b = (Math.imul(b, BASE_B) + unit) | 0
    }
    this.#a = a
    this.#b = b
    this.length += text.length
    return this
  }

  /** Appends the text of another digest. */
  join(other: TextHash): this {
    // Read before anything changes: a text can be appended to itself.
    const { head, length } = other
    const [a, b] = [other.#a, other.#b]
    this.#show(head)
    this.#a = (Math.imul(this.#a, power(BASE_A, length)) + a) | 0
    this.#b = (Math.imul(this.#b, power(BASE_B, length)) + b) | 0
    this.length += length
    return this
  }

  /** Equal for equal texts, and for others almost never. */
  get key(): string {
    return `${this.length}:${this.#a}:${this.#b}`
  }

  equals(other: TextHash): boolean {
    return this.length === other.length && this.#a === other.#a && this.#b === other.#b
  }

  /** The text for a message: as JSON, and of a long one the beginning. */
  toString(): string {
    if (this.length === this.head.length) return JSON.stringify(this.head)
    // Half a character at the end of the beginning would be shown as an escape.
    return JSON.stringify(`${this.head.replace(/[\ud800-\udbff]$/, '')}...`)
  }

  /** The text as it is, or its beginning: where quotes would be noise, as around JSON. */
  get plain(): string {
    if (this.length === 0) return 'nothing'
    return this.length === this.head.length ? this.head : `${this.head}...`
  }

  #show(text: string): void {
    // The head is the text until it is full: what follows a cut one is not behind it.
    if (this.head.length < HEAD && this.head.length === this.length) this.head += text.slice(0, HEAD - this.head.length)
  }
}

/** So many characters are kept for messages. */
const HEAD = 60

const [BASE_A, BASE_B] = [0x01000193, 0x5bd1e995] as const

/** `base` multiplied with itself, in 32 bits. */
function power(base: number, exponent: number): number {
  let result = 1
  for (let square = base, rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = Math.imul(result, square)
    square = Math.imul(square, square)
  }
  return result
}
