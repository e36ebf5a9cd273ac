import type { NoticeCode } from '../../core/diagnostics/diagnostic.js'
import { withConversationSettings } from '../../core/recipients/conversation-settings.js'
import type { Batch } from '../../core/responses/batch.js'
import type { CitableFiles } from '../../core/responses/call-result.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import { withDefaults } from '../../defaults.js'
import { generateOptions } from '../../engines/contract/generate-options.js'
import { callSafely } from '../../shared/call-safely.js'
import { merged } from '../../shared/merged.js'
import { nextTurn } from '../flow/next-turn.js'
import { type Queue, queue, type Write } from '../flow/queue.js'
import type { EntryBody } from '../journal/entry.js'
import { checkRespondOptions } from './check-respond-options.js'
import { Closing } from './closing.js'
import { Inbox } from './inbox.js'
import { failureOf } from './opening/unavailable.js'
import type { EndedResponse, RespondOptions } from './options.js'
import { Outbox } from './outbox.js'
import { ResolvedResponse } from './resolved-response.js'
import { stopStrings } from './sampling/answer-stops.js'
import type { Budget } from './sampling/budget.js'
import { sample } from './sampling/sampling.js'
import { type Step, Steps } from './steps.js'
import type { InvalidReporter } from './strict/report-invalid.js'
import { terminalResponse } from './terminal.js'

/** The batches of a response, and finally its transcript: to be pulled, or to be drained to a writer. */
export interface ResponseBatches
  extends AsyncGenerator<Batch, readonly number[]>,
    Pick<Queue<Batch, readonly number[]>, 'drainTo'> {}

/** A response that shows its batches to a callback, each in the step that makes it. */
export interface ResponseRun {
  /**
   * Runs the response, once.
   *
   * @param show - receives the events of each step. A promise that it returns is awaited before the next step
   * @returns the transcript
   */
  run(show: Write<Batch>): Promise<readonly number[]>
  /** Stops engine and tools before their next step. Nothing more is shown. */
  close(): void
  /** Acts like the `signal` of its options when it aborts. */
  abort(reason?: unknown): void
  /** The same, but the response does not fail: its status is `cancelled`. */
  cancel(reason?: unknown): void
  /** Aborts when engine and tools have to stop. */
  readonly signal: AbortSignal
  /** The files that its searches found so far. */
  files(): CitableFiles | undefined
}

/**
 * Runs one response over many model calls: renders the request, calls the model, runs the calls of its tools, and calls
 * it again with their results, until it answers, calls a tool of the client's, needs an approval, or reaches a limit.
 *
 * Yields the events of each step as one array, as `translateBatches` does, and returns the transcript: the ids after
 * the prompt, which a later request passes as `history`. A request that cannot be rendered is a `RequestError` before
 * the first event; an engine that fails ends the response with `response.failed`; the failure of a tool is a result
 * that the model reads.
 *
 * @throws HarmonyResponsesError `bad_option`, from the call itself
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { respond } from 'harmony-responses/respond'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([answer('Hi!')]) // in its place, any engine
 * for await (const events of respond(request, { engine, tokenTable: await loadTokenTable() })) send(events)
 * ```
 */
export function respond(request: ResponseRequest, options: RespondOptions): ResponseBatches {
  checkRespondOptions('respond', options)
  const { run, close } = responseRun(request, options)
  return queue(run, close) as ResponseBatches
}

/**
 * Runs {@link respond} without a reader between the response and its callback.
 *
 * @param options - checked
 * @param turn - waits after each call of the model until what follows may be done, if it has to
 * @throws HarmonyResponsesError `bad_option`
 */
export function responseRun(
  given: ResponseRequest,
  options: RespondOptions,
  turn: () => Promise<void> | undefined = () => undefined,
): ResponseRun {
  const request = withConversationSettings(given)
  // Checks the parameters before the first event.
  generateOptions(request)
  stopStrings(request)
  const { responseId, clock, onError } = withDefaults({
    ...(options.responseId !== undefined && { responseId: options.responseId }),
    ...(options.clock !== undefined && { clock: options.clock }),
    ...(options.onError !== undefined && { onError: options.onError }),
  })
  const { engine, tokenTable, append, entries = [], signal, pause = nextTurn } = options
  const resolved = new ResolvedResponse(options)
  const { fold } = resolved
  const inbox = new Inbox({ fold, input: request.input, entries })
  const closing = new Closing(signal, () => inbox.close())
  const { isClosed } = closing
  const hasLeft = (): boolean => closing.why === 'left'
  const report = (error: unknown): void => callSafely(onError, error)
  const notice = (code: NoticeCode, subject: string): void =>
    callSafely(options.onDiagnostic, { code, subject, index: -1 }, report)
  const onRelaxed = (subject: string): void => notice('relaxed_schema', subject)
  const known = merged(options, { responseId, notice })
  const steps = new Steps({ request, options: known, resolved, inbox, closing, clock, pause, report, onRelaxed })
  const budget = (): Budget => steps.budget()
  let hasEnded = false
  let isEstimated = false
  /** Reports once that the counts of a response are estimates. */
  function onEstimate(): void {
    if (!isEstimated) notice('estimated_usage', 'usage')
    isEstimated = true
  }
  /** The error of an entry that could not be written. Nothing may follow from such an entry, not even a failure. */
  let unwritten: { readonly error: unknown } | undefined

  /** Loads what checks bodies, with its validator of schemas, once something is to be checked: most responses have nothing. */
  let reporter: InvalidReporter | undefined
  async function loadReporter(): Promise<void> {
    const { onInvalidOutput } = options
    if (reporter !== undefined || onInvalidOutput === undefined || budget().strict.parts.length === 0) return
    const { createInvalidReporter } = await import('./strict/report-invalid.js')
    reporter = createInvalidReporter({ onInvalidOutput, onError: report, pause })
  }

  let isAnnounced = false
  /** Tells the host, once, that the response is open. */
  function announce(): void {
    const { onOpen } = options
    const { isCompaction, isPreparation, responseId: id, request: known } = fold.open
    if (isAnnounced || isClosed() || onOpen === undefined || isCompaction || isPreparation) return
    isAnnounced = true
    const { insert, signal } = inbox
    // Not `callSafely`, which ignores rejections: a host that searches meanwhile returns a promise.
    const notify = async (): Promise<void> =>
      onOpen({ id, request: { ...known, input: request.input }, insert, signal })
    notify().catch(report)
  }

  async function run(show: Write<Batch>): Promise<readonly number[]> {
    const outbox =
      append &&
      new Outbox(append, show, (error) => {
        unwritten = { error }
        // Not awaited: nothing that a working engine still returns may be shown.
        closing.close('unwritten')
      })
    /** Every token passes here: without a promise, unless the store or the reader is behind. */
    function put(next: EntryBody): void | PromiseLike<void> {
      // The reader is gone: stop.
      if (hasLeft()) return
      const at = clock()
      const batch = fold.apply(next, at)
      if (next.type !== 'item' && next.type !== 'compaction') reporter?.read(batch, budget().strict.parts)
      // Without a journal no entry is created: a copy of each would take a tenth of a token's time.
      if (outbox !== undefined) return outbox.add({ at, ...next }, batch, endedWith(batch))
      // Many entries cause no event.
      return batch.length > 0 ? show(batch) : undefined
    }
    /** Awaits each write before anything else is started, except for another step of the model. */
    async function putWhole(step: Step): Promise<void> {
      for await (const next of step) {
        await put(next)
        await outbox?.flushed()
      }
    }
    function endedWith(batch: Batch): EndedResponse | undefined {
      const response = fold.stage === 'closed' ? terminalResponse(batch) : undefined
      return response && { response, transcript: fold.transcript, files: fold.files }
    }
    async function callModel(): Promise<void> {
      if (steps.hasToPrepare) {
        // An engine that is asked when the response is closed fails because of that.
        await steps.prepareCall().catch((error: unknown) => {
          if (!isClosed()) throw error
        })
        if (isClosed()) return
      }
      const isTimed = options.limits?.seconds !== undefined
      const onStop = (string: string): void => callSafely(options.onStopString, string, report)
      const { signal } = closing
      const { terms } = steps
      const told = { budget, isTimed, inbox, signal, isClosed, terms }
      await sample({ fold, engine, tokenTable, ...told, report, onStop, onEstimate, put })
      const waited = turn()
      if (waited !== undefined) await waited
    }
    try {
      for (const entry of entries) fold.apply(entry, entry.at)
      if (fold.stage !== 'new' && fold.stage !== 'closed') await steps.takeOver()
      while (fold.stage !== 'closed' && !hasLeft() && unwritten === undefined) {
        const isOpen = fold.stage !== 'new'
        if (isOpen && fold.stage !== 'queued') announce()
        try {
          if (isOpen) await loadReporter()
          const step = steps.next()
          await (step === undefined ? callModel() : putWhole(step))
        } catch (error) {
          if (!isOpen || unwritten !== undefined || hasLeft()) throw error
          report(error)
          await putWhole(inbox.before({ type: 'fail', failure: failureOf(error) }))
        }
      }
      if (unwritten !== undefined) throw unwritten.error
      if (!hasLeft()) await outbox?.flushed()
      await reporter?.done()
      return fold.transcript
    } finally {
      hasEnded = true
      if (fold.stage === 'closed') closing.ignoreOutside()
      else closing.close('left')
      fold.dispose()
    }
  }

  return {
    run,
    close: () => closing.close('left'),
    // Ignored after the end, like the options' signal.
    abort: (reason) => (hasEnded ? undefined : closing.close('abort', reason)),
    cancel: (reason) => (hasEnded ? undefined : closing.close('cancel', reason)),
    signal: closing.signal,
    files: () => fold.files,
  }
}
