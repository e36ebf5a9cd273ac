import type { Batch } from '../../../../core/responses/batch.js'
import type { ResponseObject } from '../../../../core/responses/response.js'
import { merged } from '../../../../shared/merged.js'
import { deferred } from '../../../flow/deferred.js'
import { type Queue, queue, type Write } from '../../../flow/queue.js'
import type { Entry } from '../../../journal/entry.js'
import type { EndedResponse, RespondOptions } from '../../../respond/index.js'
import { type ResponseRun, responseRun } from '../../../respond/respond.js'
import { terminalResponse } from '../../../respond/terminal.js'
import type { FinishedResponse, KeptResponse } from '../../../stores/store.js'
import { usedApproval } from '../conversation/approvals.js'
import type { ResolvedRequest } from '../conversation/conversation.js'
import { previousNotFound } from '../conversation/earlier-responses.js'
import { stopping } from '../limits/admission.js'
import { finishedResponse } from '../storage/finished-response.js'
import { createJournal, type Journal, OpeningRefused, type TakenOver } from '../storage/journal.js'
import type { UnfinishedResponse } from '../storage/unfinished.js'
import { createdAnew, createdResponse } from './created-response.js'
import { followEntries } from './follow.js'
import { createLiveEvents } from './live-events.js'
import { createReaders, graceOf, type Readers } from './readers.js'
import { readElsewhere, recover } from './recovery.js'
import { ReportedError } from './reported-error.js'
import type { Run, RunOptions } from './run-types.js'
import { createStop } from './stop.js'

/**
 * Starts or continues a response.
 *
 * @throws RequestError if the request is refused: then nothing of it is kept. OpeningRefused
 */
export async function startRun(options: RunOptions): Promise<Run> {
  const run = new RunningResponse(options)
  await run.start()
  return run
}

/**
 * A running response. One call of `#show` takes each batch from the engine's chunk to its reader's frame. The journal
 * is written before a batch is shown. The last batch is held until the response is stored, since its reader may request
 * the response at once.
 */
class RunningResponse implements Run {
  readonly responseId: string
  readonly input: Run['input']
  readonly before: Run['before']
  readonly finished: Promise<FinishedResponse | undefined>
  readonly ended: Promise<void>
  created!: ResponseObject
  events!: Run['events']
  readonly #options: RunOptions
  readonly #takenOver: TakenOver | undefined
  /** Whether it continues without readers, which then read its entries from the store. */
  readonly #isDetached: boolean
  readonly #journal: Journal | undefined
  readonly #response: ResponseRun
  readonly #batches: Queue<Batch, void>
  readonly #readers: Readers
  readonly #offStop: () => void
  /** `opening` until the request has been validated: an earlier error is the answer to the request. */
  #state: 'opening' | 'running' | 'over'
  readonly #opened = deferred<Batch>()
  readonly #started = deferred<void>()
  readonly #finishing = deferred<FinishedResponse | undefined>()
  readonly #ending = deferred<void>()
  readonly #failed = createStop()
  #write: Write<Batch> = () => {}
  /** The sequence number of the last event that was shown, -1 if none was. */
  #shown = -1
  /** The last batch, which is shown when the response is kept. */
  #held: { readonly batch: Batch; readonly response: ResponseObject } | undefined
  #kept: FinishedResponse | undefined
  #unfinished: UnfinishedResponse | undefined
  #isStarted = false
  #isCancelled = false
  #isStopped = false
  #isLost = false

  constructor(options: RunOptions) {
    const { conversation, isBackground, onDisconnect, stop, onEntry, repository, begin } = options
    this.#options = options
    this.responseId = options.respond.responseId
    this.input = conversation.input
    this.before = conversation.before
    this.finished = this.#finishing.promise
    this.ended = this.#ending.promise
    const takenOver = 'lease' in begin ? begin : undefined
    this.#takenOver = takenOver
    this.#state = takenOver === undefined ? 'opening' : 'running'
    this.#isDetached = repository !== undefined && (isBackground || takenOver !== undefined || onDisconnect !== 'stop')
    this.#journal = repository && createJournal({ repository, begin, onLost: () => this.#response.abort() })
    const { history, addition, approvedCalls } = conversation
    const isWritten = this.#journal !== undefined || onEntry !== undefined || approvedCalls.length > 0
    this.#response = responseRun(
      conversation.request,
      merged(options.respond, {
        ...{ history, addition, approvedCalls },
        ...(takenOver && { entries: takenOver.entries }),
        ...(isWritten && { append: (entries, ended) => this.#append(entries, ended) }),
      } satisfies Partial<RespondOptions>),
      () => options.endings.pass(),
    )
    this.#readers = createReaders(isBackground ? undefined : graceOf(onDisconnect), () => this.cancel(), this.ended)
    const onLeave = this.#isDetached ? () => {} : this.#readers.join()
    // A response that has begun is ended and stored even without a reader.
    this.#batches = queue((write) => this.#run(write).finally(this.#close), onLeave, { runsAnyway: true })
    this.#offStop = stop.onStop(() => this.#stop())
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  get isLost(): boolean {
    return this.#isLost
  }

  get canHandOver(): boolean {
    return this.#isDetached && this.#options.repository?.store.durability !== 'none'
  }

  /** Resolves when its events can be read. @throws as {@link startRun} */
  async start(): Promise<void> {
    const { respond } = this.#options
    const first = this.#takenOver === undefined ? await this.#open() : []
    if (respond.admitted === undefined) this.#tellStart()
    else respond.admitted.then(this.#tellStart)
    this.#started.resolve()
    this.created = this.#takenOver ? createdAnew(this.#takenOver, respond) : createdResponse(first)
    this.events = this.#isDetached ? this.#detach() : this.#batches
  }

  cancel(): void {
    this.#isCancelled = true
    this.#response.cancel(this.#options.signal?.reason)
    this.#finish()
  }

  /**
   * Called when the server must stop. A response that has not begun is refused; one that another process can continue
   * is handed over; any other fails.
   */
  #stop(): void {
    if (this.canHandOver && this.#state === 'running') return void this.handOver()
    this.#isStopped = true
    this.#response.abort(this.#options.signal?.reason)
    this.#finish()
  }

  /** Callers that wait for the end must not wait for a stalled reader. */
  #finish(): void {
    if (!this.#isDetached) this.#batches.finish()
  }

  async handOver(): Promise<void> {
    this.#response.close()
    await this.#batches.return().catch(() => {})
    await this.#journal?.handOver().catch(this.#options.onError)
  }

  async follow(after?: number): Promise<AsyncGenerator<Batch> | undefined> {
    const entries = await this.#options.repository?.stored.entries(this.responseId, this.#options.owner)
    return entries && this.#read(entries, after)
  }

  async #open(): Promise<Batch> {
    const { signal, conversation } = this.#options
    const cancel = (): void => this.cancel()
    if (signal?.aborted && !this.#isDetached) cancel()
    else if (!this.#isDetached) signal?.addEventListener('abort', cancel)
    this.#batches.begin()
    try {
      return await this.#opened.promise
    } catch (error) {
      this.#end()
      if (error instanceof OpeningRefused) throw refusedOpening(error, conversation)
      // A valid request that the stopping server could not begin is refused as such.
      throw this.#isStopped && error === this.#response.signal.reason && !signal?.aborted ? stopping() : error
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** Tells the host that it has its turn, or has ended while it waited. */
  readonly #tellStart = (): void => {
    if (!this.#isStarted) this.#options.onStart?.()
    this.#isStarted = true
  }

  /** Runs independently of its readers, and passes the batches to the first of them. */
  #detach(): AsyncGenerator<Batch> {
    // Its errors were reported where they were caught.
    const drain = (show: (batch: Batch) => void): Promise<unknown> => this.#batches.drainTo(show).catch(() => {})
    if (this.#takenOver !== undefined) {
      // A reader that does not come back in time has left.
      this.#readers.join()()
      drain(() => {})
      return nothing()
    }
    const { events, push, end } = createLiveEvents({
      later: (after) => this.#later(after),
      onLeave: this.#readers.join(),
    })
    drain(push).then(end)
    return events
  }

  async #later(after: number): Promise<AsyncGenerator<Batch>> {
    const events = await this.follow(after)
    if (events === undefined) throw new ReportedError('the response was deleted')
    return events
  }

  async #run(write: Write<Batch>): Promise<void> {
    this.#write = write
    let last: Batch | AsyncIterable<Batch> | undefined
    try {
      const transcript = await this.#response.run(this.#show)
      if (this.#state === 'opening') await this.#begin([])
      if (this.#held !== undefined) this.#keep(this.#held.response, transcript)
      last = this.#held?.batch
    } catch (error) {
      if (this.#state === 'opening') {
        this.#opened.reject(error)
        return
      }
      this.#options.onError(error)
      last = await this.#recover(error)
      if (last === undefined) throw new ReportedError('the response could not be written')
    } finally {
      if (this.#state === 'running') this.#ended()
    }
    if (last === undefined) return
    if (Symbol.asyncIterator in last) for await (const batch of last) await write(batch)
    else await write(last)
  }

  /** Receives every batch, in the step that makes it. */
  readonly #show = (batch: Batch): void | PromiseLike<void> => {
    if (this.#state === 'opening') return this.#begin(batch).then(() => this.#show(batch))
    const response = terminalResponse(batch)
    if (response !== undefined) {
      this.#held = { batch, response }
      return
    }
    this.#shown = batch.at(-1)?.sequence_number ?? this.#shown
    return this.#write(batch)
  }

  /** The request is valid. Nothing else happens before the host has been told. */
  #begin(first: Batch): Promise<void> {
    this.#state = 'running'
    this.#opened.resolve(first)
    return this.#started.promise
  }

  #append(entries: readonly Entry[], ended?: EndedResponse): Promise<void> {
    const { onEntry } = this.#options
    const isPlain = ended === undefined && entries[0]?.type !== 'open' && onEntry === undefined
    // Nearly every entry is a token, which goes to the journal without a promise of its own.
    return isPlain && this.#journal !== undefined ? this.#journal.append(entries) : this.#appendBound(entries, ended)
  }

  /** Appends entries that something else depends on. */
  async #appendBound(entries: readonly Entry[], ended?: EndedResponse): Promise<void> {
    const { conversation, isTransient, consumeApprovals, onEntry } = this.#options
    // By now the request has been validated, and no call has begun.
    const isFirst = entries[0]?.type === 'open'
    if (isFirst && (this.#journal === undefined || isTransient)) await consumeApprovals(conversation.approvedCalls)
    const turn = ended && this.#options.endings.pass()
    if (turn !== undefined) await turn
    const whole = ended && this.#finishedOf(ended)
    await this.#journal?.append(entries, whole)
    if (this.#journal !== undefined) this.#kept = whole
    if (onEntry !== undefined) for (const entry of entries) onEntry(entry)
  }

  #keep(response: ResponseObject, transcript: readonly number[]): void {
    this.#kept ??= this.#finishedOf({ response, transcript, files: this.#response.files() })
  }

  readonly #finishedOf = (ended: EndedResponse): FinishedResponse => {
    const { conversation, isTransient } = this.#options
    return finishedResponse(ended, isTransient ? conversation.own : conversation.addition, this.#options)
  }

  #ended(): void {
    this.#state = 'over'
    const kept = this.#kept
    // If the response could not be stored, its work must stop.
    if (kept === undefined) this.#response.abort()
    this.#tellStart()
    this.#end(kept?.response)
    this.#ending.resolve()
    if (this.#isLost) return
    if (kept === undefined) this.#failed.stop()
    this.#finishing.resolve(kept)
  }

  /** Called when the last batch was read, or never will be. A refused response has not begun. */
  readonly #close = (): void => {
    if (this.#state === 'over') this.#options.onClosed()
  }

  #end(ending?: KeptResponse): void {
    this.#offStop()
    this.#journal?.close()
    this.#options.onEnd(ending)
  }

  /**
   * Returns the rest of a response whose journal failed: its last events, or those of the process that writes it now.
   * Undefined if nothing may be shown. Never rejects.
   */
  async #recover(error: unknown): Promise<Batch | AsyncIterable<Batch> | undefined> {
    const recovered = await recover(error, {
      ...{ options: this.#options, journal: this.#journal, finishedOf: this.#finishedOf },
      ...{ isCancelled: this.#isCancelled, canHandOver: this.canHandOver },
    })
    switch (recovered.by) {
      case 'kept':
        this.#kept = recovered.finished
        return recovered.events
      case 'elsewhere':
        this.#isLost = true
        return readElsewhere({
          ...this.#options,
          after: this.#shown,
          isDetached: this.#isDetached,
          onFinished: (finished) => {
            this.#kept = finished ?? this.#kept
            this.#finishing.resolve(this.#kept)
          },
        })
      case 'unfinished':
        this.#unfinished = recovered.response
        this.#options.onUnfinished(recovered.response)
        return recovered.response.ending().events
      case 'nothing':
        return undefined
    }
  }

  #read(entries: AsyncIterable<readonly Entry[]>, after?: number): AsyncGenerator<Batch> {
    return followEntries(entries, this.#options.respond, {
      after,
      held: this.#options.holdReader(),
      onFailed: this.#failed.onStop,
      rest: (from) => this.#unfinished?.rest(from),
      onJoin: () => this.#readers.join(),
    })
  }
}

async function* nothing(): AsyncGenerator<Batch> {}

/** Returns the error for the client of a response that the store refused to open. */
function refusedOpening(error: OpeningRefused, { addition, request, approvedCalls }: ResolvedRequest): Error {
  const { opening } = error
  // Its own id is random, and no other has it.
  if (opening.state === 'no_previous') return previousNotFound(request.previous_response_id ?? addition.previous ?? '')
  if (opening.state === 'consumed') return usedApproval(approvedCalls)
  return error
}
