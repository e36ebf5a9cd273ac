/** A schema's grammar has about so many nodes, and what is looked at to make it counts as well. Some 1,000 properties. */
export const MOST_NODES = 100_000

/** So many nodes are the work of one piece: a few milliseconds. */
export const SLICE_NODES = 1_000

/** So many are the work of one subschema. Only what its automata take is divided by pauses. */
const MOST_AT_ONCE = 15_000

/** What is done until something turns out to be too much. */
export const OF_REFUSAL = 50

/** Work is counted in nodes, never in time: a schema has to become the same grammar in any process. */
export class Budget {
  #steps = 0
  #refusals = 0
  #paused = 0
  /** Where the subschema ends that is being looked at. */
  #until = MOST_AT_ONCE

  /** What was looked at so far. */
  get steps(): number {
    return this.#steps
  }

  /** Begins with another subschema. */
  next(): void {
    this.#until = this.#steps + MOST_AT_ONCE
  }

  /** Counts work. False if it would be too much for one subschema: then it is not to be done. */
  spend(nodes: number): boolean {
    if (this.#steps + nodes > this.#until) {
      this.refuse()
      return false
    }
    this.#steps += nodes
    return true
  }

  /** Says that something is left out because of what stands around it. */
  refuse(): void {
    this.#refusals += 1
  }

  /** How often something was left out for what was done before, or stands around it. */
  get refusals(): number {
    return this.#refusals
  }

  /** Whether so much was looked at since the last time that this was so. @param more - what was done beside, in nodes */
  isPauseDue(more = 0): boolean {
    this.#paused -= more
    if (this.#steps - this.#paused < SLICE_NODES) return false
    this.#paused = this.#steps
    return true
  }
}
