import type { LocatedViolation, Repeated } from './cause.js'

/** The maximum number of violations of one kind that are kept; the others are only counted. */
const MAX_KEPT = 3

/** Collects the violations of one kind. */
export class Repeats {
  readonly #first: LocatedViolation[] = []
  #count = 0

  add(violation: LocatedViolation): void {
    this.#count++
    if (this.#first.length < MAX_KEPT) this.#first.push(violation)
  }

  get all(): Repeated {
    return { first: [...this.#first], count: this.#count }
  }
}
