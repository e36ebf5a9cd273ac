import type { Violation } from '../check.js'
import { namesOf } from './kind.js'
import { Recent } from './recent.js'

/** So many items are remembered by each name at least: the last of a stream that has more. */
const ITEMS = 500

/** Which cause a violation belongs to, by where it is: at which event, about which item, in which stream. */
export class Where<Cause> {
  /** By name, then by item. */
  readonly #items = new Map<string, Recent<Cause>>()
  /** By name: the last one. */
  readonly #stream = new Map<string, Cause>()
  #event: { violation: Violation; names: readonly string[]; cause: Cause }[] = []
  #position = -1

  add(violation: Violation, cause: Cause): void {
    const names = namesOf(violation)
    const keys = keysOf(violation)
    for (const name of names) {
      this.#stream.set(name, cause)
      const items = this.#items.get(name) ?? new Recent<Cause>(ITEMS)
      this.#items.set(name, items)
      for (const key of keys) items.set(key, cause)
    }
    if (violation.position !== this.#position) this.#event = []
    this.#position = violation.position
    // An event that a hundred rules find fault with needs no more of them to be explained.
    if (this.#event.length < 100) this.#event.push({ violation, names, cause })
  }

  ofItem(name: string, violation: Violation): Cause | undefined {
    const items = this.#items.get(name)
    if (items === undefined) return undefined
    const { outputIndex, itemId } = violation.about ?? {}
    const byIndex = outputIndex === undefined ? undefined : items.get(`#${outputIndex}`)
    return byIndex ?? (itemId === undefined ? undefined : items.get(`@${itemId}`))
  }

  inStream(name: string): Cause | undefined {
    return this.#stream.get(name)
  }

  atEvent(position: number, is: (violation: Violation, names: readonly string[]) => boolean): Cause | undefined {
    if (position !== this.#position) return undefined
    return this.#event.find(({ violation, names }) => is(violation, names))?.cause
  }
}

/** An item is the same by its index or by its id: either may be what is wrong. */
function keysOf({ about }: Violation): string[] {
  const { outputIndex, itemId } = about ?? {}
  return [...(outputIndex === undefined ? [] : [`#${outputIndex}`]), ...(itemId === undefined ? [] : [`@${itemId}`])]
}
