import type { Reclaimable } from '../../flow/byte-budget.js'
import type { RememberedResponse } from '../service/conversation/earlier-responses.js'

/** The latest responses of one connection that are not stored, for the next `previous_response_id`. */
export interface Remembered extends Reclaimable {
  find(responseId: string): RememberedResponse | undefined
  /** @param size - the length of the response's addition to its conversation, in characters */
  add(response: RememberedResponse, size: number): void
  forget(responseId: string): void
}

/**
 * The limit in characters. A response that begins a conversation is remembered whatever its size, if it is the latest.
 */
const MAX_SIZE = 67_108_864

/** Bytes per character of a conversation: in its items, and as ids in its transcripts. */
const CHARACTER_BYTES = 3

/** @param max - the maximum number of responses */
export function createRemembered(most: number): Remembered {
  const known = new Map<string, RememberedResponse>()
  /** How many hold each response: its id, and the responses that continue it. It is dropped with the last of these. */
  const holders = new Map<RememberedResponse, number>()
  const sizes = new WeakMap<RememberedResponse, number>()
  const listeners = new Set<() => void>()
  let total = 0

  function hold(response: RememberedResponse): void {
    // Includes predecessors that were dropped while the response continued them.
    for (let each: RememberedResponse | undefined = response; each !== undefined; each = beforeOf(each)) {
      const count: number | undefined = holders.get(each)
      holders.set(each, (count ?? 0) + 1)
      if (count !== undefined) return
      total += sizes.get(each) ?? 0
    }
  }

  function forget(responseId: string): void {
    const response = known.get(responseId)
    known.delete(responseId)
    if (response !== undefined) letGo(response)
    for (const listener of listeners) listener()
  }

  function letGo(response: RememberedResponse): void {
    for (let last: RememberedResponse | undefined = response; last !== undefined; last = beforeOf(last)) {
      const left: number = (holders.get(last) ?? 1) - 1
      if (left > 0) return void holders.set(last, left)
      holders.delete(last)
      total -= sizes.get(last) ?? 0
    }
  }

  return {
    find: (responseId) => known.get(responseId),
    add(response, size) {
      sizes.set(response, size)
      known.set(response.finished.response.id, response)
      hold(response)
      for (const [oldest, { before }] of known) {
        const isOne = known.size === 1 && typeof before !== 'object'
        if (known.size <= most && (total <= MAX_SIZE || isOne)) break
        forget(oldest)
      }
      for (const listener of listeners) listener()
    },
    forget,
    get bytes() {
      return total * CHARACTER_BYTES
    },
    reclaim(bytes) {
      const before = total
      for (const oldest of known.keys()) {
        if ((before - total) * CHARACTER_BYTES >= bytes) break
        forget(oldest)
      }
      return (before - total) * CHARACTER_BYTES
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function beforeOf({ before }: RememberedResponse): RememberedResponse | undefined {
  return typeof before === 'object' ? before : undefined
}
