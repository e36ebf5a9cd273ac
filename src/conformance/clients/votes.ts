/**
 * Where a stream states a fact: when the item or part is added, in deltas, in the `.done` event of a text, in the done
 * part, in the done item, or in the terminal response. Most facts occur in several places, so a damaged one is
 * outvoted.
 */
export type Place = 'added' | 'deltas' | 'textDone' | 'part' | 'done' | 'terminal'

/** Refers to an event of the stream. */
export interface EventRef {
  /** Its number, from 0. */
  readonly position: number
  readonly type: string
}

/** A value, and the places that state it. */
export interface Vote<Value> {
  readonly value: Value
  readonly places: readonly Place[]
  /** The first event that states it. */
  readonly at: EventRef
}

/**
 * In a tie, the last place wins: the server had the complete value there, while earlier places have pieces of it.
 */
const TRUST_ORDER: readonly Place[] = ['added', 'deltas', 'textDone', 'part', 'done', 'terminal']

/** The limit for different values of one fact, so that a broken server does not fill the memory. */
const MAX_VALUES = 16

/**
 * The values that several places state for one fact. The majority wins. A missing place is no vote, and each place has
 * one vote per value.
 */
export class Votes<Value> {
  readonly #isSame: (one: Value, other: Value) => boolean
  readonly #votes: { readonly value: Value; readonly places: Place[]; readonly at: EventRef }[] = []

  /** @param isSame - whether two values are the same; default: whether they are identical */
  constructor(isSame: (one: Value, other: Value) => boolean = Object.is) {
    this.#isSame = isSame
  }

  add(value: Value, place: Place, at: EventRef): void {
    for (const { value: known, places } of this.#votes) {
      if (!this.#isSame(known, value)) continue
      if (!places.includes(place)) places.push(place)
      return
    }
    if (this.#votes.length < MAX_VALUES) this.#votes.push({ value, places: [place], at })
  }

  get isEmpty(): boolean {
    return this.#votes.length === 0
  }

  /** All values, in the order of their first events. */
  get all(): readonly Vote<Value>[] {
    return this.#votes
  }

  /** The value of most places. In a tie, one that `prefers` accepts wins, and then the one in the last place. */
  elected(prefers: (value: Value) => boolean = () => false): Vote<Value> | undefined {
    // Almost always all places agree.
    if (this.#votes.length < 2) return this.#votes[0]
    const weight = ({ value, places }: Vote<Value>): number =>
      places.length * 100 + (prefers(value) ? 50 : 0) + Math.max(...places.map((place) => TRUST_ORDER.indexOf(place)))
    return this.#votes.reduce<Vote<Value> | undefined>(
      (best, vote) => (best === undefined || weight(vote) > weight(best) ? vote : best),
      undefined,
    )
  }

  get winner(): Value | undefined {
    return this.elected()?.value
  }

  /** All other values than that of `vote`. */
  against(vote: Vote<Value> | undefined): readonly Vote<Value>[] {
    return this.all.filter((other) => other !== vote)
  }
}

/** A set of places. There are several in each item, so it has to be small and fast. */
export class Places {
  #bits = 0

  add(place: Place): void {
    this.#bits |= BITS[place]
  }

  has(place: Place): boolean {
    return (this.#bits & BITS[place]) !== 0
  }

  /** How many places are in it. */
  get size(): number {
    return TRUST_ORDER.filter((place) => this.has(place)).length
  }
}

const BITS: Readonly<Record<Place, number>> = { added: 1, deltas: 2, textDone: 4, part: 8, done: 16, terminal: 32 }
