import { TextHash } from '../text-hash.js'

/**
 * The parts of text or of reasoning that ai keeps open, each under an id of its own: an id that comes again is of a new
 * part, and the old one stays open, unreachable until the new one is over.
 */
export class OpenParts {
  /** Ids that were given to a part. */
  readonly #used = new Set<string>()
  /** What the provider's id means by now. */
  readonly #current = new Map<string, string>()
  readonly #open = new Map<string, TextHash>()
  /** In the order in which they began; those before the first open one are joined. */
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

  /** Whether there is such a part. */
  append(id: string, delta: string): boolean {
    const text = this.#open.get(this.#current.get(id) ?? id)
    text?.append(delta)
    return text !== undefined
  }

  /** Whether there was such a part. */
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

  /** All texts in the order of their parts. */
  get all(): TextHash {
    const all = new TextHash().join(this.#finished)
    for (const { text } of this.#texts) all.join(text)
    return all
  }
}
