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
  readonly #keyOf: (value: Value) => string
  readonly #votes = new Map<string, { value: Value; places: Place[]; at: EventRef }>()

  constructor(keyOf: (value: Value) => string) {
    this.#keyOf = keyOf
  }

  add(value: Value, place: Place, at: EventRef): void {
    const key = this.#keyOf(value)
    const vote = this.#votes.get(key)
    if (vote === undefined) {
      if (this.#votes.size < MAX_VALUES) this.#votes.set(key, { value, places: [place], at })
    } else if (!vote.places.includes(place)) vote.places.push(place)
  }

  get isEmpty(): boolean {
    return this.#votes.size === 0
  }

  /** All values, in the order of their first events. */
  get all(): readonly Vote<Value>[] {
    return [...this.#votes.values()]
  }

  /** The value of most places. In a tie, one that `prefers` accepts wins, and then the one in the last place. */
  elected(prefers: (value: Value) => boolean = () => false): Vote<Value> | undefined {
    const weight = ({ value, places }: Vote<Value>): number =>
      places.length * 100 + (prefers(value) ? 50 : 0) + Math.max(...places.map((place) => TRUST_ORDER.indexOf(place)))
    return this.all.reduce<Vote<Value> | undefined>(
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
