import type { Violation } from '../violation.js'
import { causeNamesOf } from './violation-kind.js'

/** The minimum number of last items that are remembered for each rule. */
const MIN_ITEMS = 500

/** Finds earlier causes: at the same event, about the same item, or anywhere in the stream. */
export class CauseIndex<Cause> {
  /** By the name of the cause, then by item. */
  readonly #items = new Map<string, RecentMap<Cause>>()
  /** The last cause of each name. */
  readonly #stream = new Map<string, Cause>()
  #event: { violation: Violation; names: readonly string[]; cause: Cause }[] = []
  #position = -1

  add(violation: Violation, cause: Cause): void {
    const names = causeNamesOf(violation)
    const keys = keysOf(violation)
    for (const name of names) {
      this.#stream.set(name, cause)
      const items = this.#items.get(name) ?? new RecentMap<Cause>(MIN_ITEMS)
      this.#items.set(name, items)
      for (const key of keys) items.set(key, cause)
    }
    if (violation.position !== this.#position) this.#event = []
    this.#position = violation.position
    // A limit, so that an event with many violations does not make each lookup slower.
    if (this.#event.length < 100) this.#event.push({ violation, names, cause })
  }

  ofItem(name: string, violation: Violation): Cause | undefined {
    const items = this.#items.get(name)
    if (items === undefined) return undefined
    for (const key of keysOf(violation)) {
      const cause = items.get(key)
      if (cause !== undefined) return cause
    }
    return undefined
  }

  inStream(name: string): Cause | undefined {
    return this.#stream.get(name)
  }

  atEvent(position: number, matches: (violation: Violation, names: readonly string[]) => boolean): Cause | undefined {
    if (position !== this.#position) return undefined
    return this.#event.find(({ violation, names }) => matches(violation, names))?.cause
  }
}

/**
 * Keys by output_index and by id: either of them may be the wrong one. In Chat Completions, the call, or the choice if it
 * is about no call.
 */
function keysOf({ about }: Violation): string[] {
  const { outputIndex, itemId, choice, call, block } = about ?? {}
  return [
    ...(outputIndex === undefined ? [] : [`#${outputIndex}`]),
    ...(itemId === undefined ? [] : [`@${itemId}`]),
    ...(block === undefined ? [] : [`block ${block}`]),
    ...(choice === undefined ? [] : [call === undefined ? `choice ${choice}` : `call ${choice}.${call}`]),
  ]
}

/** A map that keeps at least the last `kept` entries, and at most twice as many. */
class RecentMap<Value> {
  readonly #kept: number
  #current = new Map<string, Value>()
  #previous = new Map<string, Value>()

  constructor(min: number) {
    this.#kept = min
  }

  get(key: string): Value | undefined {
    return this.#current.get(key) ?? this.#previous.get(key)
  }

  set(key: string, value: Value): void {
    this.#current.set(key, value)
    if (this.#current.size < this.#kept) return
    // Drops a whole map: deleting the first key of one map again and again would be slow, as it skips deleted slots.
    this.#previous = this.#current
    this.#current = new Map()
  }
}
