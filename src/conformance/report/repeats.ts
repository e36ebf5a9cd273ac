import type { LocatedViolation, Repeated } from './cause.js'

/** So many violations of one kind are kept; the others are counted. */
const FIRST = 3

/** Violations of one kind, as they come. */
export class Repeats {
  readonly #first: LocatedViolation[] = []
  #count = 0

  add(violation: LocatedViolation): void {
    this.#count++
    if (this.#first.length < FIRST) this.#first.push(violation)
  }

  get all(): Repeated {
    return { first: [...this.#first], count: this.#count }
  }
}
