import { Expiring } from '../../../flow/expiring.js'
import type { Entry } from '../../../journal/entry.js'
import type { FoundResponse, ResponseStore } from '../../../stores/store.js'
import type { Heartbeat } from './heartbeat.js'
import { readEntries } from './stored-entries.js'
import { isConflict, type UnfinishedResponse } from './unfinished.js'

/**
 * The store as readers see it: a response that its writer could not finish is finished when it is next looked up. If
 * the store does not accept its end then either, readers still see it: no process will continue such a response, and a
 * waiting reader would wait forever.
 */
export interface StoredResponses extends Pick<ResponseStore, 'find' | 'findItem' | 'lineage'> {
  entries(responseId: string, owner: string, from?: number): Promise<AsyncIterable<readonly Entry[]> | undefined>
  /** @param onForget - called once, when the response is stored or forgotten */
  addUnfinished(responseId: string, response: UnfinishedResponse, onForget: () => void): void
  /** Whether this process has still to write the end of a response. */
  isUnfinished(responseId: string): boolean
}

/** Each holds its response's addition. There are more only if a store fails and recovers a thousand times. */
const MAX_UNFINISHED = 1000
const SECONDS = 86_400

export function storedResponses(
  store: ResponseStore,
  {
    clock,
    report,
    heartbeat,
  }: { readonly clock: () => number; readonly report: (error: unknown) => void; readonly heartbeat: Heartbeat },
): StoredResponses {
  interface Unfinished {
    readonly response: UnfinishedResponse
    readonly onForget: () => void
  }
  const unfinished = new Expiring<Unfinished>(MAX_UNFINISHED, { seconds: SECONDS, clock }, ({ onForget }) => onForget())
  const forget = (responseId: string): void => {
    const known = unfinished.get(responseId)
    unfinished.delete(responseId)
    known?.onForget()
  }
  /** Tries to write its end, or else to hold its lease. Its failure was reported when it became unfinished. */
  async function retry(responseId: string, response: UnfinishedResponse): Promise<void> {
    try {
      await response.keep()
      forget(responseId)
    } catch (error) {
      if (isConflict(error)) forget(responseId)
      else await response.renew().catch(() => {})
    }
  }
  async function find(responseId: string, owner: string): Promise<FoundResponse | undefined> {
    const found = await store.find(responseId, owner)
    const { response } = unfinished.get(responseId) ?? {}
    if (response === undefined || found === undefined) return found
    if (found.state === 'finished') {
      forget(responseId)
      return found
    }
    try {
      const { finished } = await response.keep()
      forget(responseId)
      return { state: 'finished', finished }
    } catch (error) {
      report(error)
      if (!isConflict(error)) return { state: 'finished', finished: response.ending().finished }
      forget(responseId)
      return await store.find(responseId, owner)
    }
  }

  return {
    addUnfinished(responseId, response, onForget) {
      unfinished.get(responseId)?.onForget()
      // Readers were told its end: no other process may give it another one.
      const stop = heartbeat.keep({ renew: () => retry(responseId, response) })
      unfinished.set(responseId, {
        response,
        onForget() {
          stop()
          onForget()
        },
      })
    },
    isUnfinished: (responseId) => unfinished.get(responseId) !== undefined,
    findItem: (itemId, owner) => store.findItem(itemId, owner),
    find,
    async lineage(responseId, owner) {
      // An unfinished response is not part of its lineage yet.
      if (unfinished.get(responseId) !== undefined) await find(responseId, owner)
      return await store.lineage(responseId, owner)
    },
    async entries(responseId, owner, from = 0) {
      const stored = await readEntries(store, responseId, owner, from)
      return stored && (unfinished.get(responseId)?.response.withEnd(stored, from) ?? stored)
    },
  }
}
