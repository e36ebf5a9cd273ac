import { closable, createWaiter } from '../closable.js'
import { withDefaults } from '../defaults.js'
import { generateOptions } from '../engine/generate-options.js'
import { check } from '../errors.js'
import { Translator } from '../full.js'
import { SPECIAL } from '../harmony/vocabulary.js'
import type { Entry, OpenEntry } from '../journal/entry.js'
import { ResponseFold } from '../journal/response-fold.js'
import { renderToolResult } from '../prompt/tool-message.js'
import type { CallResult } from '../responses/call-result.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { ResponseRequest } from '../responses/request.js'
import { encoderOf } from '../tokens/encoder.js'
import type { HostedCall } from '../tools/tool.js'
import { callHost } from '../translate/call-host.js'
import { clientFailure } from '../translate/failure.js'
import { deriveId } from '../translate/ids.js'
import { budgetOf } from './budget.js'
import { calleeNames } from './callee-names.js'
import { compactionItem } from './compact.js'
import type { Happened } from './happened.js'
import { type Budget, nextStep } from './next-step.js'
import { openEntry } from './open-entry.js'
import { type RespondOptions, TRANSLATED, type TranslateEntriesOptions } from './options.js'
import { reportInvalid } from './report-invalid.js'
import { runTool } from './run-tool.js'
import { Sampling } from './sampling.js'
import { summarize } from './summarize.js'
import type { RefusedCall } from './waiting-calls.js'

type Batch = readonly ResponseStreamEvent[]

/**
 * One response over many model calls: renders the request, calls the model, runs the calls of its tools, and calls it
 * again with their results, until it answers, calls a tool of the client's, needs an approval, or may not go on.
 *
 * Yields the events of each step as one array, as `translateBatches` does, and returns the transcript: the ids that
 * followed the prompt, which a later request gives as `history`. A request that cannot be rendered is a `RequestError`
 * before the first event; an engine that fails ends the response with `response.failed`; a tool that fails is a result
 * that the model sees.
 *
 * @throws HarmonyResponsesError `bad_option`, from the call itself
 */
export function respond(request: ResponseRequest, options: RespondOptions): AsyncGenerator<Batch, readonly number[]> {
  check(typeof options?.engine?.generate === 'function', 'engine', 'a TokenEngine', options?.engine)
  check(Object(options.tokenTable).text !== undefined, 'tokenTable', 'await loadTokenTable()', options.tokenTable)
  const { turns = 32, seconds } = options.limits ?? {}
  check(Number.isInteger(turns) && turns > 0, 'limits.turns', 'a whole number of at least 1', turns)
  check(seconds === undefined || seconds > 0, 'limits.seconds', 'a number above 0', seconds)
  const { unconstrained = 'validate' } = options
  check(['validate', 'refuse'].includes(unconstrained), 'unconstrained', "'validate' or 'refuse'", unconstrained)
  // Checks the parameters before the first event.
  generateOptions(request)
  const { responseId, clock, onError } = withDefaults({
    ...(options.responseId !== undefined && { responseId: options.responseId }),
    ...(options.clock !== undefined && { clock: options.clock }),
    ...(options.onError !== undefined && { onError: options.onError }),
  })
  const { tokenTable, tools = [], append, entries = [], signal } = options
  const assistant = encoderOf(tokenTable)('assistant')
  const fold = new ResponseFold((open, clock) => createTranslator(open, clock, options), assistant)
  const waiter = createWaiter()
  const work = new AbortController()
  let closed: 'aborted' | 'left' | undefined
  let allowed: Budget | undefined
  /** Why an entry could not be written: then nothing may follow from it, not even a failure. */
  let unwritten: { readonly error: unknown } | undefined

  function close(why: 'aborted' | 'left'): void {
    if (closed !== undefined) return
    closed = why
    signal?.removeEventListener('abort', abort)
    waiter.interrupt()
    work.abort()
  }
  const abort = (): void => close('aborted')
  const hasLeft = (): boolean => closed === 'left'
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)
  const report = (error: unknown): void => callHost(onError, error)

  /** Writes an entry, and then gives what follows from it: at once if nobody writes it, for most entries are tokens. */
  function take(happened: Happened): Batch | Promise<Batch> {
    const entry = { at: clock(), ...happened } as Entry
    return append === undefined ? follow(entry) : write(entry).then(() => follow(entry))
  }

  async function write(entry: Entry): Promise<void> {
    try {
      await append?.(entry)
    } catch (error) {
      unwritten = { error }
      throw error
    }
  }

  function follow(entry: Entry): Batch {
    const events = fold.apply(entry)
    if (options.onInvalidOutput !== undefined) {
      reportInvalid(events, budget().strict.parts, options.onInvalidOutput, report)
    }
    return events
  }

  /** Runs calls side by side. Their results enter the transcript in the order of the calls. */
  async function* runTools(calls: readonly HostedCall[]): AsyncGenerator<Batch> {
    const names = calleeNames(calls, fold.transcript, fold.open.request, options)
    const most = Number(fold.open.request.max_tool_calls ?? Number.POSITIVE_INFINITY)
    const running: Promise<CallResult>[] = []
    for (const call of calls) {
      const attempt = fold.attempts(call.id) + 1
      if (attempt === 1 && fold.started >= most) running.push(Promise.resolve(TOO_MANY))
      else if (attempt > 1 && 'approval_request_id' in call && call.approval_request_id !== null) {
        running.push(Promise.resolve(INTERRUPTED))
      } else {
        yield take({ type: 'tool_started', itemId: call.id, attempt })
        if (closed !== undefined) return
        const onProgress = options.onProgress ?? (() => {})
        running.push(
          runTool(call, { tools, request: fold.open.request, signal: work.signal, onProgress, onError: report }),
        )
      }
    }
    for (const [index, call] of calls.entries()) {
      const result = await waiter.wait(running[index] as Promise<CallResult>)
      if (result === undefined || closed !== undefined) return
      yield take({ type: 'tool_result', itemId: call.id, result, transcript: messageOf(call, result, names) })
    }
  }

  /** Tells the model of calls that the translator has refused: their items have their errors already. */
  async function* tellRefusals(calls: readonly RefusedCall[]): AsyncGenerator<Batch> {
    const names = calleeNames(calls, fold.transcript, fold.open.request, options)
    for (const call of calls) {
      const message = 'message' in call.error ? call.error.message : 'tool not available'
      const transcript = messageOf(call, { error: { message } }, names)
      yield take({ type: 'tool_result', itemId: call.id, transcript })
    }
  }

  function messageOf(call: HostedCall, result: CallResult, names: ReadonlyMap<string, string>): number[] {
    const recipient = names.get(call.id)
    return renderToolResult(call, result, { tokenTable, ...(recipient !== undefined && { recipient }) })
  }

  function budget(): Budget {
    allowed ??= budgetOf(fold.open, { ...options, turns })
    const isTimeUp = seconds !== undefined && clock() - fold.openedAt >= seconds
    return isTimeUp ? { ...allowed, isTimeUp } : allowed
  }

  /** Not shown while it is written: the client gets the sealed summary alone. */
  async function* compaction(): AsyncGenerator<Batch> {
    const { prompt, request, responseId } = fold.open
    const { engine, sealCompaction } = options
    check(sealCompaction !== undefined, 'sealCompaction', 'a function', sealCompaction)
    const context = [...prompt, SPECIAL.start, ...assistant]
    const summary = await waiter.wait(summarize(context, request, { engine, tokenTable, signal: work.signal }))
    if (summary === undefined || closed !== undefined) return
    const item = compactionItem(summary.text, deriveId('cmp', 0, responseId), sealCompaction)
    yield take({ type: 'item', item, usage: summary.usage })
  }

  /** What comes next but for sampling. */
  function step(): AsyncGenerator<Batch> | undefined {
    if (fold.stage === 'new') return start()
    if (closed === 'aborted') return once({ type: 'abort' })
    const next = nextStep(fold, budget())
    if (next.type === 'sample') return undefined
    if (next.type === 'run_tools') return runTools(next.calls)
    if (next.type === 'compact') return compaction()
    return next.type === 'tell_refusals' ? tellRefusals(next.calls) : once(next)
  }

  async function* once(happened: Happened): AsyncGenerator<Batch> {
    yield take(happened)
  }

  async function* start(): AsyncGenerator<Batch> {
    yield take(await openEntry(request, { ...options, responseId, onError: report }, clock(), work.signal))
  }

  const isClosed = (): boolean => closed !== undefined
  const { engine } = options
  const sampling = { fold, engine, budget, waiter, signal: work.signal, isClosed, report }

  async function* run(): AsyncGenerator<Batch, readonly number[]> {
    let call: Sampling | undefined
    try {
      for (const entry of entries) fold.apply(entry)
      while (fold.stage !== 'closed' && !hasLeft()) {
        const isOpen = fold.stage !== 'new'
        try {
          // Many entries cause no event.
          const steps = step()
          if (steps !== undefined) for await (const events of steps) if (events.length > 0) yield events
          if (steps === undefined) call = new Sampling(sampling)
          for (let next = await call?.next(); next !== undefined; next = await call?.next()) {
            const events = take(next)
            const batch = 'then' in events ? await events : events
            if (batch.length > 0) yield batch
          }
        } catch (error) {
          if (!isOpen || unwritten !== undefined || hasLeft()) throw error
          report(error)
          yield take({ type: 'fail', failure: clientFailure(error) })
        }
        call?.close()
        call = undefined
      }
      return fold.transcript
    } finally {
      call?.close()
      // Where all is done nothing is left to abort.
      if (fold.stage === 'closed') signal?.removeEventListener('abort', abort)
      else close('left')
      fold.dispose()
    }
  }

  return closable(run(), () => close('left'))
}

/** What the model sees of calls that are not run. */
const TOO_MANY: CallResult = { error: { message: 'The limit of tool calls for this response is reached.' } }
const INTERRUPTED: CallResult = { error: { message: 'The call was interrupted. It may have run, or may not.' } }

export function createTranslator(open: OpenEntry, clock: () => number, options: TranslateEntriesOptions): Translator {
  const given = Object.fromEntries(TRANSLATED.flatMap((name) => (name in options ? [[name, options[name]]] : [])))
  const { responseId, request, listings: mcpListings, approvedCalls } = open
  const { tokenTable } = options
  return new Translator({ ...given, tokenTable, clock, responseId, request, mcpListings, approvedCalls })
}
