/** Leaves out the beginning of an answer, which some servers repeat before they go on with it. */
export class Echo {
  readonly #begun: string
  /** What may be a repetition; undefined once that is decided. */
  #held: string | undefined = ''

  /** @param begun - the beginning; an empty one is never repeated */
  constructor(begun: string) {
    this.#begun = begun
  }

  /** Returns what certainly is no repetition. */
  push(text: string): string {
    if (this.#held === undefined) return text
    this.#held += text
    if (this.#held.length < this.#begun.length && this.#begun.startsWith(this.#held)) return ''
    return this.#held.startsWith(this.#begun) ? this.#released().slice(this.#begun.length) : this.#released()
  }

  /** Returns what is held, once nothing follows. */
  end(): string {
    return this.#held === undefined ? '' : this.#released()
  }

  #released(): string {
    const held = this.#held ?? ''
    this.#held = undefined
    return held
  }
}
