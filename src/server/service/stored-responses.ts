import { Expiring } from '../../stores/expiring.js'
import type { ResponseStore } from '../../stores/store.js'
import { isConflict, type UnfinishedResponse } from './unfinished.js'

/**
 * The store as readers see it: a response that its writer could not finish is finished when it is next looked for. If
 * the store does not take its end then either, readers see it all the same: nobody will go on with such a response, and
 * who waited for it would wait for ever.
 */
export interface StoredResponses extends Pick<ResponseStore, 'find' | 'findItem' | 'entries'> {
  /** @param onForget - called once, when the response is kept or forgotten */
  addUnfinished(responseId: string, response: UnfinishedResponse, onForget: () => void): void
}

/** Each holds the conversation of its response. There are more only if a store fails and recovers a thousand times. */
const MOST_UNFINISHED = 1000
const SECONDS = 86_400

export function storedResponses(
  store: ResponseStore,
  { clock, report }: { readonly clock: () => number; readonly report: (error: unknown) => void },
): StoredResponses {
  const releases = new Map<string, () => void>()
  const release = (responseId: string): void => {
    releases.get(responseId)?.()
    releases.delete(responseId)
  }
  const unfinished = new Expiring<UnfinishedResponse>(MOST_UNFINISHED, { seconds: SECONDS, clock }, release)
  const forget = (responseId: string): void => {
    unfinished.delete(responseId)
    release(responseId)
  }
  return {
    addUnfinished(responseId, response, onForget) {
      releases.set(responseId, onForget)
      unfinished.set(responseId, response)
    },
    findItem: (itemId, owner) => store.findItem(itemId, owner),
    async find(responseId, owner) {
      const found = await store.find(responseId, owner)
      const response = unfinished.get(responseId)
      if (response === undefined || found === undefined) return found
      if (found.state === 'finished') {
        forget(responseId)
        return found
      }
      const { isTransient } = found
      try {
        const { finished } = await response.keep()
        forget(responseId)
        return { isTransient, state: 'finished', finished }
      } catch (error) {
        report(error)
        if (!isConflict(error)) return { isTransient, state: 'finished', finished: response.ending().finished }
        forget(responseId)
        return await store.find(responseId, owner)
      }
    },
    async entries(responseId, owner, from = 0) {
      const stored = await store.entries(responseId, owner, from)
      return stored && (unfinished.get(responseId)?.withEnd(stored, from) ?? stored)
    },
  }
}
