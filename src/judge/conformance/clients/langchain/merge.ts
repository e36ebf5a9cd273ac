import { concatenated } from '../mutable-text.js'
import { TextHash } from '../text-hash.js'

/** Thrown because the fields of two chunks have different types, at which LangChain throws. */
export class MergeError extends Error {
  readonly field: string
  readonly previous: Kind
  readonly next: Kind

  constructor(field: string, had: Kind, came: Kind) {
    super(`the field ${field} was a ${had}, and is a ${came}`)
    this.field = field
    this.previous = had
    this.next = came
  }
}

export type Kind = 'nothing' | 'string' | 'number' | 'boolean' | 'object' | 'array'

/** A field that is merged across chunks. It keeps the hash of a text, and only the type of any other value. */
export class Merged {
  readonly #field: string
  readonly text: TextHash = new TextHash()
  kind: Kind = 'nothing'
  #sum = 0
  /** How a missing value is printed: `undefined` or `null`. */
  #nothing = 'undefined'

  constructor(field: string, value: unknown) {
    this.#field = field
    this.add(value)
  }

  add(value: unknown): void {
    const kind = valueType(value)
    if (kind === 'nothing') {
      if (this.kind === 'nothing') this.#nothing = concatenated(value)
      return
    }
    if (this.kind === 'nothing') this.kind = kind
    if (this.kind !== kind) throw new MergeError(this.#field, this.kind, kind)
    if (typeof value === 'string') this.text.append(value)
    else if (typeof value === 'number') this.#sum += value
  }

  /** The merged value as a string. */
  get printed(): TextHash {
    if (this.kind === 'string') return this.text
    if (this.kind === 'nothing') return TextHash.of(this.#nothing)
    return TextHash.of(this.kind === 'number' ? String(this.#sum) : this.kind === 'array' ? '' : '[object Object]')
  }
}

/** Whether blocks or calls with this index can be merged. */
export const isMergeable = (index: unknown): boolean => typeof index === 'number' || typeof index === 'string'

export function valueType(value: unknown): Kind {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return 'array'
  return typeof value as Kind
}
