import type { Channel } from '../../channel.js'
import type { Entry } from '../../journal/entry.js'
import { merged } from '../../merged.js'
import { type RespondOptions, respond, type TranslateEntriesOptions } from '../../respond/index.js'
import type { ResponseStreamEvent } from '../../responses/events.js'
import type { ResponseObject } from '../../responses/response.js'
import type { Seal } from '../../seal/index.js'
import type { FinishedResponse, KeptResponse, NewResponse, ResponseStore } from '../../stores/store.js'
import type { ApprovedCall } from '../../translate/options.js'
import { stopping } from './admission.js'
import type { ResolvedRequest } from './conversation.js'
import { previousNotFound } from './earlier-responses.js'
import { type EndedResponse, finishedResponse } from './finished-response.js'
import { followEntries } from './follow.js'
import { type Journal, openJournal } from './journal.js'
import { createReaders, type OnDisconnect } from './readers.js'
import type { Stop } from './stop.js'
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
  /** Resolves when it is over and kept. Never rejects. */
  readonly finished: Promise<FinishedResponse | undefined>
  /** Stops engine and tools before their next step. */
  cancel(): void
  /** The events for another reader; undefined if they are not kept. */
  follow(after?: number): Promise<AsyncGenerator<Batch> | undefined>
}

export interface RunOptions {
  readonly conversation: ResolvedRequest
  readonly respond: RespondOptions & TranslateEntriesOptions & { readonly responseId: string }
  /** Where its entries go; undefined if nobody comes for them. */
  readonly store: ResponseStore | undefined
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
  /** @throws RequestError if one of the calls has been approved before */
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
 * Starts a response.
 *
 * @throws RequestError if the request is refused: then nothing of it is kept
 */
export async function startRun(options: RunOptions): Promise<Run> {
  const { conversation, owner, isTransient, isBackground, onDisconnect, signal, stop, onError } = options
  const { responseId } = options.respond
  const { approvedCalls } = conversation
  const journal = options.store && (await opened(options.store, { responseId, owner, isTransient }, conversation))
  const finishedOf = (ended: EndedResponse): FinishedResponse =>
    finishedResponse(ended, isTransient ? conversation.own : conversation.addition, options)
  const isDetached = journal !== undefined && (isBackground || onDisconnect !== 'stop')
  const work = new AbortController()
  let isCancelled = false
  let writer: Channel<Batch, void> | undefined
  const batches = respond(
    conversation.request,
    merged(options.respond, {
      history: conversation.history,
      addition: conversation.addition,
      approvedCalls,
      signal: work.signal,
      ...((journal || options.onEntry || approvedCalls.length > 0) && { append }),
    }),
  )

  async function append(entry: Entry): Promise<void> {
    await journal?.append(entry)
    // Here the request is known to be right, and no call has begun.
    if (entry.type === 'open') await options.consumeApprovals(approvedCalls)
    options.onEntry?.(entry)
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
    options.onEnd(ending)
  }

  let first: Batch
  if (signal?.aborted && !isDetached) cancel()
  else if (!isDetached) signal?.addEventListener('abort', cancel)
  try {
    const step = await batches.next()
    first = step.done ? [] : step.value
  } catch (error) {
    await journal?.abandon().catch(onError)
    end()
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

  const readers = createReaders(isBackground ? undefined : graceOf(onDisconnect), cancel, finished)
  let kept: FinishedResponse | undefined
  let whole: FinishedResponse | undefined
  let unfinished: UnfinishedResponse | undefined

  async function recover(error: unknown, last: Batch = []): Promise<Batch | undefined> {
    // Whoever writes the response now, or has deleted it, says what becomes of it.
    if (options.store === undefined || journal === undefined || isConflict(error)) return undefined
    const response = unfinishedResponse({
      store: options.store,
      responseId,
      owner,
      clock: options.clock,
      respond: options.respond,
      written: journal.written,
      ending: whole && { finished: whole, events: last },
      finishedOf,
    })
    try {
      const { finished, events } = await response.keep()
      kept = finished
      return events
    } catch (again) {
      if (isConflict(again)) return undefined
      // The failing store has just been reported to the host. What its entries say is what everybody is told from now on.
      response.giveUp()
      unfinished = response
      options.onUnfinished(response)
      return response.ending().events
    }
  }

  writer = createWriter({
    first,
    batches,
    async keep(response, transcript) {
      whole = finishedOf({ response, transcript, isAborted: isCancelled })
      await journal?.finish(whole)
      kept = whole
    },
    onError,
    recover,
    onEnd() {
      // What could not be kept may not go on.
      if (kept === undefined) work.abort()
      end(kept?.response)
      resolveFinished(kept)
    },
    onClosed: options.onClosed,
    onLeave: isDetached ? () => {} : readers.join(),
  })
  const read = (entries: AsyncIterable<readonly Entry[]>, after?: number): AsyncGenerator<Batch> =>
    followEntries(entries, options.respond, {
      after,
      finished,
      rest: (from) => unfinished?.rest(from),
      onLeave: readers.join(),
    })
  const created = createdResponse(first) as ResponseObject
  const shared = {
    responseId,
    created,
    input: conversation.input,
    before: conversation.before,
    finished,
    cancel,
    async follow(after?: number) {
      const entries = await options.store?.entries(responseId, owner)
      return entries && read(entries, after)
    },
  }
  if (!isDetached) {
    if (isCancelled) writer.finish()
    return merged(shared, { events: writer })
  }
  const entries = await journal.entries().catch((error) => {
    cancel()
    writeForNobody(writer)
    throw error
  })
  writeForNobody(writer)
  return merged(shared, { events: read(entries) })
}

/** @throws RequestError if the response that it goes on from has gone meanwhile */
async function opened(
  store: ResponseStore,
  response: NewResponse,
  { addition, request }: ResolvedRequest,
): Promise<Journal> {
  const { previous } = addition
  if (previous === undefined) return await openJournal(store, response)
  try {
    return await openJournal(store, { ...response, previous })
  } catch (error) {
    // Its own id is random, and no other has it.
    throw isConflict(error) ? previousNotFound(request.previous_response_id ?? previous) : error
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
