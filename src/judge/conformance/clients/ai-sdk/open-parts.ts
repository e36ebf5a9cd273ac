import { TextHash } from '../text-hash.js'

/**
 * The parts of text or reasoning that ai keeps open, by id. If an id comes again, it names a new part, and the old part
 * stays open but unreachable until the new one has ended.
 */
export class OpenParts {
  /** The ids that were used for a part. */
  readonly #used = new Set<string>()
  /** The own id of the part that a provider's id currently names. */
  readonly #current = new Map<string, string>()
  readonly #open = new Map<string, TextHash>()
  /** The texts in the order of their parts. Those before the first open part are joined into `#finished`. */
  readonly #texts: { readonly text: TextHash; isOpen: boolean }[] = []
  readonly #finished = new TextHash()

  start(id: string): void {
    const own = this.#used.has(id) ? `${id} #${this.#used.size}` : id
    this.#used.add(own)
    this.#current.set(id, own)
    const text = new TextHash()
    this.#open.set(own, text)
    this.#texts.push({ text, isOpen: true })
  }

  /** Appends a delta. Returns whether the part is open. */
  append(id: string, delta: string): boolean {
    const text = this.#open.get(this.#current.get(id) ?? id)
    text?.append(delta)
    return text !== undefined
  }

  /** Ends a part. Returns whether it was open. */
  end(id: string): boolean {
    const own = this.#current.get(id) ?? id
    this.#current.delete(id)
    const text = this.#open.get(own)
    this.#open.delete(own)
    const entry = this.#texts.find((one) => one.text === text)
    if (entry !== undefined) entry.isOpen = false
    while (this.#texts[0]?.isOpen === false) this.#finished.join((this.#texts.shift() as { text: TextHash }).text)
    return text !== undefined
  }

  /** The joined texts of all parts, in order. */
  get all(): TextHash {
    const all = new TextHash().join(this.#finished)
    for (const { text } of this.#texts) all.join(text)
    return all
  }
}
