import { isFields } from '../stream-event.js'
import { TextHash } from './text-hash.js'

/** A value as JavaScript appends it to a text: clients do so without looking at it. */
export function appended(value: unknown): string {
  if (typeof value === 'string') return value
  if (isFields(value)) return '[object Object]'
  if (Array.isArray(value)) return value.map((part) => (part === null ? '' : appended(part))).join(',')
  return String(value)
}

/** A text field that a client sets and appends to. What is no text stays as it came, until something is appended. */
export class GrownText {
  #text: TextHash | undefined
  /** The value, where it is no text. */
  #other: unknown

  constructor(value: unknown) {
    this.set(value)
  }

  set(value: unknown): void {
    this.#text = typeof value === 'string' ? TextHash.of(value) : undefined
    this.#other = this.#text === undefined ? value : undefined
  }

  append(delta: unknown): void {
    this.#text ??= TextHash.of(appended(this.#other))
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
  get text(): TextHash | undefined {
    return this.#text
  }

  /** What is appended to another text with it. */
  get appended(): TextHash {
    return this.#text ?? TextHash.of(appended(this.#other))
  }

  clone(): GrownText {
    const copy = new GrownText(this.#other)
    if (this.#text !== undefined) copy.#text = new TextHash().join(this.#text)
    return copy
  }
}
