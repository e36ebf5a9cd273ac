/** A map that forgets: what is too old, and the oldest of what is too much. */
export class Expiring<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()
  readonly #most: number
  readonly #seconds: number
  readonly #clock: () => number
  readonly #onForget: (key: string) => void

  /**
   * @param most - how many entries there may be
   * @param onForget - called with each key that is forgotten, not with those that are deleted
   */
  constructor(
    most: number,
    { seconds, clock }: { readonly seconds: number; readonly clock: () => number },
    onForget: (key: string) => void = () => {},
  ) {
    this.#most = most
    this.#seconds = seconds
    this.#clock = clock
    this.#onForget = onForget
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    this.expire()
    return this.#entries.get(key)?.value
  }

  set(key: string, value: Value): void {
    this.expire()
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: this.#clock() + this.#seconds })
    while (this.#entries.size > this.#most) this.dropOldest()
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  /** Forgets what is too old: all entries are kept for the same time, so that they are in the order of their ends. */
  expire(): void {
    const now = this.#clock()
    for (const [key, { until }] of this.#entries) {
      if (until > now) return
      this.#forget(key)
    }
  }

  dropOldest(): void {
    const [key] = this.#entries.keys()
    if (key !== undefined) this.#forget(key)
  }

  #forget(key: string): void {
    this.#entries.delete(key)
    this.#onForget(key)
  }
}
