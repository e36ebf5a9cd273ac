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
  /** Undefined before the first: most facts of most items are never stated. */
  #votes: { readonly value: Value; readonly places: Place[]; readonly at: EventRef }[] | undefined

  /** @param isSame - whether two values are the same; default: whether they are identical */
  constructor(isSame: (one: Value, other: Value) => boolean = Object.is) {
    this.#isSame = isSame
  }

  add(value: Value, place: Place, at: EventRef): void {
    const votes = this.#votes
    if (votes === undefined) {
      this.#votes = [{ value, places: [place], at }]
      return
    }
    for (const { value: known, places } of votes) {
      if (!this.#isSame(known, value)) continue
      if (!places.includes(place)) places.push(place)
      return
    }
    if (votes.length < MAX_VALUES) votes.push({ value, places: [place], at })
  }

  get isEmpty(): boolean {
    return this.#votes === undefined
  }

  /** All values, in the order of their first events. */
  get all(): readonly Vote<Value>[] {
    return this.#votes ?? []
  }

  /** The value of most places. In a tie, one that `prefers` accepts wins, and then the one in the last place. */
  elected(prefers: (value: Value) => boolean = () => false): Vote<Value> | undefined {
    // Almost always all places agree.
    const votes = this.#votes
    if (votes === undefined || votes.length < 2) return votes?.[0]
    const weight = ({ value, places }: Vote<Value>): number =>
      places.length * 100 +
      (prefers(value) ? 50 : 0) +
      places.reduce((max, place) => Math.max(max, TRUST_ORDER.indexOf(place)), -1)
    return votes.reduce<Vote<Value> | undefined>(
      (best, vote) => (best === undefined || weight(vote) > weight(best) ? vote : best),
      undefined,
    )
  }

  get winner(): Value | undefined {
    return this.elected()?.value
  }

  /** Returns the values other than that of `vote`. */
  against(vote: Vote<Value> | undefined): readonly Vote<Value>[] {
    return this.all.filter((other) => other !== vote)
  }
}

/** A set of places. There are several in each item, so it has to be small and fast. */
export class Places {
  #bits = 0

  constructor(...places: readonly Place[]) {
    for (const place of places) this.add(place)
  }

  add(place: Place): void {
    this.#bits |= BITS[place]
  }

  has(place: Place): boolean {
    return (this.#bits & BITS[place]) !== 0
  }

  /** How many of its places are in another set. */
  countIn(other: Places): number {
    return sizeOf(this.#bits & other.#bits)
  }

  /** How many places are in it. */
  get size(): number {
    return sizeOf(this.#bits)
  }
}

/** How many bits are set. */
function sizeOf(bits: number): number {
  let size = 0
  // Each turn clears the lowest one.
  for (let rest = bits; rest !== 0; rest &= rest - 1) size++
  return size
}

const BITS: Readonly<Record<Place, number>> = { added: 1, deltas: 2, textDone: 4, part: 8, done: 16, terminal: 32 }
