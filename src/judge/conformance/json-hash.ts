import { type Fields, isFields } from '../../shared/fields.js'
import { MAX_DEPTH } from './stream-event.js'

/**
 * A 53-bit hash of a JSON value that does not depend on the order of its keys. Done items keep hashes instead of texts,
 * so that memory does not grow with the output.
 */
export function jsonHash(value: unknown): number {
  const hash = new Hash()
  hash.value(value)
  return hash.sum()
}

/** Two 32-bit hashes: FNV-1a and a variant. */
class Hash {
  #a = 0x811c9dc5
  #b = 0x9e3779b9

  value(value: unknown, depth = 0): void {
    if (typeof value === 'string') this.#text(value, TEXT)
    else if (depth > MAX_DEPTH) return
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

  /** Adds up the hashes of the fields. Sorting the names instead would take longer than all the rest. */
  #fields(fields: Fields, depth: number): void {
    const [a, b] = [this.#a, this.#b]
    let [sumA, sumB] = [0, 0]
    for (const name of Object.keys(fields)) {
      // As in JSON, an undefined field counts as missing.
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
    // The length separates adjacent texts: otherwise ["ab", "c"] would have the hash of ["a", "bc"].
    this.#mix(kind + text.length)
  }

  #mix(word: number): void {
    this.#a = Math.imul(this.#a ^ word, 0x01000193)
    this.#b = Math.imul(this.#b ^ word, 0x85ebca6b) ^ (this.#b >>> 13)
  }
}

/** The initial hashes of a field. */
const [FIELD_A, FIELD_B] = [0x2545f491, 0x7f4a7c15] as const

/** Tags for the kinds of values, outside the range of UTF-16 code units. */
const [TEXT, WORD, LIST, OBJECT, END] = [0x10000000, 0x20000000, 0x30000000, 0x40000000, 0x50000000] as const
