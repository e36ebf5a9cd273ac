/** Where a stream says what an item is. Most is said in several places, and a damaged one is outvoted. */
export type Place = 'added' | 'deltas' | 'told' | 'part' | 'done' | 'terminal'

/** An event of the stream. */
export interface Where {
  /** Its number, from 0. */
  readonly position: number
  readonly type: string
}

/** What some places say. */
export interface Vote<Value> {
  readonly value: Value
  readonly places: readonly Place[]
  /** The event that said so first. */
  readonly at: Where
}

/**
 * Where as many places say one thing as another, the one that speaks last is believed: it had the whole, and the stream
 * was made of pieces.
 */
const TRUST: readonly Place[] = ['added', 'deltas', 'told', 'part', 'done', 'terminal']

/** More values than a stream that means something has of one fact: what a broken server adds to them is not kept. */
const MOST = 16

/**
 * What several places say of one thing. What most of them say holds; a place that says nothing contradicts nobody, and
 * one that says the same twice is one.
 */
export class Votes<Value> {
  readonly #keyOf: (value: Value) => string
  readonly #votes = new Map<string, { value: Value; places: Place[]; at: Where }>()

  constructor(keyOf: (value: Value) => string) {
    this.#keyOf = keyOf
  }

  add(value: Value, place: Place, at: Where): void {
    const key = this.#keyOf(value)
    const vote = this.#votes.get(key)
    if (vote === undefined) {
      if (this.#votes.size < MOST) this.#votes.set(key, { value, places: [place], at })
    } else if (!vote.places.includes(place)) vote.places.push(place)
  }

  get isEmpty(): boolean {
    return this.#votes.size === 0
  }

  /** All that is said, as it was first said. */
  get all(): readonly Vote<Value>[] {
    return [...this.#votes.values()]
  }

  /** What most say; of those that as many say, what is said last; `prefers` decides before that. */
  elected(prefers: (value: Value) => boolean = () => false): Vote<Value> | undefined {
    const weight = ({ value, places }: Vote<Value>): number =>
      places.length * 100 + (prefers(value) ? 50 : 0) + Math.max(...places.map((place) => TRUST.indexOf(place)))
    return this.all.reduce<Vote<Value> | undefined>(
      (best, vote) => (best === undefined || weight(vote) > weight(best) ? vote : best),
      undefined,
    )
  }

  get winner(): Value | undefined {
    return this.elected()?.value
  }

  /** What is said otherwise than `vote`. */
  against(vote: Vote<Value> | undefined): readonly Vote<Value>[] {
    return this.all.filter((other) => other !== vote)
  }
}
