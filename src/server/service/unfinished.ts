import type { Entry } from '../../journal/entry.js'
import { type TranslateEntriesOptions, translateEntries } from '../../respond/index.js'
import type { ResponseStreamEvent } from '../../responses/events.js'
import type { FinishedResponse, Lease, ResponseStore } from '../../stores/store.js'
import { NEUTRAL } from '../../translate/failure.js'
import type { EndedResponse } from './finished-response.js'
import type { Written } from './journal.js'
import { terminalResponse } from './terminal.js'

/** How a response ended whose writer could not write on. */
export interface UnwrittenEnd {
  readonly finished: FinishedResponse
  /** The events that nobody has seen, the terminal one last. */
  readonly events: readonly ResponseStreamEvent[]
}

/**
 * A response whose writer could not write on, because the store failed. Its events still follow from its entries: from
 * those that are written, and from its end, which is a failure unless it was the end itself that could not be written.
 */
export interface UnfinishedResponse {
  /** How it ends. The same at every call. @throws what the store throws when its entries are read */
  ending(): Promise<UnwrittenEnd>
  /** Writes its end and keeps it. @throws what the store throws; StoreConflict if it is somebody else's by now */
  keep(): Promise<UnwrittenEnd>
  /** Those of the store from one index on, and its end after them, whether that is written or not. */
  withEnd(stored: AsyncIterable<readonly Entry[]>, from: number): AsyncGenerator<readonly Entry[]>
}

export interface UnfinishedOptions {
  readonly store: ResponseStore
  readonly responseId: string
  readonly owner: string
  readonly clock: () => number
  readonly respond: TranslateEntriesOptions
  readonly written: Written
  /** How it ended, if its end is written and only `finish` failed. */
  readonly ending: UnwrittenEnd | undefined
  /** What is kept of it. */
  readonly finishedOf: (ended: EndedResponse) => FinishedResponse
}

export function unfinishedResponse(options: UnfinishedOptions): UnfinishedResponse {
  const { store, responseId, owner, written } = options
  const end = options.ending === undefined ? endOf(written, options.clock()) : []
  let known = options.ending
  let keeping: Promise<UnwrittenEnd> | undefined

  async function ending(): Promise<UnwrittenEnd> {
    if (known !== undefined) return known
    const stored = await store.entries(responseId, owner)
    if (stored === undefined) throw new Error(`${responseId}: its entries are gone`)
    const translation = translateEntries(options.respond)
    let events: readonly ResponseStreamEvent[] = []
    let transcript: readonly number[] = []
    let isAborted = false
    try {
      let count = 0
      for await (const entries of withEnd(stored, 0)) {
        for (const entry of entries) {
          const added = translation.apply(entry)
          if (count >= written.count) events = [...events, ...added]
          count += 1
          isAborted = entry.type === 'abort'
        }
      }
      transcript = translation.transcript
    } finally {
      translation.dispose()
    }
    const response = terminalResponse(events)
    if (response === undefined) throw new Error(`${responseId}: its entries are gone`)
    known = { finished: options.finishedOf({ response, transcript, isAborted }), events }
    return known
  }

  async function keep(): Promise<UnwrittenEnd> {
    const { finished, events } = await ending()
    const lease = await store.claim(responseId, owner)
    if (lease === undefined) {
      // Kept after all, by a call whose answer was lost.
      const found = await store.find(responseId, owner)
      if (found?.state !== 'finished') throw new Error(`${responseId} is gone`)
      return { finished: found.finished, events }
    }
    await writeEnd(lease)
    await store.finish(lease, finished)
    return { finished, events }
  }

  /** An append that failed may have been done. The lease fences it, and the index says how much is there. */
  async function writeEnd(lease: Lease): Promise<void> {
    if (end.length === 0) return
    for (let there = 0; ; there++) {
      try {
        return await store.append(lease, written.count + there, end.slice(there))
      } catch (error) {
        if (there === end.length || !isConflict(error)) throw error
      }
    }
  }

  async function* withEnd(stored: AsyncIterable<readonly Entry[]>, from: number): AsyncGenerator<readonly Entry[]> {
    const missing = written.count - from
    if (missing <= 0) return yield end.slice(-missing)
    let count = 0
    // No more are waited for than are known to be there.
    for await (const entries of stored) {
      const isLast = count + entries.length >= missing
      yield isLast ? [...entries.slice(0, missing - count), ...end] : entries
      if (isLast) return
      count += entries.length
    }
  }

  return {
    ending,
    keep() {
      // One at a time: the lease of each fences the one before.
      keeping ??= keep().finally(() => {
        keeping = undefined
      })
      return keeping
    },
    withEnd,
  }
}

/** Somebody else writes the response, or has deleted it. By name, for two copies of this package may be installed. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && error.name === 'StoreConflict'
}

/** What is not known to be written, up to the end of the response. */
function endOf({ unknown }: Written, at: number): readonly Entry[] {
  if (unknown !== undefined && ENDS.includes(unknown.type)) return [unknown]
  const fail: Entry = { at, type: 'fail', failure: NEUTRAL }
  return unknown === undefined ? [fail] : [unknown, fail]
}

const ENDS: readonly Entry['type'][] = ['end', 'fail', 'abort']
