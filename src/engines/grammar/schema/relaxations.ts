import type { Slices } from '../../../shared/slices.js'
import { writtenPath } from './located.js'

/** A keyword that the grammar does not enforce, with its place: `/properties/a/not`. */
export interface Relaxation {
  readonly path: string
  /** The reason, in words that a client may see. */
  readonly message: string
}

/** Reports that a keyword is not enforced. The compiled grammar then has to allow more, never less. */
export type Relax = (path: string, message: string) => void

/** The maximum number of named relaxations; the others are counted. */
const MAX_NAMED = 50

/** The number of relaxations whose other places are sought in one slice: as many as a schema has parts. */
const SLICE = 500

/** The relaxations of a grammar. */
export class Relaxations {
  readonly #byPath = new Map<string, Relaxation>()

  /** Adds each path once, since a part with several uses is compiled for each of them. */
  add(made: string, message: string): void {
    const path = writtenPath(made)
    if (!this.#byPath.has(path)) this.#byPath.set(path, { path, message })
  }

  /** @param othersOf - yields the other places of a schema: of equivalent ones only the first is compiled */
  *list(othersOf: (path: string) => Iterable<string>): Slices<Relaxation[]> {
    let sought = 0
    // The map grows during the loop.
    for (const { path, message } of this.#byPath.values()) {
      if (++sought % SLICE === 0) yield
      for (const other of othersOf(path)) this.add(other, message)
    }
    const all = [...this.#byPath.values()]
    if (all.length <= MAX_NAMED) return all
    const others = all.length - MAX_NAMED
    return [...all.slice(0, MAX_NAMED), { path: '', message: `${others} more keywords cannot be enforced.` }]
  }
}
