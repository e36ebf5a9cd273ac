import { TextHash } from '../text-hash.js'

/** Texts that alternate in a stream, each alone, and both in the order of the stream. */
export class Voices<Name extends string> {
  readonly #texts = new Map<Name, TextHash>()
  /** Undefined as long as one of them speaks alone, which almost every stream is: a delta is then hashed once. */
  #both: TextHash | undefined

  append(name: Name, delta: string): void {
    let text = this.#texts.get(name)
    if (text === undefined) {
      if (this.#texts.size > 0) this.#both = this.#all
      text = new TextHash()
      this.#texts.set(name, text)
    }
    text.append(delta)
    this.#both?.append(delta)
  }

  of(name: Name | 'both'): TextHash {
    return name === 'both' ? (this.#both ?? this.#all) : (this.#texts.get(name) ?? new TextHash())
  }

  get #all(): TextHash {
    return TextHash.joined([...this.#texts.values()])
  }
}
