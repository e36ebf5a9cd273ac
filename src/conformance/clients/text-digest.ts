/**
 * A text of any length in a few numbers: how it begins, how long it is, and a hash. Two digests are appended to each
 * other as their texts would be, so that what a client shows can be compared with what a stream says without keeping
 * either.
 */
export class TextDigest {
  /** The first characters, for messages. */
  head = ''
  length = 0
  #a = 0
  #b = 0

  static of(text: string): TextDigest {
    return new TextDigest().append(text)
  }

  append(text: string): this {
    if (this.head.length < HEAD) this.head = (this.head + text).slice(0, HEAD)
    let [a, b] = [this.#a, this.#b]
    for (let at = 0; at < text.length; at++) {
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
  join(other: TextDigest): this {
    if (this.head.length < HEAD) this.head = (this.head + other.head).slice(0, HEAD)
    this.#a = (Math.imul(this.#a, power(BASE_A, other.length)) + other.#a) | 0
    this.#b = (Math.imul(this.#b, power(BASE_B, other.length)) + other.#b) | 0
    this.length += other.length
    return this
  }

  /** Equal for equal texts, and for others almost never. */
  get key(): string {
    return `${this.length}:${this.#a}:${this.#b}`
  }

  equals(other: TextDigest): boolean {
    return this.length === other.length && this.#a === other.#a && this.#b === other.#b
  }

  /** The text for a message: as JSON, and of a long one the beginning. */
  toString(): string {
    return JSON.stringify(this.length > this.head.length ? `${this.head}...` : this.head)
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
