import type { InputItem } from '../responses/input-items.js'
import type { FinishedResponse, FoundItem } from './store.js'

interface KeptItem {
  readonly item: InputItem
  readonly isOutput: boolean
  /** The responses that have it, the latest last. */
  readonly holders: Set<string>
  /** Where it is kept: one text for all responses that have it. */
  readonly key: string
  /** Whether it is a request for an approval that was answered. */
  isConsumed: boolean
}

/** The items of kept responses, by owner and id. An item is kept as long as any response has it. */
export class KeptItems {
  readonly #items = new Map<string, KeptItem>()
  readonly #keysOf = new Map<string, readonly string[]>()

  get size(): number {
    return this.#items.size
  }

  keep(
    { responseId, owner }: { readonly responseId: string; readonly owner: string },
    { added, response }: FinishedResponse,
  ): void {
    const output = response.output as readonly InputItem[]
    const all = [
      ...added.map((item) => ({ item, isOutput: false })),
      ...output.map((item) => ({ item, isOutput: true })),
    ]
    const keys = new Set<string>()
    for (const { item, isOutput } of all) {
      const { id } = item as { readonly id?: unknown }
      if (typeof id !== 'string') continue
      const key = keyOf(id, owner)
      const known = this.#items.get(key)
      const holders = known?.holders ?? new Set()
      // Behind those that were there, so that the latest is last.
      holders.delete(responseId)
      holders.add(responseId)
      // A client's copy never replaces what a response gave: an approval is looked up here.
      const isKnown = known !== undefined && (known.isOutput || !isOutput)
      const one = known?.key ?? key
      this.#items.set(
        one,
        isKnown ? known : { item, isOutput, holders, key: one, isConsumed: known?.isConsumed ?? false },
      )
      keys.add(one)
    }
    this.#keysOf.set(responseId, [...keys])
  }

  forget(responseId: string): void {
    for (const key of this.#keysOf.get(responseId) ?? []) {
      const holders = this.#items.get(key)?.holders
      holders?.delete(responseId)
      if (holders?.size === 0) this.#items.delete(key)
    }
    this.#keysOf.delete(responseId)
  }

  find(itemId: string, owner: string): FoundItem | undefined {
    const found = this.#items.get(keyOf(itemId, owner))
    const responseId = [...(found?.holders ?? [])].at(-1)
    if (found === undefined || responseId === undefined) return undefined
    return { item: found.item, isOutput: found.isOutput, responseId }
  }

  isConsumed(itemId: string, owner: string): boolean {
    return this.#items.get(keyOf(itemId, owner))?.isConsumed ?? false
  }

  consume(itemId: string, owner: string): void {
    const found = this.#items.get(keyOf(itemId, owner))
    if (found !== undefined) found.isConsumed = true
  }
}

/** Two owners may have items of the same id: a client chooses those that it sends. */
function keyOf(itemId: string, owner: string): string {
  return JSON.stringify([owner, itemId])
}
