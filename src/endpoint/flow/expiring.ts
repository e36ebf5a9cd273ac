/** A map that evicts expired entries, and the oldest above a limit. */
export class Expiring<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()
  readonly #max: number
  readonly #seconds: number
  readonly #clock: () => number
  readonly #onForget: (value: Value) => void

  /**
   * @param max - the maximum number of entries
   * @param onForget - called with each evicted value, not with deleted ones
   */
  constructor(
    max: number,
    { seconds, clock }: { readonly seconds: number; readonly clock: () => number },
    onForget: (value: Value) => void = () => {},
  ) {
    this.#max = max
    this.#seconds = seconds
    this.#clock = clock
    this.#onForget = onForget
  }

  get size(): number {
    return this.#entries.size
  }

  /** The oldest value; undefined if there is none. */
  get oldest(): Value | undefined {
    const [entry] = this.#entries.values()
    return entry?.value
  }

  get(key: string): Value | undefined {
    this.expire()
    return this.#entries.get(key)?.value
  }

  set(key: string, value: Value): void {
    this.expire()
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: this.#clock() + this.#seconds })
    while (this.#entries.size > this.#max) this.dropOldest()
  }

  /** Deletes an entry. Returns whether it existed. */
  delete(key: string): boolean {
    return this.#entries.delete(key)
  }

  /** Evicts expired entries. All are kept for the same time, so they are ordered by expiry. */
  expire(): void {
    const now = this.#clock()
    for (const [key, { until, value }] of this.#entries) {
      if (until > now) return
      this.#forget(key, value)
    }
  }

  dropOldest(): void {
    const [entry] = this.#entries
    if (entry !== undefined) this.#forget(entry[0], entry[1].value)
  }

  #forget(key: string, value: Value): void {
    this.#entries.delete(key)
    this.#onForget(value)
  }
}
