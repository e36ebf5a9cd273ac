import { Expiring } from '../../../flow/expiring.js'
import type { Entry } from '../../../journal/entry.js'
import type { ConversationIndex, FoundResponse, ResponseStore } from '../../../stores/store.js'
import type { Heartbeat } from './heartbeat.js'
import { readEntries } from './stored-entries.js'
import { isConflict, type UnfinishedResponse } from './unfinished.js'

/** Each holds its response's addition. There are more only if a store fails and recovers a thousand times. */
const MAX_UNFINISHED = 1000
const SECONDS = 86_400

interface Unfinished {
  readonly response: UnfinishedResponse
  readonly onForget: () => void
}

export interface StoredResponsesOptions {
  readonly clock: () => number
  readonly report: (error: unknown) => void
  readonly heartbeat: Heartbeat
}

/**
 * The store as readers see it: a response that its writer could not finish is finished when it is next looked up. If
 * the store does not accept its end then either, readers still see it: no process will continue such a response, and a
 * waiting reader would wait forever.
 */
export class StoredResponses implements Pick<ResponseStore, 'find' | 'findItem' | 'lineage'> {
  readonly #store: ResponseStore
  readonly #options: StoredResponsesOptions
  readonly #unfinished: Expiring<Unfinished>

  constructor(store: ResponseStore, options: StoredResponsesOptions) {
    this.#store = store
    this.#options = options
    const time = { seconds: SECONDS, clock: options.clock }
    this.#unfinished = new Expiring(MAX_UNFINISHED, time, ({ onForget }) => onForget())
  }

  get conversations(): ConversationIndex | undefined {
    return this.#store.conversations
  }

  /** @param onForget - called once, when the response is stored or forgotten */
  addUnfinished(responseId: string, response: UnfinishedResponse, onForget: () => void): void {
    this.#unfinished.get(responseId)?.onForget()
    // Readers were told its end: no other process may give it another one.
    const stop = this.#options.heartbeat.keep({ renew: () => this.#retry(responseId, response) })
    this.#unfinished.set(responseId, {
      response,
      onForget() {
        stop()
        onForget()
      },
    })
  }

  /** Whether this process has still to write the end of a response. */
  isUnfinished(responseId: string): boolean {
    return this.#unfinished.get(responseId) !== undefined
  }

  async find(responseId: string, owner: string): Promise<FoundResponse | undefined> {
    const found = await this.#store.find(responseId, owner)
    const { response } = this.#unfinished.get(responseId) ?? {}
    if (response === undefined || found === undefined) return found
    if (found.state === 'finished') {
      this.#forget(responseId)
      return found
    }
    try {
      const { finished } = await response.keep()
      this.#forget(responseId)
      return { state: 'finished', finished }
    } catch (error) {
      this.#options.report(error)
      if (!isConflict(error)) return { state: 'finished', finished: response.ending().finished }
      this.#forget(responseId)
      return await this.#store.find(responseId, owner)
    }
  }

  findItem(itemId: string, owner: string): ReturnType<ResponseStore['findItem']> {
    return this.#store.findItem(itemId, owner)
  }

  async lineage(responseId: string, owner: string): ReturnType<ResponseStore['lineage']> {
    // An unfinished response is not part of its lineage yet.
    if (this.isUnfinished(responseId)) await this.find(responseId, owner)
    return await this.#store.lineage(responseId, owner)
  }

  async entries(responseId: string, owner: string, from = 0): Promise<AsyncIterable<readonly Entry[]> | undefined> {
    const stored = await readEntries(this.#store, responseId, owner, from)
    return stored && (this.#unfinished.get(responseId)?.response.withEnd(stored, from) ?? stored)
  }

  #forget(responseId: string): void {
    const known = this.#unfinished.get(responseId)
    this.#unfinished.delete(responseId)
    known?.onForget()
  }

  /** Tries to write its end, or else to hold its lease. Its failure was reported when it became unfinished. */
  async #retry(responseId: string, response: UnfinishedResponse): Promise<void> {
    try {
      await response.keep()
      this.#forget(responseId)
    } catch (error) {
      if (isConflict(error)) this.#forget(responseId)
      else await response.renew().catch(() => {})
    }
  }
}
