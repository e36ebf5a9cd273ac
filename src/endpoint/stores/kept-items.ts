import type { InputItem } from '../../core/responses/input-items.js'
import type { Slices, Work } from '../../shared/slices.js'
import type { FinishedResponse, FoundItem } from './store.js'

interface KeptItem {
  item: InputItem
  isOutput: boolean
  /**
   * The responses that have the item, the latest last. Nearly always one, because a set for each item takes twice the
   * time.
   */
  holders: string | Set<string>
  /** Whether it is a request for an approval that was answered. */
  isConsumed: boolean
}

/** The index entries of a response's items. */
interface Held {
  readonly owner: string
  readonly ids: string[]
}

/** The cost of an item, in encoded characters. */
const ITEM = 4

/**
 * The items of kept responses, by owner and id. An item is kept as long as any response has it. A response may have
 * 100,000: they are added and removed in slices.
 */
export class KeptItems {
  /** Two owners may have items with the same id, since clients choose the ids of the items that they send. */
  readonly #byOwner = new Map<string, Map<string, KeptItem>>()
  readonly #held = new Map<string, Held>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Returns the work of adding the items of a response, which ends when the response is forgotten. */
  keep(
    { responseId, owner }: { readonly responseId: string; readonly owner: string },
    { added, response }: FinishedResponse,
    work: Work,
  ): Slices<void> {
    const held: Held = { owner, ids: [] }
    this.#held.set(responseId, held)
    return this.#keepAll(held, responseId, [added, response.output as readonly InputItem[]], work)
  }

  /** @param lists - those of the client, and those of the response itself */
  *#keepAll(held: Held, responseId: string, lists: readonly (readonly InputItem[])[], work: Work): Slices<void> {
    for (const [nth, list] of lists.entries()) {
      for (const item of list) {
        if (this.#held.get(responseId) !== held) return
        const { id } = item as { readonly id?: unknown }
        if (typeof id === 'string') this.#keepOne(held, responseId, { item, id, isOutput: nth === 1 })
        work.left -= ITEM
        if (work.left <= 0) yield* work.pause()
      }
    }
  }

  #keepOne(
    { owner, ids }: Held,
    responseId: string,
    { item, id, isOutput }: { readonly item: InputItem; readonly id: string; readonly isOutput: boolean },
  ): void {
    const items = this.#byOwner.get(owner) ?? new Map<string, KeptItem>()
    const known = items.get(id)
    if (known === undefined) {
      if (items.size === 0) this.#byOwner.set(owner, items)
      items.set(id, { item, isOutput, holders: responseId, isConsumed: false })
      this.#size += 1
      ids.push(id)
      return
    }
    if (!has(known, responseId)) ids.push(id)
    // Appended, so that the latest is last.
    add(known, responseId)
    // A client's copy never replaces a response's own item: approvals are looked up here.
    if (known.isOutput || !isOutput) return
    known.item = item
    known.isOutput = true
  }

  /** Forgets a response. Returns the work of removing the items that no other one has. */
  forget(responseId: string): (work: Work) => Slices<void> {
    const held = this.#held.get(responseId)
    this.#held.delete(responseId)
    const { owner = '', ids = [] } = held ?? {}
    // Counted as removed at once: until then a store that is full would forget more than it has to.
    this.#size -= ids.length
    return (work) => this.#removeAll(responseId, owner, ids, work)
  }

  *#removeAll(responseId: string, owner: string, ids: readonly string[], work: Work): Slices<void> {
    for (const id of ids) {
      const items = this.#byOwner.get(owner)
      const item = items?.get(id)
      if (item !== undefined && !remove(item, responseId)) this.#size += 1
      else if (items?.delete(id) && items.size === 0) this.#byOwner.delete(owner)
      work.left -= ITEM
      if (work.left <= 0) yield* work.pause()
    }
  }

  find(itemId: string, owner: string): FoundItem | undefined {
    const found = this.#byOwner.get(owner)?.get(itemId)
    if (found === undefined) return undefined
    return { item: found.item, isOutput: found.isOutput, responseId: latestOf(found) }
  }

  isConsumed(itemId: string, owner: string): boolean {
    return this.#byOwner.get(owner)?.get(itemId)?.isConsumed ?? false
  }

  consume(itemId: string, owner: string): void {
    const found = this.#byOwner.get(owner)?.get(itemId)
    if (found !== undefined) found.isConsumed = true
  }
}

function has({ holders }: KeptItem, responseId: string): boolean {
  return typeof holders === 'string' ? holders === responseId : holders.has(responseId)
}

function add(item: KeptItem, responseId: string): void {
  const { holders } = item
  if (holders === responseId) return
  const all = typeof holders === 'string' ? new Set([holders]) : holders
  all.delete(responseId)
  all.add(responseId)
  item.holders = all
}

/** Removes a holder. Returns whether no response has the item any more. */
function remove({ holders }: KeptItem, responseId: string): boolean {
  if (typeof holders === 'string') return holders === responseId
  holders.delete(responseId)
  return holders.size === 0
}

function latestOf({ holders }: KeptItem): string {
  if (typeof holders === 'string') return holders
  let latest = ''
  for (const responseId of holders) latest = responseId
  return latest
}
