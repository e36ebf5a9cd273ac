/** The approximate limit of a schema's grammar in nodes, including the work to create it: some 1,000 properties. */
export const MAX_NODES = 100_000

/** The number of nodes in one slice: a few milliseconds. */
export const SLICE_NODES = 1_000

/** The number of nodes in the first slice, doubled for each further one: new code takes several times as long. */
export const FIRST_SLICE_NODES = 125

/** The limit of work for one subschema. Pauses divide only the work of its automata. */
const MAX_AT_ONCE = 15_000

/** The work that is done before something turns out to be too much. */
export const OF_REFUSAL = 50

/** The cost of combining two shapes besides their properties. */
export const OF_SHAPE = 5

/** Counts work in nodes, never in time: a schema has to yield the same grammar in any process. */
export class Budget {
  #steps = 0
  #refusals = 0
  #paused = 0
  /** Where the budget of the current subschema ends. */
  #until = MAX_AT_ONCE

  /** The work so far. */
  get steps(): number {
    return this.#steps
  }

  /** Begins another subschema. */
  next(): void {
    this.#until = this.#steps + MAX_AT_ONCE
  }

  /** Counts work. Returns false if it would be too much for one subschema, and must not be done. */
  spend(nodes: number): boolean {
    if (this.#steps + nodes > this.#until) {
      this.refuse()
      return false
    }
    this.#steps += nodes
    return true
  }

  /** Records that something is dropped because of its context. */
  refuse(): void {
    this.#refusals += 1
  }

  /** How often something was dropped because of earlier work or its context. */
  get refusals(): number {
    return this.#refusals
  }

  /** Whether a slice's worth of work was done since the last true result. @param more - additional work, in nodes */
  isPauseDue(more = 0): boolean {
    this.#paused -= more
    const done = this.#steps + this.#refusals * OF_REFUSAL
    if (done - this.#paused < SLICE_NODES) return false
    this.#paused = done
    return true
  }
}
