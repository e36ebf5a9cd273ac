import { DEEPEST, type Fields, isFields } from './stream-event.js'

/**
 * A number that is equal for equal JSON values, whatever the order of their keys, and for others almost never: 53 bits
 * of two hashes. What is kept of an item that is done is this and no text.
 */
export function jsonHash(value: unknown): number {
  const hash = new Hash()
  hash.value(value)
  return hash.sum()
}

/** Two hashes of 32 bits, by FNV-1a and a relative of it. */
class Hash {
  #a = 0x811c9dc5
  #b = 0x9e3779b9

  value(value: unknown, depth = 0): void {
    if (typeof value === 'string') this.#text(value, TEXT)
    else if (depth > DEEPEST) return
    else if (Array.isArray(value)) {
      this.#mix(LIST)
      for (const part of value) this.value(part, depth + 1)
      this.#mix(END)
    } else if (isFields(value)) {
      this.#fields(value, depth)
      this.#mix(OBJECT)
    } else this.#text(String(value), WORD)
  }

  sum(): number {
    return (this.#a >>> 0) * 0x200000 + (this.#b & 0x1fffff)
  }

  /** Each field by itself, and their sum: to sort the names takes longer than all the rest. */
  #fields(fields: Fields, depth: number): void {
    const [a, b] = [this.#a, this.#b]
    let [sumA, sumB] = [0, 0]
    for (const name of Object.keys(fields)) {
      // As JSON has it: a field without a value is none.
      if (fields[name] === undefined) continue
      this.#a = FIELD_A
      this.#b = FIELD_B
      this.#text(name, TEXT)
      this.value(fields[name], depth + 1)
      sumA = (sumA + this.#a) | 0
      sumB = (sumB + this.#b) | 0
    }
    this.#a = a
    this.#b = b
    this.#mix(sumA)
    this.#mix(sumB)
  }

  #text(text: string, kind: number): void {
    let [a, b] = [this.#a, this.#b]
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      a = Math.imul(a ^ unit, 0x01000193)
      b = Math.imul(b ^ unit, 0x85ebca6b) ^ (b >>> 13)
    }
    this.#a = a
    this.#b = b
    // Behind the text, so that no two texts side by side are taken for two others.
    this.#mix(kind + text.length)
  }

  #mix(word: number): void {
    this.#a = Math.imul(this.#a ^ word, 0x01000193)
    this.#b = Math.imul(this.#b ^ word, 0x85ebca6b) ^ (this.#b >>> 13)
  }
}

/** What the hashes of a field begin with. */
const [FIELD_A, FIELD_B] = [0x2545f491, 0x7f4a7c15] as const

/** What a value is: far apart, and no unit of a text. */
const [TEXT, WORD, LIST, OBJECT, END] = [0x10000000, 0x20000000, 0x30000000, 0x40000000, 0x50000000] as const
