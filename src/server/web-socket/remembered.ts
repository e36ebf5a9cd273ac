import type { RememberedResponse } from '../service/earlier-responses.js'

/** The responses of one connection that are not stored, for the next `previous_response_id`: the latest ones. */
export interface Remembered {
  find(responseId: string): RememberedResponse | undefined
  /** @param size - of what the response added to its conversation, in characters */
  add(response: RememberedResponse, size: number): void
  forget(responseId: string): void
}

/** In characters. A response that begins a conversation is remembered whatever its size, if it is the latest. */
const MOST_SIZE = 67_108_864

/** @param most - how many responses */
export function createRemembered(most: number): Remembered {
  const known = new Map<string, RememberedResponse>()
  /** How many hold each response: its id, and those that go on from it. It goes with the last of these. */
  const holders = new Map<RememberedResponse, number>()
  const sizes = new WeakMap<RememberedResponse, number>()
  let total = 0

  function hold(response: RememberedResponse): void {
    // Also those before it that were forgotten while the response went on from them.
    for (let each: RememberedResponse | undefined = response; each !== undefined; each = beforeOf(each)) {
      const count: number | undefined = holders.get(each)
      holders.set(each, (count ?? 0) + 1)
      if (count !== undefined) return
      total += sizes.get(each) ?? 0
    }
  }

  function forget(responseId: string): void {
    let last = known.get(responseId)
    known.delete(responseId)
    while (last !== undefined) {
      const left = (holders.get(last) ?? 1) - 1
      if (left > 0) return void holders.set(last, left)
      holders.delete(last)
      total -= sizes.get(last) ?? 0
      last = beforeOf(last)
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
        if (known.size <= most && (total <= MOST_SIZE || isOne)) break
        forget(oldest)
      }
    },
    forget,
  }
}

function beforeOf({ before }: RememberedResponse): RememberedResponse | undefined {
  return typeof before === 'object' ? before : undefined
}
