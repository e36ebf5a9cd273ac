import type { Violation } from '../check.js'
import { OF_ORDER } from './follows.js'

/** So many are evidence. A server whose numbers jump more often counts in another way, and has lost nothing. */
const MOST = 3

/** Wrong sequence numbers that are evidence of events that were lost, came twice or came too late. */
export class Evidence<Cause> {
  readonly #found: { readonly position: number; readonly cause: Cause }[] = []
  #count = 0

  add({ about, position }: Violation, cause: Cause): void {
    if (about?.evidence === undefined) return
    this.#count++
    if (this.#count <= MOST) this.#found.push({ position, cause })
  }

  /** The cause of a violation, where what it is about had begun when a number was wrong, and was not over. */
  of({ rule, about, position }: Violation): Cause | undefined {
    if (this.#count > MOST || !OF_ORDER.has(rule)) return undefined
    // What was never announced can have been lost at this place only.
    const isOfItem = about?.outputIndex !== undefined || about?.itemId !== undefined
    const from = about?.since ?? (isOfItem ? position : 0)
    return this.#found.findLast((one) => one.position >= from && one.position <= position)?.cause
  }
}
