/** A map that keeps at least the last `kept` entries, and at most twice as many. */
export class RecentMap<Value> {
  readonly #kept: number
  #current = new Map<string, Value>()
  #previous = new Map<string, Value>()

  constructor(least: number) {
    this.#kept = least
  }

  get(key: string): Value | undefined {
    return this.#current.get(key) ?? this.#previous.get(key)
  }

  set(key: string, value: Value): void {
    this.#current.set(key, value)
    if (this.#current.size < this.#kept) return
    // Drops a whole map: deleting the first key of one map again and again would be slow, as it skips deleted slots.
    this.#previous = this.#current
    this.#current = new Map()
  }
}
