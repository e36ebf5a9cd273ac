import { TextHash } from '../text-hash.js'
import { type EventRef, type Place, type Vote, Votes } from '../votes.js'

/** A text that occurs in several places of the stream: as deltas, and complete. */
export class AgreedText {
  readonly #votes = new Votes<TextHash>(isSameText)
  #deltas: TextHash | undefined
  #firstDelta: EventRef | undefined
  #deltasAreText = true

  /** Adds a delta. One that is not a string adds no text, but a client may fail at it. */
  append(delta: unknown, at: EventRef): void {
    this.#firstDelta ??= at
    this.#deltas ??= new TextHash()
    if (typeof delta === 'string') this.#deltas.append(delta)
    else this.#deltasAreText = false
  }

  add(text: unknown, place: Place, at: EventRef): void {
    if (typeof text === 'string') this.#votes.add(TextHash.of(text), place, at)
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
    // What was streamed was said, however many places leave it out.
    const isLeftOut = elected?.value.length === 0 && (this.#deltas?.length ?? 0) > 0
    return isLeftOut ? this.#votes.all.find(({ value }) => value === this.#deltas) : elected
  }
}

const EMPTY = new TextHash()

const isSameText = (one: TextHash, other: TextHash): boolean => one.looksLike(other)
