import type { NoticeCode } from '../../core/diagnostics/diagnostic.js'
import type { Batch } from '../../core/responses/batch.js'
import type { CitableFiles } from '../../core/responses/call-result.js'
import type { ParsedRequest } from '../../core/responses/parsed-request.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import { callSafely } from '../../shared/call-safely.js'
import { merged } from '../../shared/merged.js'
import { sleep } from '../../shared/system/sleep.js'
import type { Write } from '../flow/queue.js'
import type { ResponseFold } from '../journal/response-fold.js'
import { Closing } from './closing.js'
import { EngineRestarts } from './engine-restarts.js'
import { Inbox } from './inbox.js'
import { failureOf } from './opening/unavailable.js'
import type { RespondOptions } from './options.js'
import { Outbox } from './outbox.js'
import { ResolvedResponse } from './resolved-response.js'
import { sample } from './sampling/sampling.js'
import { Steps, type StepsOptions } from './steps.js'
import { createInvalidReporter, type InvalidReporter } from './strict/report-invalid.js'

export interface LoopOptions extends Omit<StepsOptions, 'resolved' | 'inbox' | 'closing' | 'onRelaxed' | 'onSampled'> {
  /** Reports a diagnostic. */
  readonly notice: (code: NoticeCode, subject: string) => void
  /** Waits after each call of the model until what follows may be done, if it has to. */
  readonly turn: () => Promise<void> | undefined
}

/** The loop over the steps of one response, which puts their entries until it is closed. */
export class ResponseLoop {
  readonly #given: LoopOptions
  readonly #options: RespondOptions
  readonly #request: ResponseRequest
  readonly #fold: ResponseFold
  readonly #inbox: Inbox
  readonly #closing: Closing
  readonly #steps: Steps
  readonly #restarts: EngineRestarts
  readonly #reporter: InvalidReporter | undefined
  #isAnnounced = false
  #isEstimated = false
  #hasEnded = false

  /** @throws HarmonyResponsesError `bad_option` */
  constructor(given: LoopOptions) {
    const { request, options, pause, report, notice } = given
    const resolved = new ResolvedResponse(options)
    const { fold } = resolved
    const inbox = new Inbox({ fold, input: request.input, entries: options.entries ?? [] })
    this.#given = given
    this.#options = options
    this.#request = request
    this.#fold = fold
    this.#inbox = inbox
    this.#closing = new Closing(options.signal, () => inbox.close())
    const onRelaxed = (subject: string): void => notice('relaxed_schema', subject)
    this.#restarts = new EngineRestarts(fold, () => this.#steps.budget().capabilities, options.engineRestarts)
    const onSampled = this.#restarts.noteSampled
    this.#steps = new Steps(merged(given, { resolved, inbox, closing: this.#closing, onRelaxed, onSampled }))
    const parts = () => this.#steps.budget().strict.parts
    const { onInvalidOutput } = options
    this.#reporter = onInvalidOutput && createInvalidReporter({ onInvalidOutput, onError: report, pause, parts })
  }

  get signal(): AbortSignal {
    return this.#closing.signal
  }

  files(): CitableFiles | undefined {
    return this.#fold.files
  }

  close(): void {
    this.#closing.close('left')
  }

  abort(reason?: unknown): void {
    // Ignored after the end, like the options' signal.
    if (!this.#hasEnded) this.#closing.close('abort', reason)
  }

  cancel(reason?: unknown): void {
    if (!this.#hasEnded) this.#closing.close('cancel', reason)
  }

  async run(show: Write<Batch>): Promise<readonly number[]> {
    const { clock } = this.#given
    const { append, entries = [] } = this.#options
    const fold = this.#fold
    const outbox = new Outbox({ fold, closing: this.#closing, reporter: this.#reporter, clock, append }, show)
    try {
      for (const entry of entries) fold.apply(entry, entry.at)
      if (fold.stage !== 'new' && fold.stage !== 'closed') await this.#steps.takeOver()
      while (fold.stage !== 'closed' && !this.#hasLeft && outbox.failure === undefined) await this.#step(outbox)
      if (outbox.failure !== undefined) throw outbox.failure.error
      if (!this.#hasLeft) await outbox.flushed()
      await this.#reporter?.done()
      return fold.transcript
    } finally {
      this.#hasEnded = true
      if (fold.stage === 'closed') this.#closing.ignoreOutside()
      else this.#closing.close('left')
      fold.dispose()
    }
  }

  /** Whether the reader has left. */
  get #hasLeft(): boolean {
    return this.#closing.why === 'left'
  }

  /** Does what is next. An open response ends with the failure of its engine, or of what the host gave. */
  async #step(outbox: Outbox): Promise<void> {
    const isOpen = this.#fold.stage !== 'new'
    if (isOpen && this.#fold.stage !== 'queued') this.#announce()
    try {
      const step = this.#steps.next()
      await (step === undefined ? this.#callModel(outbox) : outbox.putAll(step).catch(this.#toRestart))
      await this.#restart(outbox)
    } catch (error) {
      if (!isOpen || outbox.failure !== undefined || this.#hasLeft) throw error
      this.#given.report(error)
      await outbox.putAll(this.#inbox.before({ type: 'fail', failure: failureOf(error) }))
    }
  }

  async #callModel({ put }: Outbox): Promise<void> {
    const { report, turn } = this.#given
    const { signal, isClosed } = this.#closing
    if (this.#steps.hasToPrepare) {
      // An engine that is asked when the response is closed fails because of that.
      await this.#steps.prepareCall().catch((error: unknown) => {
        if (!isClosed()) this.#toRestart(error)
      })
      if (isClosed() || this.#restarts.next !== undefined) return
    }
    const { engine, tokenTable, limits, onStopString } = this.#options
    const isTimed = limits?.seconds !== undefined
    const onStop = (string: string): void => callSafely(onStopString, string, report)
    const budget = () => this.#steps.budget()
    const { promptFields } = this.#steps
    const parts = { fold: this.#fold, inbox: this.#inbox, engine, tokenTable, budget, isTimed, promptFields }
    const { take: isAskedAgain, noteSampled: onSampled } = this.#restarts
    const again = { isAskedAgain, onSampled }
    await sample({ ...parts, ...again, signal, isClosed, report, onStop, onEstimate: this.#noteEstimate, put })
    const waited = turn()
    if (waited !== undefined) await waited
  }

  /** Handles the failure of a step. @throws the error, unless the engine is asked again */
  readonly #toRestart = (error: unknown): void => {
    if (!this.#restarts.take(error)) throw error
  }

  /** Waits until the engine is asked again, if it has failed. Items of the host do not wait. */
  async #restart(outbox: Outbox): Promise<void> {
    const restart = this.#restarts.begin()
    if (restart === undefined || this.#closing.isClosed()) return
    const { error, waitMs } = restart
    const { seed } = this.#fold.open.request as ParsedRequest
    this.#given.report(error)
    const seeded = seed == null ? '' : ', and its seed starts again'
    this.#given.notice('engine_restarted', `after ${this.#fold.sampled} tokens${seeded}`)
    this.#steps.doubtEngine()
    const { signal, isClosed } = this.#closing
    const { delay = sleep } = this.#options
    const waiting = delay(waitMs, signal).then(() => true)
    while (!(await this.#inbox.wait(waiting)) && !isClosed()) await outbox.putAll(this.#inbox.all())
  }

  /** Reports once that the counts of a response are estimates. */
  readonly #noteEstimate = (): void => {
    if (!this.#isEstimated) this.#given.notice('estimated_usage', 'usage')
    this.#isEstimated = true
  }

  /** Tells the host, once, that the response is open. */
  #announce(): void {
    const { onOpen } = this.#options
    const { isCompaction, isPreparation, responseId: id, request: known } = this.#fold.open
    if (this.#isAnnounced || this.#closing.isClosed() || onOpen === undefined || isCompaction || isPreparation) return
    this.#isAnnounced = true
    const { insert, signal } = this.#inbox
    // Not `callSafely`, which ignores rejections: a host that searches meanwhile returns a promise.
    const notify = async (): Promise<void> =>
      onOpen({ id, request: { ...known, input: this.#request.input }, insert, signal })
    notify().catch(this.#given.report)
  }
}
