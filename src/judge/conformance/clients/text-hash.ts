/**
 * A text reduced to its beginning, its length and a hash. Two of them can be joined like their texts, so that a
 * client's view can be compared with the stream without keeping the texts.
 */
export class TextHash {
  /** The first 60 UTF-16 code units, for messages. */
  head = ''
  length = 0
  #a = 0
  #b = 0

  static of(text: string): TextHash {
    return new TextHash().append(text)
  }

  /** The texts one behind the other. */
  static joined(texts: readonly TextHash[]): TextHash {
    const all = new TextHash()
    for (const text of texts) all.join(text)
    return all
  }

  append(text: string): this {
    this.#show(text)
    let [a, b] = [this.#a, this.#b]
    for (let at = 0; at < text.length; at++) {
      // Adds 1: otherwise leading U+0000 characters would not change the hash.
      const unit = text.charCodeAt(at) + 1
      a = (Math.imul(a, BASE_A) + unit) | 0
      b = (Math.imul(b, BASE_B) + unit) | 0
    }
    this.#a = a
    this.#b = b
    this.length += text.length
    return this
  }

  /** Appends the text of another hash. */
  join(other: TextHash): this {
    if (other.length === 0) return this
    if (this.length === 0) {
      this.head = other.head
      this.length = other.length
      this.#a = other.#a
      this.#b = other.#b
      return this
    }
    // Reads `other` first, because a text can be appended to itself.
    const { head, length } = other
    const [a, b] = [other.#a, other.#b]
    this.#show(head)
    this.#a = (Math.imul(this.#a, power(BASE_A, length)) + a) | 0
    this.#b = (Math.imul(this.#b, power(BASE_B, length)) + b) | 0
    this.length += length
    return this
  }

  /** A key: the same for equal texts, and almost never for different ones. */
  get key(): string {
    return `${this.length}:${this.#a}:${this.#b}`
  }

  equals(other: TextHash): boolean {
    return this.length === other.length && this.#a === other.#a && this.#b === other.#b
  }

  /** The text as a JSON string for messages; only the beginning of a long text. */
  toString(): string {
    if (this.length === this.head.length) return JSON.stringify(this.head)
    // Half a surrogate pair at the end would be shown as an escape.
    return JSON.stringify(`${this.head.replace(/[\ud800-\udbff]$/, '')}...`)
  }

  /** The text without quotes, for texts such as JSON; only the beginning of a long text. */
  get plain(): string {
    if (this.length === 0) return 'nothing'
    return this.length === this.head.length ? this.head : `${this.head}...`
  }

  #show(text: string): void {
    // Only while the head is the complete text: after a long text was joined, more text would not continue the head.
    if (this.head.length < HEAD && this.head.length === this.length) this.head += text.slice(0, HEAD - this.head.length)
  }
}

/** How many UTF-16 code units to keep for messages. */
const HEAD = 60

const [BASE_A, BASE_B] = [0x01000193, 0x5bd1e995] as const

/** `base` to the power of `exponent`, modulo 2^32. */
function power(base: number, exponent: number): number {
  let result = 1
  for (let square = base, rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = Math.imul(result, square)
    square = Math.imul(square, square)
  }
  return result
}
