/** A map of the last entries: of those set since the last but one time that it was full, so many are kept at least. */
export class Recent<Value> {
  readonly #kept: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  constructor(kept: number) {
    this.#kept = kept
  }

  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  set(key: string, value: Value): void {
    this.#young.set(key, value)
    if (this.#young.size < this.#kept) return
    // To delete the first of a map again and again takes as long as to look through it.
    this.#old = this.#young
    this.#young = new Map()
  }
}
