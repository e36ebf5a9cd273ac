import { TextHash } from '../text-hash.js'

/** Where a stream says what a call is about. */
type Place = 'added' | 'deltas' | 'told' | 'done' | 'terminal'

/** What several places of a stream say of one call, and which of it the SDK shows. */
export class Said {
  readonly #said: { readonly place: Place; readonly text: TextHash }[] = []
  #shown: TextHash | undefined

  add(place: Place, text: string): void {
    this.addDigest(place, TextHash.of(text))
  }

  addDigest(place: Place, text: TextHash): void {
    if (!this.#said.some((one) => one.place === place)) this.#said.push({ place, text })
  }

  /** What the SDK shows. */
  show(place: Place, text: string): void {
    this.#shown ??= TextHash.of(text)
    this.addDigest(place, this.#shown)
  }

  /** What is shown, and what more places say instead. */
  get isShownWrong(): { readonly said: TextHash; readonly shown: TextHash } | undefined {
    const shown = this.#shown
    if (shown === undefined) return undefined
    const count = (text: TextHash): number => this.#said.filter((one) => one.text.equals(text)).length
    const other = this.#said.find(({ text }) => count(text) > count(shown))
    return other && { said: other.text, shown }
  }
}
