import { isFields } from '../stream-event.js'
import { TextDigest } from './text-digest.js'

/** A value as JavaScript appends it to a text: clients do so without looking at it. */
export function appended(value: unknown): string {
  if (typeof value === 'string') return value
  if (isFields(value)) return '[object Object]'
  if (Array.isArray(value)) return value.map((part) => (part === null ? '' : appended(part))).join(',')
  return String(value)
}

/** A text field that a client sets and appends to. What is no text stays as it came, until something is appended. */
export class GrownText {
  #text: TextDigest | undefined
  /** The value, where it is no text. */
  #other: unknown

  constructor(value: unknown) {
    this.set(value)
  }

  set(value: unknown): void {
    this.#text = typeof value === 'string' ? TextDigest.of(value) : undefined
    this.#other = this.#text === undefined ? value : undefined
  }

  append(delta: unknown): void {
    this.#text ??= TextDigest.of(appended(this.#other))
    this.#text.append(appended(delta))
  }

  /** Whether reading its `length` works: of null and of nothing it throws. */
  get hasLength(): boolean {
    return this.#text !== undefined || (this.#other !== undefined && this.#other !== null)
  }

  get value(): unknown {
    return this.#other
  }

  /** The text; undefined where it is none. */
  get text(): TextDigest | undefined {
    return this.#text
  }

  /** What is appended to another text with it. */
  get appended(): TextDigest {
    return this.#text ?? TextDigest.of(appended(this.#other))
  }

  clone(): GrownText {
    const copy = new GrownText(this.#other)
    if (this.#text !== undefined) copy.#text = new TextDigest().join(this.#text)
    return copy
  }
}
