import { TextHash } from './text-hash.js'
import { type Place, type Vote, Votes, type Where } from './votes.js'

/** A text that is said in several places: piece by piece, and then as a whole. */
export class AgreedText {
  readonly #votes = new Votes<TextHash>(({ key }) => key)
  readonly #deltas = new TextHash()
  #firstDelta: Where | undefined
  #deltasAreText = true

  /** A piece of it came. What is no text says nothing, but a client may choke on it. */
  append(delta: unknown, at: Where): void {
    this.#firstDelta ??= at
    if (typeof delta === 'string') this.#deltas.append(delta)
    else this.#deltasAreText = false
  }

  say(text: unknown, place: Place, at: Where): void {
    if (typeof text === 'string') this.#votes.add(TextHash.of(text), place, at)
  }

  /** The stream is over: its deltas are what they are. */
  end(): void {
    if (this.#firstDelta !== undefined) this.#votes.add(this.#deltas, 'deltas', this.#firstDelta)
  }

  get hasDeltas(): boolean {
    return this.#firstDelta !== undefined
  }

  /** Whether the deltas are the text. */
  get wasStreamed(): boolean {
    return this.text.equals(this.#deltas)
  }

  /** What most places say; empty where none does. */
  get text(): TextHash {
    return this.#elected?.value ?? EMPTY
  }

  /** The event that says so first. */
  get toldAt(): Where | undefined {
    return this.#elected?.at
  }

  /** The places that say otherwise. */
  get dissent(): readonly Vote<TextHash>[] {
    return this.#votes.against(this.#elected)
  }

  get #elected(): Vote<TextHash> | undefined {
    // Of as many: a place with nothing in it may leave the text out, and a delta that is no text leaves a hole in it.
    const holds = (text: TextHash): boolean => text.length > 0 && (this.#deltasAreText || text !== this.#deltas)
    return this.#votes.elected(holds)
  }
}

const EMPTY = new TextHash()
