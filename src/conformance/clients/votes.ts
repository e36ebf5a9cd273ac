/** What several places say of one thing. What most of them say holds; where as many say otherwise, nobody knows. */
export class Votes<Value> {
  readonly #keyOf: (value: Value) => string
  readonly #counts = new Map<string, { readonly value: Value; count: number }>()

  constructor(keyOf: (value: Value) => string) {
    this.#keyOf = keyOf
  }

  add(value: Value): void {
    const key = this.#keyOf(value)
    const entry = this.#counts.get(key)
    if (entry === undefined) this.#counts.set(key, { value, count: 1 })
    else entry.count++
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  /** What most say; the first of those that as many say. */
  get winner(): Value | undefined {
    let most: { readonly value: Value; count: number } | undefined
    for (const entry of this.#counts.values()) if (most === undefined || entry.count > most.count) most = entry
    return most?.value
  }

  /** Whether as many places say something else. */
  get isTied(): boolean {
    const counts = [...this.#counts.values()].map(({ count }) => count)
    const most = Math.max(...counts)
    return counts.filter((count) => count === most).length > 1
  }
}
