import type { Batch } from '../../../../core/responses/batch.js'
import { closable, createWaiter } from '../../../../shared/closable.js'
import type { ByteHold } from '../../../flow/byte-budget.js'
import type { Entry } from '../../../journal/entry.js'
import { type TranslateEntriesOptions, translateEntries } from '../../../respond/index.js'
import { bytesOf, LOGPROB_BYTES } from '../../../stores/bytes-of.js'
import { EntriesLost } from '../../../stores/entries-lost.js'
import { logprobsOf, REREAD_TOKEN_BYTES, RESPONSE_BYTES, takeOrRefuse } from '../limits/memory.js'
import { ENTRIES_LOST } from '../storage/store-failed.js'
import { ReportedError } from './reported-error.js'

export interface FollowOptions {
  /** Only events with a higher sequence number. Default: all. */
  readonly after?: number | undefined
  /**
   * Calls back when its writer has failed, and no more entries will come: at once if it has. Returns a function that
   * unsubscribes: a promise would keep every reader that has left until the response ends.
   */
  readonly onFailed?: (failed: () => void) => () => void
  /** Returns the entries of a failed writer from an index on; undefined if nothing may be shown. */
  readonly rest?: (from: number) => readonly Entry[] | undefined
  /** Counts what the reader holds, and is ended with it. */
  readonly held?: ByteHold
  /** Called when the reader has room. Returns a function that is called once, when it is at the end or has left. */
  readonly onJoin?: () => () => void
}

/**
 * Streams the events of a response as its entries arrive, for a reader that came later than the writer's own, or
 * returned. A reader without room is cut off: it may come back.
 *
 * @throws RequestError with status 429 if there is no room for another reader
 */
export function followEntries(
  entries: AsyncIterable<readonly Entry[]>,
  options: TranslateEntriesOptions,
  { after = -1, onFailed, rest, held, onJoin }: FollowOptions = {},
): AsyncGenerator<Batch> {
  takeOrRefuse(held, RESPONSE_BYTES)
  const leave = onJoin?.()
  const waiter = createWaiter()
  let hasFailed = false
  const offFailed = onFailed?.(() => {
    hasFailed = true
    waiter.interrupt()
  })
  const source = entries[Symbol.asyncIterator]()
  let isClosed = false
  const close = (): void => {
    if (isClosed) return
    isClosed = true
    offFailed?.()
    waiter.interrupt()
    // Not awaited: it may be waiting for an entry.
    source.return?.().catch(() => {})
    held?.end()
    leave?.()
  }

  async function* read(): AsyncGenerator<Batch> {
    const translation = translateEntries(options)
    let count = 0
    let latest = 0
    const eventsOf = (entry: Entry): Batch => {
      count += 1
      latest = entry.at
      return translation.apply(entry).filter((event) => event.sequence_number > after)
    }
    try {
      while (!isClosed) {
        const step = await waiter.wait(source.next())
        if (hasFailed && !isClosed) {
          const last = rest?.(count)
          if (last === undefined) throw new ReportedError('the response could not be written')
          const events = last.flatMap(eventsOf)
          if (events.length > 0) yield events
          return
        }
        if (step === undefined || step.done) return
        takeOrRefuse(held, costOf(step.value))
        for (const entry of step.value) {
          const events = eventsOf(entry)
          if (events.length > 0) yield events
        }
      }
    } catch (error) {
      if (!(error instanceof EntriesLost)) throw error
      // After the events that were shown: in the store, the end has a number that one of these has.
      yield eventsOf({ at: latest, type: 'fail', failure: ENTRIES_LOST })
    } finally {
      translation.dispose()
      close()
    }
  }
  return closable(read(), close)
}

/** Estimates the memory of entries, and of what the reader's translation keeps of them. */
export function costOf(entries: readonly Entry[]): number {
  let cost = 0
  for (const entry of entries) {
    if (entry.type === 'chunk')
      cost += entry.tokens.length * REREAD_TOKEN_BYTES + logprobsOf(entry.tokens) * LOGPROB_BYTES
    else cost += bytesOf(entry)
  }
  return cost
}
