import type { Channel } from '../../channel.js'
import type { Entry } from '../../journal/entry.js'
import { merged } from '../../merged.js'
import { type RespondOptions, respond, type TranslateEntriesOptions, translateEntries } from '../../respond/index.js'
import type { ResponseStreamEvent } from '../../responses/events.js'
import type { ResponseObject } from '../../responses/response.js'
import type { Seal } from '../../seal/index.js'
import type { FinishedResponse, KeptResponse } from '../../stores/store.js'
import type { Failure } from '../../translate/failure.js'
import type { ApprovedCall } from '../../translate/options.js'
import { stopping } from './admission.js'
import { usedApproval } from './approvals.js'
import type { ResolvedRequest } from './conversation.js'
import { previousNotFound } from './earlier-responses.js'
import { type EndedResponse, finishedResponse } from './finished-response.js'
import { followEntries } from './follow.js'
import { type Beginning, createJournal, EntriesLost, type Journal, OpeningRefused, type TakenOver } from './journal.js'
import { createReaders, type OnDisconnect } from './readers.js'
import { ReportedError } from './reported-error.js'
import type { Shelf } from './shelf.js'
import type { Stop } from './stop.js'
import { ENTRIES_LOST, NOT_CONTINUED } from './store-failed.js'
import { isConflict, type UnfinishedResponse, unfinishedResponse } from './unfinished.js'
import { createWriter } from './writer.js'

type Batch = readonly ResponseStreamEvent[]

/** A response that is being made. */
export interface Run {
  readonly responseId: string
  /** The response as it began. */
  readonly created: ResponseObject
  /** The conversation before it. */
  readonly input: ResolvedRequest['input']
  readonly before: ResolvedRequest['before']
  /** Its events, for who asked for it. Leaving them is what `onDisconnect` is about. */
  readonly events: AsyncGenerator<Batch>
  /** Resolves when it is over and kept, by whichever process. Never rejects. */
  readonly finished: Promise<FinishedResponse | undefined>
  /** Resolves when this process makes it no more: it is over, or another process makes it. Never rejects. */
  readonly ended: Promise<void>
  /** Stops engine and tools before their next step. */
  cancel(): void
  /** Whether another process writes it by now. */
  readonly isLost: boolean
  /** Whether another process could go on with it. */
  readonly canHandOver: boolean
  /** Stops engine and tools, and lets another process go on. Who reads it here is cut off. Never rejects. */
  handOver(): Promise<void>
  /** The events for another reader; undefined if they are not kept. */
  follow(after?: number): Promise<AsyncGenerator<Batch> | undefined>
}

export interface RunOptions {
  readonly conversation: ResolvedRequest
  readonly respond: RespondOptions & TranslateEntriesOptions & { readonly responseId: string }
  /** Where its entries go; undefined if nobody comes for them. */
  readonly shelf: Shelf | undefined
  /** What the store is told of it when it begins; or what this process goes on from. */
  readonly begin: Beginning | TakenOver
  readonly seal: Seal
  readonly owner: string
  readonly isTransient: boolean
  readonly onDisconnect: OnDisconnect
  /** Nobody reads it now: it was asked for to be fetched later. */
  readonly isBackground: boolean
  /** Aborts when the client leaves. After the first events, their reader does. */
  readonly signal: AbortSignal | undefined
  /** Stops it when the server may wait for no response any more. */
  readonly stop: Stop
  /** For a response that is not opened where approvals are kept. @throws RequestError if one has been used before */
  readonly consumeApprovals: (calls: readonly ApprovedCall[]) => Promise<void>
  readonly onError: (error: unknown) => void
  /** Receives each entry, once it is written. */
  readonly onEntry?: (entry: Entry) => void
  /** Receives the response if the store fails, and does not take its end either. */
  readonly onUnfinished: (response: UnfinishedResponse) => void
  readonly clock: () => number
  /** Called once the request is known to be right, before the model is called. */
  readonly onStart?: () => void
  /** Called once, however it ends; with nothing if it was refused, or could not be kept. */
  readonly onEnd: (ending: KeptResponse | undefined) => void
  /** Called once after that, when its last events were read or will not be: nothing of it is held any more. */
  readonly onClosed: () => void
}

/**
 * Starts a response, or goes on with one.
 *
 * @throws RequestError if the request is refused: then nothing of it is kept. OpeningRefused
 */
export async function startRun(options: RunOptions): Promise<Run> {
  const { conversation, owner, isTransient, isBackground, onDisconnect, signal, stop, onError, shelf, begin } = options
  const { responseId } = options.respond
  const { approvedCalls } = conversation
  const takenOver = 'lease' in begin ? begin : undefined
  const isDetached = shelf !== undefined && (isBackground || takenOver !== undefined || onDisconnect !== 'stop')
  const canHandOver = isDetached && shelf.store.durability !== 'none'
  const finishedOf = (ended: EndedResponse): FinishedResponse =>
    finishedResponse(ended, isTransient ? conversation.own : conversation.addition, options)
  const work = new AbortController()
  let isCancelled = false
  let isLost = false
  let writer: Channel<Batch, void> | undefined
  let kept: FinishedResponse | undefined
  let unfinished: UnfinishedResponse | undefined
  const journal = shelf && createJournal({ shelf, begin, onLost: () => work.abort() })
  const batches = respond(
    conversation.request,
    merged(options.respond, {
      history: conversation.history,
      addition: conversation.addition,
      approvedCalls,
      signal: work.signal,
      ...(takenOver && { entries: takenOver.entries }),
      ...((journal || options.onEntry || approvedCalls.length > 0) && { append }),
    }),
  )

  async function append(entries: readonly Entry[], ended?: Omit<EndedResponse, 'isAborted'>): Promise<void> {
    // Here the request is known to be right, and no call has begun.
    const isFirst = entries[0]?.type === 'open'
    if (isFirst && (journal === undefined || isTransient)) await options.consumeApprovals(approvedCalls)
    const whole = ended && finishedOf({ ...ended, isAborted: isCancelled })
    await journal?.append(entries, whole)
    if (journal !== undefined) kept = whole
    if (options.onEntry !== undefined) for (const entry of entries) options.onEntry(entry)
  }

  function cancel(): void {
    isCancelled = true
    work.abort(signal?.reason)
    // Whoever waits for the end does not wait for a reader that has stopped.
    if (!isDetached) writer?.finish()
  }

  const offStop = stop.onStop(cancel)
  function end(ending?: KeptResponse): void {
    offStop()
    journal?.close()
    options.onEnd(ending)
  }

  let first: Batch = []
  if (signal?.aborted && !isDetached) cancel()
  else if (!isDetached) signal?.addEventListener('abort', cancel)
  try {
    if (takenOver === undefined) {
      const step = await batches.next()
      first = step.done ? [] : step.value
    }
  } catch (error) {
    end()
    if (error instanceof OpeningRefused) throw refused(error, conversation)
    // Nothing is wrong with the request: the server had no time left to read it.
    throw isCancelled && error === work.signal.reason && !signal?.aborted ? stopping() : error
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
  options.onStart?.()

  let resolveFinished: (finished: FinishedResponse | undefined) => void
  const finished = new Promise<FinishedResponse | undefined>((resolve) => {
    resolveFinished = resolve
  })
  let reportEnded: () => void
  const ended = new Promise<void>((resolve) => {
    reportEnded = resolve
  })
  let reportFailed: () => void
  const failed = new Promise<void>((resolve) => {
    reportFailed = resolve
  })

  const readers = createReaders(isBackground ? undefined : graceOf(onDisconnect), cancel, ended)

  async function recover(error: unknown, shown: number): Promise<Batch | AsyncIterable<Batch> | undefined> {
    const lease = journal?.lease
    // Whoever has it, or has deleted it, says what becomes of it.
    if (shelf === undefined || journal === undefined || lease === undefined) return undefined
    if (isConflict(error)) return elsewhere(shown)
    const failure = failureFor(error)
    const response = unfinishedResponse({
      ...{ shelf, lease, clock: options.clock, respond: options.respond, written: journal.written, finishedOf },
      ...(failure && { failure }),
    })
    try {
      const { finished, events } = await response.keep()
      kept = finished
      return events
    } catch (again) {
      if (isConflict(again)) return elsewhere(shown)
      // Another process goes on with it: an end that is not written may not be shown. Its readers are cut off, and come back.
      if (canHandOver) return undefined
      // The failing store has just been reported to the host. What its entries say is what everybody is told from now on.
      response.giveUp()
      unfinished = response
      options.onUnfinished(response)
      return response.ending().events
    }
  }

  /** A response that another process goes on with: this one reads what becomes of it. */
  function elsewhere(shown: number): AsyncIterable<Batch> {
    isLost = true
    async function* read(): AsyncGenerator<Batch> {
      try {
        const entries = await shelf?.stored.entries(responseId, owner)
        if (entries === undefined) throw new ReportedError('the response was deleted')
        // Nobody reads here what is followed in the store.
        if (isDetached) for await (const _ of entries);
        else yield* followEntries(entries, options.respond, { after: shown })
        const found = await shelf?.stored.find(responseId, owner)
        if (found?.state === 'finished') kept = found.finished
      } finally {
        resolveFinished(kept)
      }
    }
    return read()
  }

  writer = createWriter({
    first,
    batches,
    keep(response, transcript) {
      kept ??= finishedOf({ response, transcript, isAborted: isCancelled })
    },
    onError,
    recover,
    onEnd() {
      // What could not be kept may not go on.
      if (kept === undefined) work.abort()
      end(kept?.response)
      reportEnded()
      if (isLost) return
      if (kept === undefined) reportFailed()
      resolveFinished(kept)
    },
    onClosed: options.onClosed,
    onLeave: isDetached ? () => {} : readers.join(),
  })
  const read = (entries: AsyncIterable<readonly Entry[]>, after?: number): AsyncGenerator<Batch> =>
    followEntries(entries, options.respond, {
      after,
      failed,
      rest: (from) => unfinished?.rest(from),
      onLeave: readers.join(),
    })
  const created = takenOver ? createdAnew(takenOver, options.respond) : (createdResponse(first) as ResponseObject)
  const shared = {
    responseId,
    created,
    input: conversation.input,
    before: conversation.before,
    finished,
    ended,
    cancel,
    get isLost() {
      return isLost
    },
    canHandOver,
    async handOver() {
      await batches.return([]).catch(onError)
      await journal?.handOver().catch(onError)
    },
    async follow(after?: number) {
      const entries = await shelf?.stored.entries(responseId, owner)
      return entries && read(entries, after)
    },
  } satisfies Omit<Run, 'events'>
  if (!isDetached) {
    if (isCancelled) writer.finish()
    return withEvents(shared, writer)
  }
  if (takenOver !== undefined) {
    // A reader that does not come back in time has left.
    readers.join()()
    writeForNobody(writer)
    return withEvents(shared, nothing())
  }
  const entries = await (journal as Journal).entries().catch((error) => {
    cancel()
    writeForNobody(writer)
    throw error
  })
  writeForNobody(writer)
  return withEvents(shared, read(entries))
}

/** Not merged: what it says of itself changes. */
function withEvents(run: Omit<Run, 'events'>, events: Run['events']): Run {
  return Object.defineProperty(run, 'events', { value: events, enumerable: true }) as Run
}

async function* nothing(): AsyncGenerator<Batch> {}

/** What the client is told of a response that would not be opened. */
function refused({ opening }: OpeningRefused, { addition, request, approvedCalls }: ResolvedRequest): unknown {
  // Its own id is random, and no other has it.
  if (opening.state === 'no_previous') return previousNotFound(request.previous_response_id ?? addition.previous ?? '')
  if (opening.state === 'consumed') return usedApproval(approvedCalls)
  return new OpeningRefused(opening)
}

/** What the client is told of a response that could not go on; undefined if its store failed. */
function failureFor(error: unknown): Failure | undefined {
  if (error instanceof EntriesLost) return ENTRIES_LOST
  return (error as { readonly code?: unknown }).code === 'prompt_differs' ? NOT_CONTINUED : undefined
}

/** The response as it began, of one that was taken over. */
function createdAnew({ entries }: TakenOver, options: TranslateEntriesOptions): ResponseObject {
  const translation = translateEntries(options)
  try {
    const [open] = entries
    return createdResponse(open === undefined ? [] : translation.apply(open)) as ResponseObject
  } finally {
    translation.dispose()
  }
}

/** Its readers read what it writes to the store. */
function writeForNobody(writer: Channel<Batch, void> | undefined): void {
  // Its errors were reported where they were caught.
  writer?.drainTo(() => {}).catch(() => {})
}

/** How long a response goes on without a reader, in milliseconds; undefined if to its end. */
function graceOf(onDisconnect: OnDisconnect): number | undefined {
  if (typeof onDisconnect === 'object') return onDisconnect.graceMs
  return onDisconnect === 'stop' ? 0 : undefined
}

function createdResponse(events: Batch): ResponseObject | undefined {
  const [event] = events
  return event?.type === 'response.created' ? event.response : undefined
}
