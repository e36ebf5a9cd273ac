import type { Item } from '../items/kinds.js'

/** The key that matches every hosted call, for tool messages that do not name a tool. */
export const ANY_CALLEE = ''

/** The calls that match one key, oldest first. */
interface Queue {
  readonly calls: Item[]
  /** How many calls at the front are finished. */
  finished: number
}

/**
 * Matches results with hosted calls, in constant time per result. Derived from the items, so it is not part of a
 * snapshot; created for the first result, because most responses have none.
 */
export class Calls {
  readonly #byId = new Map<string, Item>()
  readonly #byKey = new Map<string, Queue>()
  #indexed = 0

  /** Indexes the items that were added since the last call. The list may only grow. */
  index(items: readonly Item[]): this {
    for (; this.#indexed < items.length; this.#indexed++) {
      const item = items[this.#indexed] as Item
      if (!this.#byId.has(item.id)) this.#byId.set(item.id, item)
      if (item.callee === '') continue
      for (const key of [ANY_CALLEE, item.callee]) {
        const queue = this.#byKey.get(key)
        if (queue === undefined) this.#byKey.set(key, { calls: [item], finished: 0 })
        else queue.calls.push(item)
      }
    }
    return this
  }

  /** Returns the item with this id, whether or not it is a hosted call. */
  find(id: string): Item | undefined {
    return this.#byId.get(id)
  }

  /** Returns the oldest call that matches one of the keys and waits for its result. */
  oldestWaiting(keys: readonly string[]): Item | undefined {
    return this.#oldest(keys, 'waiting', (queue) => {
      // Finished calls stay finished, so each one is skipped only once, however many results arrive.
      while (isFinished(queue.calls[queue.finished])) queue.finished++
      return queue.calls[queue.finished]
    })
  }

  /** Returns the oldest call that matches one of the keys and has its result, if none of them waits. */
  oldestAnswered(keys: readonly string[]): Item | undefined {
    return this.#oldest(keys, 'done', ({ calls }) => calls[0])
  }

  #oldest(keys: readonly string[], stage: Item['stage'], first: (queue: Queue) => Item | undefined): Item | undefined {
    let oldest: Item | undefined
    for (const key of keys) {
      const queue = this.#byKey.get(key)
      const call = queue && first(queue)
      if (call?.stage === stage && !(oldest && oldest.outputIndex < call.outputIndex)) oldest = call
    }
    return oldest
  }
}

function isFinished(call: Item | undefined): boolean {
  return call?.stage === 'done' || call?.stage === 'cut'
}
