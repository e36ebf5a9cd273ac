import type { NoticeCode } from '../../core/diagnostics/diagnostic.js'
import { deriveId } from '../../core/options/ids.js'
import { withConversationSettings } from '../../core/recipients/conversation-settings.js'
import type { Batch } from '../../core/responses/batch.js'
import type { CitableFiles } from '../../core/responses/call-result.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import { withDefaults } from '../../defaults.js'
import { generateOptions } from '../../engines/contract/generate-options.js'
import { callSafely } from '../../shared/call-safely.js'
import { check } from '../../shared/errors.js'
import { merged } from '../../shared/merged.js'
import { withPauses } from '../../shared/slices.js'
import { nextTurn } from '../flow/next-turn.js'
import { type Queue, queue, type Write } from '../flow/queue.js'
import type { EntryBody } from '../journal/entry.js'
import { turnStart } from '../prompt/render-prompt.js'
import type { TaughtTools } from '../prompt/taught-tools.js'
import { runCalls, tellRefusals } from './calls/run-calls.js'
import { checkRespondOptions } from './check-respond-options.js'
import { compactionItem } from './compaction/compact.js'
import { compactContext } from './compaction/compact-context.js'
import { summarize } from './compaction/summarize.js'
import { Inbox } from './inbox.js'
import { openEntry } from './opening/open-entry.js'
import { failureOf } from './opening/unavailable.js'
import type { EndedResponse, RespondOptions } from './options.js'
import { Outbox } from './outbox.js'
import { promptAgain } from './prompts/first-prompt.js'
import type { PromptIds } from './prompts/prompt-ids.js'
import { ResolvedResponse } from './resolved-response.js'
import { stopStrings } from './sampling/answer-stops.js'
import type { Budget } from './sampling/budget.js'
import { budgetNow } from './sampling/budget-now.js'
import { nextStep } from './sampling/next-step.js'
import { sample } from './sampling/sampling.js'
import type { InvalidReporter } from './strict/report-invalid.js'
import { terminalResponse } from './terminal.js'

const UNENFORCED = 'The engine that continues this text cannot enforce it, so it is only checked at the end.'

/** The batches of a response, and finally its transcript: to be pulled, or to be drained to a writer. */
export type ResponseBatches = AsyncGenerator<Batch, readonly number[]> &
  Pick<Queue<Batch, readonly number[]>, 'drainTo'>

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
  const { turns = 32, seconds } = options.limits ?? {}
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
  const { fold, forms, policy } = resolved
  const inbox = new Inbox({ fold, input: request.input, entries })
  const work = new AbortController()
  let closed: 'abort' | 'cancel' | 'left' | 'unwritten' | undefined
  let hasEnded = false
  /** The error of an entry that could not be written. Nothing may follow from such an entry, not even a failure. */
  let unwritten: { readonly error: unknown } | undefined

  function close(why: NonNullable<typeof closed>, reason: unknown = signal?.reason): void {
    if (closed !== undefined) return
    closed = why
    signal?.removeEventListener('abort', abort)
    inbox.close()
    work.abort(reason)
  }
  const abort = (): void => close('abort')
  const hasLeft = (): boolean => closed === 'left'
  const isClosed = (): boolean => closed !== undefined
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)
  const report = (error: unknown): void => callSafely(onError, error)
  const teach = (): TaughtTools => resolved.taught(request)
  const shared = { fold, inbox, signal: work.signal, isClosed, report }
  const onStop = (string: string): void => callSafely(options.onStopString, string, report)
  const notice = (code: NoticeCode, subject: string): void =>
    callSafely(options.onDiagnostic, { code, subject, index: -1 }, report)
  const onRelaxed = (subject: string): void => notice('relaxed_schema', subject)

  function follow(body: EntryBody, at: number): Batch {
    const events = fold.apply(body, at)
    const isByHost = body.type === 'item' || body.type === 'compaction'
    if (!isByHost) reporter?.read(events, budget().strict.parts)
    return events
  }

  /** Loads what checks bodies, with its validator of schemas, once something is to be checked: most responses have nothing. */
  let reporter: InvalidReporter | undefined
  async function loadReporter(): Promise<void> {
    const { onInvalidOutput } = options
    if (reporter !== undefined || onInvalidOutput === undefined || budget().strict.parts.length === 0) return
    const { createInvalidReporter } = await import('./strict/report-invalid.js')
    reporter = createInvalidReporter({ onInvalidOutput, onError: report, pause })
  }

  function budget(): Budget {
    const allowed = resolved.budget(turns)
    const isTimeUp = seconds !== undefined && clock() - fold.openedAt >= seconds
    return isTimeUp ? merged(allowed, { isTimeUp }) : allowed
  }

  /** An engine that is asked when the response is closed fails because of that. */
  function throwUnlessClosed(error: unknown): void {
    if (!isClosed()) throw error
  }

  /** Whether another process opened the response, and its engine may have been another one. */
  let isTakenOver = false
  /** Prepares the next call of the model: what its engine can do, and the constraint of a body that is open. */
  async function prepare({ strict }: Budget): Promise<void> {
    if (isTakenOver) {
      const known = merged(shared, { engine, open: fold.open, pause, onRelaxed })
      resolved.useBudget(await budgetNow(resolved.budget(turns), known))
      isTakenOver = false
    }
    if (!strict.isPaused) return
    await withPauses(strict.prepare(fold.turnTokens), pause)
    const { param, constraint, character } = strict.openBody(fold.turnTokens) ?? {}
    if (param !== undefined && constraint === undefined && character === undefined) onRelaxed(`${param}: ${UNENFORCED}`)
  }

  /** Not shown during writing: the client receives only the sealed summary. */
  async function* compaction(): AsyncGenerator<EntryBody> {
    const { request, responseId } = fold.open
    const { sealCompaction } = options
    check(sealCompaction !== undefined, 'sealCompaction', 'a function', sealCompaction)
    const context = [...fold.context, ...turnStart(tokenTable)]
    const summary = await inbox.wait(summarize(context, request, { engine, tokenTable, signal: work.signal }))
    if (summary === undefined || isClosed()) return
    const item = compactionItem(summary.text, deriveId('cmp', 0, responseId), sealCompaction)
    yield { type: 'item', item, usage: summary.usage }
  }

  function* ending(end: Extract<EntryBody, { type: 'end' }>): Generator<EntryBody> {
    yield* inbox.all()
    const item = forms.lastItem(fold, end.reason !== 'stop')
    if (item !== undefined) yield { type: 'item', item }
    yield* inbox.before(end)
  }

  /** The ids that follow the results of approved calls. */
  let idsAfter: PromptIds['idsAfter']
  function givePrompt(prompt: PromptIds): void {
    idsAfter = prompt.idsAfter
    fold.givePrompt(prompt.ids)
  }

  const running = () => ({ ...shared, resolved: resolved.tools, ...(idsAfter && { idsAfter }) })

  async function* start(): AsyncGenerator<EntryBody> {
    const opening = merged(options, { responseId, policy, onError: report, notice })
    const { entry, prompt, tools } = await openEntry(request, opening, clock(), work.signal)
    resolved.giveTaught(tools)
    yield options.admitted === undefined ? entry : { ...entry, isQueued: true }
    givePrompt(prompt)
  }

  /** Waits for the turn of a queued response. One that another process has queued has got a place here. */
  async function* begin(): AsyncGenerator<EntryBody> {
    await inbox.wait(Promise.resolve(options.admitted))
    if (!isClosed()) yield { type: 'begin' }
  }

  /** Returns the next step, other than sampling. */
  function step(): AsyncIterable<EntryBody> | Iterable<EntryBody> | undefined {
    if (fold.stage === 'new') return start()
    if (closed === 'abort' || closed === 'cancel') return inbox.before({ type: closed })
    if (fold.stage === 'queued') return begin()
    const next = nextStep(fold, budget())
    if (next.type === 'sample') return undefined
    if (next.type === 'run_tools') return runCalls(next.calls, merged(options, running()))
    if (next.type === 'compact') return compaction()
    if (next.type === 'compact_context') return compactContext(request, merged(options, { ...shared, teach }))
    if (next.type === 'end') return ending(next)
    return next.type === 'tell_refusals' ? tellRefusals(next.calls, merged(options, running())) : inbox.before(next)
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
        close('unwritten')
      })
    /** Every token passes here: without a promise, unless the store or the reader is behind. */
    function put(next: EntryBody): void | PromiseLike<void> {
      // The reader is gone: stop.
      if (hasLeft()) return
      const at = clock()
      const batch = follow(next, at)
      // Without a journal no entry is created: a copy of each would take a tenth of a token's time.
      if (outbox !== undefined) return outbox.add({ at, ...next }, batch, endedWith(batch))
      // Many entries cause no event.
      return batch.length > 0 ? show(batch) : undefined
    }
    /** Awaits the write before anything else is started, except for another step of the model. */
    async function putWhole(next: EntryBody): Promise<void> {
      await put(next)
      await outbox?.flushed()
    }
    function endedWith(batch: Batch): EndedResponse | undefined {
      const response = fold.stage === 'closed' ? terminalResponse(batch) : undefined
      return response && { response, transcript: fold.transcript, files: fold.files }
    }
    try {
      for (const entry of entries) fold.apply(entry, entry.at)
      const isUnderWay = fold.stage !== 'new' && fold.stage !== 'closed'
      isTakenOver = isUnderWay
      if (isUnderWay && fold.compactions === 0) {
        givePrompt(await promptAgain(request, fold.open, teach, options, work.signal))
      }
      while (fold.stage !== 'closed' && !hasLeft() && unwritten === undefined) {
        const isOpen = fold.stage !== 'new'
        if (isOpen && fold.stage !== 'queued') announce()
        try {
          if (isOpen) await loadReporter()
          const steps = step()
          if (steps === undefined) {
            const allowed = budget()
            if (isTakenOver || allowed.strict.isPaused) {
              await prepare(allowed).catch(throwUnlessClosed)
              if (isClosed()) continue
            }
            await sample(merged(shared, { engine, tokenTable, budget, isTimed: seconds !== undefined, onStop, put }))
            const waited = turn()
            if (waited !== undefined) await waited
          } else for await (const next of steps) await putWhole(next)
        } catch (error) {
          if (!isOpen || unwritten !== undefined || hasLeft()) throw error
          report(error)
          for (const next of inbox.before({ type: 'fail', failure: failureOf(error) })) await putWhole(next)
        }
      }
      if (unwritten !== undefined) throw unwritten.error
      if (!hasLeft()) await outbox?.flushed()
      await reporter?.done()
      return fold.transcript
    } finally {
      // A closed response has nothing left to abort.
      hasEnded = true
      if (fold.stage === 'closed') signal?.removeEventListener('abort', abort)
      else close('left')
      fold.dispose()
    }
  }

  return {
    run,
    close: () => close('left'),
    // Ignored after the end, like the options' signal.
    abort: (reason) => (hasEnded ? undefined : close('abort', reason)),
    cancel: (reason) => (hasEnded ? undefined : close('cancel', reason)),
    signal: work.signal,
    files: () => fold.files,
  }
}
