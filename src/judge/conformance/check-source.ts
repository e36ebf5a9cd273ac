import type { StreamEnd, TokenSource } from '../../core/tokens/token-source.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aboveZero, aFunction, anObject } from '../../shared/options/checks.js'
import { createProgress, type Progress } from './source/read-progress.js'
import type { SourcePlan } from './source/source-plan.js'
import type { SourceRule, SourceViolation } from './source/source-rules.js'
import { describeOutcome, isOver, type Outcome, outcomeOf, promiseOf, type Step } from './source/step-outcome.js'

export { planPieces, type SourcePlan } from './source/source-plan.js'
export { SOURCE_RULES, type SourceRule, type SourceViolation } from './source/source-rules.js'

/** The observable state of the backend. */
export interface ScriptedBackend {
  /** Whether the backend received the call: a request arrived, or a generation started. */
  wasAsked(): boolean
  /** Resolves when the backend learns that the call was closed. It may also resolve at the end of the call. */
  readonly closed: Promise<void>
}

/** A token source, and the backend that plays the plan. */
export interface OpenedSource {
  /** The source to check: an async one. */
  readonly source: Extract<TokenSource, AsyncIterable<unknown>>
  /** What plays the plan. */
  readonly backend: ScriptedBackend
  /** The text that a text source has to yield for the plan's tokens. Default: the source yields the token ids. */
  readonly text?: string
}

/** Starts a backend that plays the plan, and opens a source that reads from it and obeys the signal. */
export type SourceOpener = (plan: SourcePlan, signal: AbortSignal) => OpenedSource | Promise<OpenedSource>

/** Options of `checkSource`. */
export interface CheckSourceOptions {
  /** How long to wait before something counts as never happening, in milliseconds. Default 2000. */
  readonly timeoutMs?: number
}

const CHECK_SOURCE_OPTIONS: OptionTable<CheckSourceOptions> = { timeoutMs: aboveZero }

/**
 * Checks one call of a token source against {@link SOURCE_RULES}, which `translate` and a server rely on. Combine it
 * with the arbitrary `sourcePlan` to test the rules for any plan.
 *
 * It uses timers: one lets the source act before it is read, and one limits the time to wait.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { checkSource } from 'harmony-responses/conformance'
 *
 * const plan = { tokens: ids, cuts: [2], ending: 'stop', reader: { does: 'reads on' } } as const
 * console.log((await checkSource(openOverMyFakeServer, plan)).length) // 0
 * ```
 */
export async function checkSource(
  open: SourceOpener,
  plan: SourcePlan,
  options: CheckSourceOptions = {},
): Promise<SourceViolation[]> {
  aFunction(open, 'checkSource: open')
  anObject(plan, 'checkSource: plan')
  checkOptions('checkSource', options, CHECK_SOURCE_OPTIONS)
  const { timeoutMs = 2000 } = options
  const violations: SourceViolation[] = []
  const call = new AbortController()
  const { source, backend, text } = await open(plan, call.signal)
  const iterator = source[Symbol.asyncIterator]()
  const progress = createProgress(plan, text)
  const { reader } = plan

  const report = (rule: SourceRule, expected: string, got: string): void => {
    violations.push({ rule, position: progress.position, expected, got })
  }
  const within = <T>(promise: PromiseLike<T>): Promise<Outcome<T>> => outcomeOf(promise, timeoutMs)
  const next = (): Promise<Outcome<Step>> => within(promiseOf(() => iterator.next()))

  async function checkOver(): Promise<void> {
    for (let again = 0; again < 2; again++) {
      const outcome = await next()
      if (!isOver(outcome)) return report('over-stays-over', 'next() to return done', describeOutcome(outcome))
    }
  }

  async function checkClosed(rule: 'return-closes' | 'abort-closes', wasRead: boolean): Promise<void> {
    if (!wasRead && backend.wasAsked()) report('asks-when-read', 'no request to the backend', 'a request')
    if (!backend.wasAsked()) return
    const closing = await within(backend.closed)
    if (closing.kind !== 'value') report(rule, 'the call to be closed at the backend', 'an open call')
  }

  /** Reads until this many tokens have come, or to the end. */
  async function read(until: number): Promise<Outcome<Step>> {
    for (;;) {
      const outcome = await next()
      if (outcome.kind !== 'value' || outcome.value.done) return outcome
      progress.take(outcome.value.value)
      if (progress.tokens >= until) return outcome
    }
  }

  await turn()
  if (backend.wasAsked()) report('asks-when-read', 'no request to the backend before the first next()', 'a request')

  if (reader.does === 'reads on') {
    const last = await read(Number.POSITIVE_INFINITY)
    checkEnd(plan, progress, last, report)
    await checkOver()
    return violations
  }

  const last = reader.after > 0 ? await read(reader.after) : undefined
  const fault = progress.prefixFault()
  if (fault) report('tokens-once', ...fault)
  if (last?.kind === 'nothing' || last?.kind === 'thrown') report('tokens-once', 'a token', describeOutcome(last))
  if (last !== undefined && (last.kind !== 'value' || last.value.done)) return violations

  const isWaiting = plan.ending === 'hang' && progress.isComplete()
  const underWay = isWaiting ? next() : undefined
  // Waits for the request: otherwise there is no call to close.
  for (let waited = 0; isWaiting && !backend.wasAsked() && waited < timeoutMs; waited++) await turn()
  const wasRead = isWaiting || reader.after > 0

  if (reader.does === 'leaves') {
    const returned = await within(
      promiseOf(() => iterator.return?.() ?? Promise.reject(new Error('there is no return()'))),
    )
    if (!isOver(returned)) report('return-closes', 'return() to resolve at once', describeOutcome(returned))
    const waiting = await underWay
    if (waiting && !isOver(waiting))
      report('return-closes', 'the pending next() to return done', describeOutcome(waiting))
    await checkClosed('return-closes', wasRead)
  } else {
    const reason = new Error('the reader aborts')
    call.abort(reason)
    const outcome = await (underWay ?? next())
    const isReason = outcome.kind === 'thrown' && outcome.error === reason
    if (!isReason) report('abort-closes', "next() to throw the signal's reason", describeOutcome(outcome))
    await checkClosed('abort-closes', wasRead)
  }
  await checkOver()
  return violations
}

type Report = (rule: SourceRule, expected: string, got: string) => void

function checkEnd({ ending }: SourcePlan, progress: Progress, last: Outcome<Step>, report: Report): void {
  const fault = progress.finalFault()
  if (fault) report(...fault)
  if (ending === 'error') {
    if (last.kind !== 'thrown') report('error-once', 'next() to throw', describeOutcome(last))
    return
  }
  if (last.kind !== 'value') {
    report(last.kind === 'thrown' ? 'error-once' : 'end-reason', 'an end', describeOutcome(last))
    return
  }
  const expected = ending === 'stop' ? 'stop' : 'max_output_tokens'
  const reason = (last.value.value as StreamEnd | undefined)?.reason
  if (reason !== expected) report('end-reason', expected, String(reason))
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
