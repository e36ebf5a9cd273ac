import { writtenPath } from './located.js'

/** A keyword that the grammar does not hold, and where it stands: `/properties/a/not`. */
export interface Relaxation {
  readonly path: string
  /** Why, in words that a client may see. */
  readonly message: string
}

/** Says that a keyword is not held. What is compiled then has to allow more, never less. */
export type Relax = (path: string, message: string) => void

/** So many are named; the others are counted. */
const MOST_NAMED = 50

/** What a grammar leaves out of its schema. */
export class Relaxations {
  readonly #byPath = new Map<string, Relaxation>()

  /** Each path once: what is used in several places is compiled in each. */
  add(made: string, message: string): void {
    const path = writtenPath(made)
    if (!this.#byPath.has(path)) this.#byPath.set(path, { path, message })
  }

  /** @param othersOf - the places where the same stands, of which only the first one was compiled */
  list(othersOf: (path: string) => Iterable<string>): Relaxation[] {
    // It grows meanwhile.
    for (const { path, message } of this.#byPath.values()) {
      for (const other of othersOf(path)) this.add(other, message)
    }
    const all = [...this.#byPath.values()]
    if (all.length <= MOST_NAMED) return all
    const others = all.length - MOST_NAMED
    return [...all.slice(0, MOST_NAMED), { path: '', message: `${others} more keywords cannot be enforced.` }]
  }
}
