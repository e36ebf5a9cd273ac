import type { Reclaimable } from './byte-budget.js'
import { Expiring } from './expiring.js'

export interface ExpiringBytesOptions<Value = unknown> {
  /** The limit of all values together, in bytes. */
  readonly max: number
  /** How long a value is kept, in seconds since it was added or renewed. */
  readonly seconds: number
  /** A clock in seconds that nobody sets. */
  readonly clock: () => number
  /** Called with each value that is evicted or dropped. */
  readonly onForget?: (value: Value) => void
}

interface Entry<Value> {
  readonly value: Value
  readonly bytes: number
}

/**
 * Values by key. The oldest are evicted when there are too many bytes, or when the budget of the process needs them.
 */
export class ExpiringBytes<Value> implements Reclaimable {
  readonly #max: number
  readonly #entries: Expiring<Entry<Value>>
  readonly #listeners = new Set<() => void>()
  readonly #onForget: (value: Value) => void
  #bytes = 0

  constructor({ max, onForget = () => {}, ...time }: ExpiringBytesOptions<Value>) {
    this.#max = max
    this.#onForget = onForget
    this.#entries = new Expiring<Entry<Value>>(Number.POSITIVE_INFINITY, time, ({ value, bytes }) => {
      this.#bytes -= bytes
      onForget(value)
    })
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** Adds a value as the newest, replacing the one under its key. */
  keep(key: string, value: Value, bytes: number): void {
    this.#remove(key)
    this.#bytes += bytes
    this.#entries.set(key, { value, bytes })
    while (this.#bytes > this.#max && this.size > 0) this.#entries.dropOldest()
    this.#tell()
  }

  /** Returns the value, and makes it the newest. */
  renew(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.keep(key, entry.value, entry.bytes)
    return entry?.value
  }

  /** Removes and returns the value. */
  take(key: string): Value | undefined {
    const entry = this.#remove(key)
    if (entry !== undefined) this.#tell()
    return entry?.value
  }

  /** Removes the value, as if it had been evicted. */
  drop(key: string): void {
    const value = this.take(key)
    if (value !== undefined) this.#onForget(value)
  }

  reclaim(bytes: number): number {
    const before = this.#bytes
    while (before - this.#bytes < bytes && this.size > 0) this.#entries.dropOldest()
    this.#tell()
    return before - this.#bytes
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #remove(key: string): Entry<Value> | undefined {
    const entry = this.#entries.get(key)
    if (entry !== undefined && this.#entries.delete(key)) this.#bytes -= entry.bytes
    return entry
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
