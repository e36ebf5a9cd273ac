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
  /** The length and the hash of what comes before its first letter. */
  #before: Mark = NOTHING
  /** Those of all up to its last letter; nothing if it has none. In fields, since each delta changes them. */
  #inkedLength = 0
  #inkedA = 0
  #inkedB = 0

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
    let end = text.length
    while (end > 0 && isBlank(text, end - 1)) end--
    if (end > 0) {
      let begin = 0
      if (this.#inkedLength === 0) {
        while (isBlank(text, begin)) begin++
        this.#hash(text, 0, begin)
        this.#before = this.#mark
      }
      this.#hash(text, begin, end)
      this.#inkedLength = this.length
      this.#inkedA = this.#a
      this.#inkedB = this.#b
    }
    if (end < text.length) this.#hash(text, end, text.length)
    return this
  }

  #hash(text: string, begin: number, end: number): void {
    let a = this.#a
    let b = this.#b
    for (let at = begin; at < end; at++) {
      // Adds 1: otherwise leading U+0000 characters would not change the hash.
      const unit = text.charCodeAt(at) + 1
      a = (Math.imul(a, BASE_A) + unit) | 0
      b = (Math.imul(b, BASE_B) + unit) | 0
    }
    this.#a = a
    this.#b = b
    this.length += end - begin
  }

  get #mark(): Mark {
    return { length: this.length, a: this.#a, b: this.#b }
  }

  get #inked(): Mark | undefined {
    return this.#inkedLength === 0 ? undefined : { length: this.#inkedLength, a: this.#inkedA, b: this.#inkedB }
  }

  set #inked({ length, a, b }: Mark) {
    this.#inkedLength = length
    this.#inkedA = a
    this.#inkedB = b
  }

  /** Appends the text of another hash. */
  join(other: TextHash): this {
    if (other.length === 0) return this
    if (this.length === 0) {
      this.head = other.head
      this.length = other.length
      this.#a = other.#a
      this.#b = other.#b
      this.#before = other.#before
      this.#inkedLength = other.#inkedLength
      this.#inkedA = other.#inkedA
      this.#inkedB = other.#inkedB
      return this
    }
    // Reads `other` first, because a text can be appended to itself.
    const { head } = other
    const [own, all] = [this.#mark, other.#mark]
    const inked = other.#inked
    if (inked !== undefined) {
      if (this.#inkedLength === 0) this.#before = joined(own, other.#before)
      this.#inked = joined(own, inked)
    }
    this.#show(head)
    const { length, a, b } = joined(own, all)
    this.#a = a
    this.#b = b
    this.length = length
    return this
  }

  /** A key: the same for equal texts, and almost never for different ones. */
  get key(): string {
    return `${this.length}:${this.#a}:${this.#b}`
  }

  equals(other: TextHash): boolean {
    return this.length === other.length && this.#a === other.#a && this.#b === other.#b
  }

  /** Whether a reader sees the same: texts without blanks around them are equal. */
  looksLike(other: TextHash): boolean {
    if (this.equals(other)) return true
    const [own, theirs] = [this.#ink, other.#ink]
    return own.length === theirs.length && own.a === theirs.a && own.b === theirs.b
  }

  /** The text without blanks around it. */
  get #ink(): Mark {
    if (this.#inkedLength === 0) return NOTHING
    const [length, a, b] = [this.#inkedLength, this.#inkedA, this.#inkedB]
    const rest = length - this.#before.length
    return {
      length: rest,
      a: (a - Math.imul(this.#before.a, power(BASE_A, rest))) | 0,
      b: (b - Math.imul(this.#before.b, power(BASE_B, rest))) | 0,
    }
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

/** The beginning of a text, reduced to its length and its hash. */
interface Mark {
  readonly length: number
  readonly a: number
  readonly b: number
}

const joined = (one: Mark, other: Mark): Mark => ({
  length: one.length + other.length,
  a: (Math.imul(one.a, power(BASE_A, other.length)) + other.a) | 0,
  b: (Math.imul(one.b, power(BASE_B, other.length)) + other.b) | 0,
})

/** Whether a character is a blank, a tab or the end of a line. */
const isBlank = (text: string, at: number): boolean => text.charCodeAt(at) <= 0x20

/** How many UTF-16 code units to keep for messages. */
const HEAD = 60

const [BASE_A, BASE_B] = [0x01000193, 0x5bd1e995] as const

const NOTHING: Mark = { length: 0, a: 0, b: 0 }

/** `base` to the power of `exponent`, modulo 2^32. */
function power(base: number, exponent: number): number {
  let result = 1
  for (let square = base, rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = Math.imul(result, square)
    square = Math.imul(square, square)
  }
  return result
}
