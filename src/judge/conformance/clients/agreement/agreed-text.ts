import { TextHash } from '../text-hash.js'
import { type EventRef, type Place, type Vote, Votes } from '../votes.js'
import { isCutWithin } from './cut-text.js'

/** A text that occurs in several places of the stream: as deltas, and complete. */
export class AgreedText {
  readonly #votes = new Votes<TextHash>(isSameText)
  #deltas: TextHash | undefined
  #firstDelta: EventRef | undefined
  #deltasAreText = true
  /** The deltas as long as a complete text may come that has to be compared with them; undefined if they are too many. */
  #said: string[] | undefined
  /** A complete text that was cut off. */
  #cut: TextHash | undefined

  /** Adds a delta. One that is not a string adds no text, but a client may fail at it. */
  append(delta: unknown, at: EventRef): void {
    this.#firstDelta ??= at
    if (this.#deltas === undefined) {
      this.#deltas = new TextHash()
      this.#said = []
    }
    if (typeof delta !== 'string') {
      this.#deltasAreText = false
      return
    }
    this.#deltas.append(delta)
    if (this.#said === undefined || delta === '') return
    if (this.#deltas.length > MAX_COMPARED) this.#said = undefined
    else this.#said.push(delta)
  }

  add(text: unknown, place: Place, at: EventRef): void {
    if (typeof text !== 'string') return
    const told = TextHash.of(text)
    this.#votes.add(told, place, at)
    if (this.#deltas === undefined || this.#said === undefined) return
    if (!isSameText(told, this.#deltas) && this.#cut === undefined && isCutWithin(text, this.#said)) this.#cut = told
    if (place === 'done' || place === 'terminal') this.#said = undefined
  }

  /** Ends the stream: the joined deltas become a vote. */
  end(): void {
    if (this.#deltas !== undefined && this.#firstDelta !== undefined)
      this.#votes.add(this.#deltas, 'deltas', this.#firstDelta)
  }

  /** Its first delta; undefined if it has none. */
  get streamedFrom(): EventRef | undefined {
    return this.#firstDelta
  }

  /** Whether the joined deltas equal the text. */
  get wasStreamed(): boolean {
    return this.text.looksLike(this.#deltas ?? EMPTY)
  }

  /** The text in most places; empty if there is none. */
  get text(): TextHash {
    const elected = this.#elected
    // Places may differ in blanks around the text. What was streamed is what most clients show.
    const isStreamed = elected?.places.includes('deltas') === true && this.#deltasAreText
    return (isStreamed ? this.#deltas : elected?.value) ?? EMPTY
  }

  /** The first event with this text. */
  get statedAt(): EventRef | undefined {
    return this.#elected?.at
  }

  /** The places with another text. */
  get mismatch(): readonly Vote<TextHash>[] {
    return this.#votes.against(this.#elected)
  }

  get #elected(): Vote<TextHash> | undefined {
    // In a tie, prefers a text that is complete: an empty one may be omitted, and a delta that is not a string is lost.
    const elected = this.#votes.elected((text) => text.length > 0 && (this.#deltasAreText || text !== this.#deltas))
    // What was streamed was said, however many places leave it out or cut it off.
    const isEmpty = elected?.value.length === 0 && (this.#deltas?.length ?? 0) > 0
    const isLeftOut = isEmpty || (this.#cut !== undefined && elected?.value.equals(this.#cut) === true)
    return isLeftOut ? this.#votes.all.find(({ places }) => places.includes('deltas')) : elected
  }
}

/** The longest text, in UTF-16 code units, whose deltas are kept to compare them with a complete text. */
const MAX_COMPARED = 16_384

const EMPTY = new TextHash()

const isSameText = (one: TextHash, other: TextHash): boolean => one.looksLike(other)
