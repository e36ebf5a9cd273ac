import type { Failure } from '../../../../core/completion/failure.js'
import type { Batch } from '../../../../core/responses/batch.js'
import { EntriesLost } from '../../../stores/entries-lost.js'
import type { FinishedResponse } from '../../../stores/store.js'
import { StoreFailure } from '../storage/bounded-store.js'
import type { Journal } from '../storage/journal.js'
import { ENTRIES_LOST, NOT_CONTINUED } from '../storage/store-failed.js'
import { hasEnd, isConflict, UnfinishedResponse } from '../storage/unfinished.js'
import type { Written } from '../storage/written.js'
import type { EntryWriter } from './entry-writer.js'
import { followEntries } from './follow.js'
import { ReportedError } from './reported-error.js'
import type { RunOptions } from './run-types.js'

/** The lease of a response that was begun and taken over so often: if its store fails again, it fails. */
const MAX_EPOCH = 100

/** The state of a response whose journal failed. */
export interface BrokenRun {
  readonly options: RunOptions
  readonly writer: EntryWriter
  readonly isCancelled: boolean
  /** Whether another process could continue it. */
  readonly canHandOver: boolean
}

/** The outcome for such a response. */
export type Recovered =
  /** Its end is kept after all. */
  | { readonly by: 'kept'; readonly finished: FinishedResponse; readonly events: Batch }
  /** Another process writes it, and decides its end. */
  | { readonly by: 'elsewhere' }
  /** The end could not be stored; readers receive it from memory until it is. */
  | { readonly by: 'unfinished'; readonly response: UnfinishedResponse }
  /** Nothing may be shown: its readers are cut off, and come back. */
  | { readonly by: 'nothing' }

/** Tries to end a response whose journal failed with this error. Never rejects. */
export async function recover(error: unknown, run: BrokenRun): Promise<Recovered> {
  const { isCancelled, canHandOver } = run
  const { journal, finishedOf } = run.writer
  const { repository, clock, respond } = run.options
  const lease = journal?.lease
  // Without a lease, another process has the response or has deleted it, and decides its end.
  if (repository === undefined || journal === undefined || lease === undefined) return { by: 'nothing' }
  if (isConflict(error)) return { by: 'elsewhere' }
  const canContinue = canHandOver && !isCancelled && lease.epoch < MAX_EPOCH && error instanceof StoreFailure
  const handed = canContinue && isContinuable(journal.written) ? await handedOver(journal) : undefined
  if (handed !== undefined && 'by' in handed) return handed
  const failure = failureFor(handed ?? error)
  const response = new UnfinishedResponse({
    ...{ repository, lease, clock, respond, written: journal.written, finishedOf, isCancelled },
    ...(failure && { failure }),
  })
  try {
    const { finished, events } = await response.keep()
    return { by: 'kept', finished, events }
  } catch (again) {
    if (isConflict(again)) return { by: 'elsewhere' }
    // An unwritten end must not be shown if another process can still continue the response.
    if (canHandOver) return { by: 'nothing' }
    // The store's failure has just been reported to the host. From now on, readers are told the acknowledged entries.
    response.giveUp()
    return { by: 'unfinished', response }
  }
}

/** From what is written, by whichever process: its model goes on from its tokens, and it has not come to its end. */
function isContinuable({ entries: [open], unknown }: Written): boolean {
  return open?.type === 'open' && !open.capabilities?.spellsMarkers && !hasEnd(unknown)
}

/**
 * A store that was away for a moment ends no response. If it still is, the lease expires.
 *
 * @returns EntriesLost if the store has lost some
 */
async function handedOver(journal: Journal): Promise<Recovered | EntriesLost> {
  try {
    await journal.handOver()
    return { by: 'elsewhere' }
  } catch (error) {
    if (error instanceof EntriesLost) return error
    return { by: isConflict(error) ? 'elsewhere' : 'nothing' }
  }
}

/** Returns the failure for the client of a response that could not continue; undefined if its store failed. */
function failureFor(error: unknown): Failure | undefined {
  if (error instanceof EntriesLost) return ENTRIES_LOST
  return (error as { readonly code?: unknown }).code === 'prompt_differs' ? NOT_CONTINUED : undefined
}

export interface ElsewhereOptions extends Pick<RunOptions, 'repository' | 'owner' | 'respond' | 'holdReader'> {
  /** The sequence number of the last event that this process has shown, -1 if none. */
  readonly after: number
  /** Whether its readers follow the store by themselves. */
  readonly isDetached: boolean
  /** Receives the finished response; undefined if it was deleted, or the store failed. */
  readonly onFinished: (finished: FinishedResponse | undefined) => void
}

/** Reads the rest of a response that another process writes. */
export async function* readElsewhere(options: ElsewhereOptions): AsyncGenerator<Batch> {
  const { repository, owner, respond, holdReader, after, isDetached, onFinished } = options
  let finished: FinishedResponse | undefined
  try {
    const entries = await repository?.stored.entries(respond.responseId, owner)
    if (entries === undefined) throw new ReportedError('the response was deleted')
    if (isDetached) for await (const _ of entries);
    else yield* followEntries(entries, respond, { after, held: holdReader() })
    const found = await repository?.stored.find(respond.responseId, owner)
    if (found?.state === 'finished') finished = found.finished
  } finally {
    onFinished(finished)
  }
}
