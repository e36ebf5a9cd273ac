import { TextHash } from '../text-hash.js'
import type { Place } from '../votes.js'

/** A text of one call in the places that state it, and the one of them that the SDK shows. */
export class StatedText {
  readonly #stated: { readonly place: Place; readonly text: TextHash }[] = []
  #shown: TextHash | undefined

  add(place: Place, text: string): void {
    this.addHash(place, TextHash.of(text))
  }

  addHash(place: Place, text: TextHash): void {
    if (!this.#stated.some((one) => one.place === place)) this.#stated.push({ place, text })
  }

  /** Adds the text that the SDK shows. */
  show(place: Place, text: string): void {
    this.#shown ??= TextHash.of(text)
    this.addHash(place, this.#shown)
  }

  /** The shown text, and a different one that more places state. Undefined if there is none. */
  get contradiction(): { readonly stated: TextHash; readonly shown: TextHash } | undefined {
    const shown = this.#shown
    if (shown === undefined) return undefined
    const count = (text: TextHash): number => this.#stated.filter((one) => one.text.equals(text)).length
    const other = this.#stated.find(({ text }) => count(text) > count(shown))
    return other && { stated: other.text, shown }
  }
}
