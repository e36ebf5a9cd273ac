import type { Entry } from '../../journal/entry.js'
import { type TranslateEntriesOptions, translateEntries } from '../../respond/index.js'
import type { ResponseStreamEvent } from '../../responses/events.js'
import type { FinishedResponse, Lease, ResponseStore } from '../../stores/store.js'
import type { EndedResponse } from './finished-response.js'
import type { Written } from './journal.js'
import { STORE_FAILED } from './store-failed.js'
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
  /** Calls it failed from now on, if it is only its end that may be written or not: no more is told than is kept. */
  giveUp(): void
  /** How it ends. The same at every call, until it is given up or kept. */
  ending(): UnwrittenEnd
  /** Writes its end and keeps it. @throws what the store throws; StoreConflict if it is somebody else's by now */
  keep(): Promise<UnwrittenEnd>
  /** The entries from one index on, without a store: those that it has acknowledged, and the end. */
  rest(from: number): readonly Entry[]
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
  let end = options.ending === undefined ? endOf(written, options.clock()) : []
  /** The end that was given up, and that the store may have nevertheless. */
  let givenUp: readonly Entry[] | undefined
  let known = options.ending
  let keeping: Promise<UnwrittenEnd> | undefined

  const rest = (from: number): readonly Entry[] => [...written.entries, ...end].slice(from)

  function ending(): UnwrittenEnd {
    if (known !== undefined) return known
    const translation = translateEntries(options.respond)
    const events: ResponseStreamEvent[] = []
    let transcript: readonly number[] = []
    try {
      for (const entry of written.entries) translation.apply(entry)
      for (const entry of end) events.push(...translation.apply(entry))
      transcript = translation.transcript
    } finally {
      translation.dispose()
    }
    const response = terminalResponse(events)
    if (response === undefined) throw new Error(`${responseId} has no end`)
    const isAborted = [...written.entries, ...end].at(-1)?.type === 'abort'
    known = { finished: options.finishedOf({ response, transcript, isAborted }), events }
    return known
  }

  async function keep(): Promise<UnwrittenEnd> {
    const lease = await store.claim(responseId, owner)
    if (lease === undefined) {
      // Kept after all, by a call whose answer was lost.
      const found = await store.find(responseId, owner)
      if (found?.state !== 'finished') throw new Error(`${responseId} is gone`)
      return { finished: found.finished, events: ending().events }
    }
    await writeEnd(lease)
    const { finished, events } = ending()
    await store.finish(lease, finished)
    return { finished, events }
  }

  /** An append that failed may have been done. The lease fences it, and the index says how much is there. */
  async function writeEnd(lease: Lease): Promise<void> {
    if (end.length === 0) return
    for (let there = 0; ; there++) {
      try {
        return await store.append(lease, written.entries.length + there, end.slice(there))
      } catch (error) {
        if (there === end.length || !isConflict(error)) throw error
        if (givenUp === undefined) continue
        end = givenUp
        givenUp = undefined
        known = undefined
      }
    }
  }

  async function* withEnd(stored: AsyncIterable<readonly Entry[]>, from: number): AsyncGenerator<readonly Entry[]> {
    const missing = written.entries.length - from
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

  function giveUp(): void {
    const [first] = end
    if (first === undefined || first.type === 'fail' || !ENDS.includes(first.type)) return
    givenUp = end
    end = [failAt(options.clock())]
    known = undefined
  }

  return {
    giveUp,
    ending,
    rest,
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
  return unknown === undefined ? [failAt(at)] : [unknown, failAt(at)]
}

function failAt(at: number): Entry {
  return { at, type: 'fail', failure: STORE_FAILED }
}

const ENDS: readonly Entry['type'][] = ['end', 'fail', 'abort']
