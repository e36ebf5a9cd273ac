import type { Violation } from '../violation.js'
import { factsOf } from './rule-facts.js'

/** The limit for evidence. A server with more wrong numbers counts in its own way, and has lost no events. */
const MAX_EVIDENCE = 3

/** Wrong sequence numbers, which suggest that events were lost, came twice or came late. */
export class SequenceEvidence<Cause> {
  readonly #found: { readonly position: number; readonly cause: Cause }[] = []
  #count = 0

  add({ about, position }: Violation, cause: Cause): void {
    if (about?.evidence === undefined) return
    this.#count++
    if (this.#count <= MAX_EVIDENCE) this.#found.push({ position, cause })
  }

  /** The wrong number that explains a violation: one between the beginning of its item or part and its event. */
  of({ rule, about, position }: Violation): Cause | undefined {
    if (this.#count > MAX_EVIDENCE || !factsOf(rule).needsOrder) return undefined
    // For an item that was never added, only a wrong number at this event counts.
    const isOfItem = about?.outputIndex !== undefined || about?.itemId !== undefined
    const from = about?.since ?? (isOfItem ? position : 0)
    return this.#found.findLast((one) => one.position >= from && one.position <= position)?.cause
  }
}
