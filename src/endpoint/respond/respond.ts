import type { NoticeCode } from '../../core/diagnostics/diagnostic.js'
import { withConversationSettings } from '../../core/recipients/conversation-settings.js'
import type { Batch } from '../../core/responses/batch.js'
import type { CitableFiles } from '../../core/responses/call-result.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import { withDefaults } from '../../defaults.js'
import { toGenerateOptions } from '../../engines/contract/generate-options.js'
import { callSafely } from '../../shared/call-safely.js'
import { merged } from '../../shared/merged.js'
import { nextTurn } from '../flow/next-turn.js'
import { type Queue, queue, type Write } from '../flow/queue.js'
import { checkRespondOptions } from './check-respond-options.js'
import type { RespondOptions } from './options.js'
import { ResponseLoop } from './response-loop.js'
import { stopStrings } from './sampling/answer-stops.js'

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
  const response = responseRun(request, options)
  return queue(
    (show) => response.run(show),
    () => response.close(),
  ) as ResponseBatches
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
  toGenerateOptions(request)
  stopStrings(request)
  const { responseId, clock, onError } = withDefaults({
    ...(options.responseId !== undefined && { responseId: options.responseId }),
    ...(options.clock !== undefined && { clock: options.clock }),
    ...(options.onError !== undefined && { onError: options.onError }),
  })
  const { onDiagnostic, pause = nextTurn } = options
  const report = (error: unknown): void => callSafely(onError, error)
  const notice = (code: NoticeCode, subject: string): void =>
    callSafely(onDiagnostic, { code, subject, index: -1 }, report)
  const known = merged(options, { responseId, notice })
  return new ResponseLoop({ request, options: known, clock, pause, report, notice, turn })
}
