import type { InputItem } from '../../core/responses/input-items.js'
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
  readonly ids: readonly string[]
}

/** The items of kept responses, by owner and id. An item is kept as long as any response has it. */
export class KeptItems {
  /** Two owners may have items with the same id, since clients choose the ids of the items that they send. */
  readonly #byOwner = new Map<string, Map<string, KeptItem>>()
  readonly #held = new Map<string, Held>()
  #size = 0

  get size(): number {
    return this.#size
  }

  keep(
    { responseId, owner }: { readonly responseId: string; readonly owner: string },
    { added, response }: FinishedResponse,
  ): void {
    const items = this.#byOwner.get(owner) ?? new Map<string, KeptItem>()
    this.#byOwner.set(owner, items)
    const ids: string[] = []
    const keepAll = (list: readonly InputItem[], isOutput: boolean): void => {
      for (const item of list) {
        const { id } = item as { readonly id?: unknown }
        if (typeof id !== 'string') continue
        const known = items.get(id)
        if (known === undefined) {
          items.set(id, { item, isOutput, holders: responseId, isConsumed: false })
          this.#size += 1
          ids.push(id)
          continue
        }
        if (!has(known, responseId)) ids.push(id)
        // Appended, so that the latest is last.
        add(known, responseId)
        // A client's copy never replaces a response's own item: approvals are looked up here.
        if (known.isOutput || !isOutput) continue
        known.item = item
        known.isOutput = true
      }
    }
    keepAll(added, false)
    keepAll(response.output as readonly InputItem[], true)
    this.#held.set(responseId, { owner, ids })
  }

  forget(responseId: string): void {
    const { owner = '', ids = [] } = this.#held.get(responseId) ?? {}
    const items = this.#byOwner.get(owner)
    for (const id of ids) {
      const item = items?.get(id)
      if (item === undefined || !remove(item, responseId)) continue
      items?.delete(id)
      this.#size -= 1
    }
    if (items?.size === 0) this.#byOwner.delete(owner)
    this.#held.delete(responseId)
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
