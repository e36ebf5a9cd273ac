import { isFields } from '../../../shared/fields.js'
import { TextHash } from './text-hash.js'

/** A value as JavaScript's `+` appends it to a string. Clients append values without checking their type. */
export function concatenated(value: unknown): string {
  if (typeof value === 'string') return value
  if (isFields(value)) return '[object Object]'
  if (Array.isArray(value)) return value.map((part) => (part === null ? '' : concatenated(part))).join(',')
  return String(value)
}

/** A text field that a client sets and appends to. A value of another type is kept until something is appended. */
export class MutableText {
  #text: TextHash | undefined
  /** The value, if it is not a string. */
  #other: unknown

  constructor(value: unknown) {
    this.set(value)
  }

  set(value: unknown): void {
    this.#text = typeof value === 'string' ? TextHash.of(value) : undefined
    this.#other = this.#text === undefined ? value : undefined
  }

  append(delta: unknown): void {
    this.#text ??= TextHash.of(concatenated(this.#other))
    this.#text.append(concatenated(delta))
  }

  /** Whether reading its `length` works. It throws for null and undefined. */
  get hasLength(): boolean {
    return this.#text !== undefined || (this.#other !== undefined && this.#other !== null)
  }

  get value(): unknown {
    return this.#other
  }

  /** The text; undefined if the value is not a string. */
  get text(): TextHash | undefined {
    return this.#text
  }

  /** The text as it would be appended to another one. */
  get appended(): TextHash {
    return this.#text ?? TextHash.of(concatenated(this.#other))
  }

  clone(): MutableText {
    const copy = new MutableText(this.#other)
    if (this.#text !== undefined) copy.#text = new TextHash().join(this.#text)
    return copy
  }
}
