import { TextDigest } from './text-digest.js'
import { type Place, type Vote, Votes, type Where } from './votes.js'

/** A text that is said in several places: piece by piece, and then as a whole. */
export class AgreedText {
  readonly #votes = new Votes<TextDigest>(({ key }) => key)
  readonly #deltas = new TextDigest()
  #firstDelta: Where | undefined
  #deltasAreText = true

  /** A piece of it came. What is no text says nothing, but a client may choke on it. */
  append(delta: unknown, at: Where): void {
    this.#firstDelta ??= at
    if (typeof delta === 'string') this.#deltas.append(delta)
    else this.#deltasAreText = false
  }

  say(text: unknown, place: Place, at: Where): void {
    if (typeof text === 'string') this.#votes.add(TextDigest.of(text), place, at)
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
  get text(): TextDigest {
    return this.#elected?.value ?? EMPTY
  }

  /** The places that say otherwise. */
  get dissent(): readonly Vote<TextDigest>[] {
    return this.#votes.against(this.#elected)
  }

  get #elected(): Vote<TextDigest> | undefined {
    // Of as many: a place with nothing in it may leave the text out, and a delta that is no text leaves a hole in it.
    const holds = (text: TextDigest): boolean => text.length > 0 && (this.#deltasAreText || text !== this.#deltas)
    return this.#votes.elected(holds)
  }
}

const EMPTY = new TextDigest()
