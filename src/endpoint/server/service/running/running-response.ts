import type { Batch } from '../../../../core/responses/batch.js'
import type { ResponseStreamEvent } from '../../../../core/responses/events.js'
import type { ResponseObject } from '../../../../core/responses/response.js'
import { merged } from '../../../../shared/merged.js'
import { deferred } from '../../../flow/deferred.js'
import type { Write } from '../../../flow/queue.js'
import type { Entry } from '../../../journal/entry.js'
import { type RespondOptions, type TranslateEntriesOptions, translateEntries } from '../../../respond/index.js'
import { type ResponseRun, responseRun } from '../../../respond/respond.js'
import { terminalResponse } from '../../../respond/terminal.js'
import type { FinishedResponse, KeptResponse } from '../../../stores/store.js'
import { usedApproval } from '../conversation/approvals.js'
import type { ResolvedRequest } from '../conversation/conversation.js'
import { previousNotFound } from '../conversation/earlier-responses.js'
import { conversationLocked } from '../conversation/named-conversation.js'
import { stopping } from '../limits/admission.js'
import { OpeningRefused, type TakenOver } from '../storage/journal.js'
import type { UnfinishedResponse } from '../storage/unfinished.js'
import { EntryWriter } from './entry-writer.js'
import { followEntries } from './follow.js'
import { liveOutlet, type Outlet, storedOutlet, waitingOutlet } from './outlet.js'
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
  readonly #options: RunOptions
  readonly #takenOver: TakenOver | undefined
  /** Whether it continues without readers, which then read its entries from the store. */
  readonly #isDetached: boolean
  readonly #writer: EntryWriter
  readonly #response: ResponseRun
  readonly #outlet: Outlet
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
  #unfinished: UnfinishedResponse | undefined
  #isStarted = false
  #isCancelled = false
  #isStopped = false
  #isLost = false

  constructor(options: RunOptions) {
    const { conversation, isBackground, onDisconnect, stop, repository, begin } = options
    this.#options = options
    this.responseId = options.respond.responseId
    this.input = conversation.input
    this.before = conversation.before
    this.finished = this.#finishing.promise
    this.ended = this.#ending.promise
    this.#takenOver = 'lease' in begin ? begin : undefined
    this.#state = this.#takenOver === undefined ? 'opening' : 'running'
    this.#isDetached =
      repository !== undefined && (isBackground || this.#takenOver !== undefined || onDisconnect !== 'stop')
    this.#writer = new EntryWriter(options, () => this.#response.abort())
    this.#response = this.#respond()
    this.#readers = createReaders(isBackground ? undefined : graceOf(onDisconnect), () => this.cancel(), this.ended)
    this.#outlet = this.#openOutlet()
    this.#offStop = stop.onStop(() => this.#stop())
  }

  #respond(): ResponseRun {
    const { conversation, respond, endings } = this.#options
    const { request, history, addition, approvedCalls } = conversation
    const writer = this.#writer
    const known = merged(respond, {
      ...{ history, addition, approvedCalls },
      ...(this.#takenOver && { entries: this.#takenOver.entries }),
      ...(writer.isNeeded && { append: (entries, ended) => writer.append(entries, ended) }),
    } satisfies Partial<RespondOptions>)
    return responseRun(request, known, () => endings.pass())
  }

  #openOutlet(): Outlet {
    const run = (write: Write<Batch>): Promise<void> => this.#run(write).finally(this.#close)
    if (this.#takenOver !== undefined) return storedOutlet(run)
    const onLeave = this.#readers.join()
    return this.#isDetached
      ? liveOutlet(run, { later: (after) => this.#later(after), onLeave })
      : waitingOutlet(run, onLeave)
  }

  get events(): Run['events'] {
    return this.#outlet.events
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
    if (this.#takenOver === undefined) return
    // A reader that does not come back in time has left.
    this.#readers.join()()
    this.#outlet.begin()
  }

  cancel(): void {
    this.#isCancelled = true
    this.#response.cancel(this.#options.signal?.reason)
    // Callers that wait for the end must not wait for a stalled reader.
    this.#outlet.finish()
  }

  /**
   * Called when the server must stop. A response that has not begun is refused; one that another process can continue
   * is handed over; any other fails.
   */
  #stop(): void {
    if (this.canHandOver && this.#state === 'running') return void this.handOver()
    this.#isStopped = true
    this.#response.abort(this.#options.signal?.reason)
    this.#outlet.finish()
  }

  async handOver(): Promise<void> {
    this.#response.close()
    await this.ended
    await this.#writer.journal?.handOver().catch(this.#options.onError)
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
    this.#outlet.begin()
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
      if (this.#state === 'opening') await this.#accept([])
      if (this.#held !== undefined) {
        this.#writer.keep({ response: this.#held.response, transcript, files: this.#response.files() })
      }
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
    if (this.#state === 'opening') return this.#accept(batch).then(() => this.#show(batch))
    const response = terminalResponse(batch)
    if (response !== undefined) {
      this.#held = { batch, response }
      return
    }
    this.#shown = batch.at(-1)?.sequence_number ?? this.#shown
    return this.#write(batch)
  }

  /** The request is valid. Nothing else happens before the host has been told. */
  #accept(first: Batch): Promise<void> {
    this.#state = 'running'
    this.#opened.resolve(first)
    return this.#started.promise
  }

  #ended(): void {
    this.#state = 'over'
    const { kept } = this.#writer
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
    this.#writer.journal?.close()
    this.#options.onEnd(ending)
  }

  /**
   * Returns the rest of a response whose journal failed: its last events, or those of the process that writes it now.
   * Undefined if nothing may be shown. Never rejects.
   */
  async #recover(error: unknown): Promise<Batch | AsyncIterable<Batch> | undefined> {
    const recovered = await recover(error, {
      ...{ options: this.#options, writer: this.#writer },
      ...{ isCancelled: this.#isCancelled, canHandOver: this.canHandOver },
    })
    switch (recovered.by) {
      case 'kept':
        this.#writer.kept = recovered.finished
        return recovered.events
      case 'elsewhere':
        this.#isLost = true
        return readElsewhere({
          ...this.#options,
          after: this.#shown,
          isDetached: this.#isDetached,
          onFinished: (finished) => {
            this.#writer.kept = finished ?? this.#writer.kept
            this.#finishing.resolve(this.#writer.kept)
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

/** Returns the error for the client of a response that the store refused to open. */
function refusedOpening(error: OpeningRefused, conversation: ResolvedRequest): Error {
  const { addition, request, approvedCalls } = conversation
  const { opening } = error
  const { turn } = conversation
  // Another process was faster.
  if (turn !== undefined && ['moved', 'no_previous'].includes(opening.state))
    return conversationLocked(turn.conversationId)
  // Its own id is random, and no other has it.
  if (opening.state === 'no_previous') return previousNotFound(request.previous_response_id ?? addition.previous ?? '')
  if (opening.state === 'consumed') return usedApproval(approvedCalls)
  return error
}

/** Returns the initial state of a response that this process took over, from its first entry. */
function createdAnew({ entries }: TakenOver, options: TranslateEntriesOptions): ResponseObject {
  const translation = translateEntries(options)
  try {
    const [open] = entries
    return createdResponse(open === undefined ? [] : translation.apply(open))
  } finally {
    translation.dispose()
  }
}

/** Returns the initial state of a response, from its first events. @throws Error if the response has not begun */
export function createdResponse([event]: readonly ResponseStreamEvent[]): ResponseObject {
  if (event?.type === 'response.created') return event.response
  throw new Error('a response without response.created')
}
