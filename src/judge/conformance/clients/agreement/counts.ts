/** The limit for values that are counted: some servers give each event a new id. */
const MAX_VALUES = 8

/** Counts how often each value of an item comes. Almost always there is only one. */
export class Counts<Value> {
  readonly values: Value[] = []
  readonly #counts: number[] = []

  /** Counts a value. Returns whether it is new, and counted. */
  add(value: Value): boolean {
    const at = this.values[0] === value ? 0 : this.values.indexOf(value)
    if (at >= 0) this.#counts[at] = (this.#counts[at] as number) + 1
    else if (this.values.length < MAX_VALUES) {
      this.values.push(value)
      this.#counts.push(1)
      return true
    }
    return false
  }

  of(value: Value): number {
    return this.#counts[this.values.indexOf(value)] ?? 0
  }

  /** The value that came most often; the first one in a tie. */
  get most(): Value | undefined {
    if (this.values.length < 2) return this.values[0]
    return this.values[this.#counts.indexOf(Math.max(...this.#counts))]
  }
}
