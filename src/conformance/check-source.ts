import { checkOptions, type OptionTable } from '../options/check-options.js'
import { aboveZero } from '../options/checks.js'
import type { HarmonyToken, StreamEnd, TokenChunk, TokenSource } from '../tokens/token-source.js'

/** One model call that a scripted backend plays, and how its reader behaves. */
export interface SourcePlan {
  /** The tokens that the model samples. The last one is the stop token if the call ends with `stop`. */
  readonly tokens: readonly number[]
  /**
   * The numbers of tokens (at least 1) that the backend sends at a time; repeated as needed. See {@link planPieces}.
   */
  readonly cuts: readonly number[]
  /**
   * The event after the tokens: the model stops, the token limit is reached, the backend fails, or nothing more comes.
   */
  readonly ending: 'stop' | 'length' | 'error' | 'hang'
  /**
   * Reads to the end, or calls `return()` (`leaves`) or aborts (`aborts`) after this many tokens. If the backend has
   * sent all its tokens and hangs, the reader leaves or aborts during a pending `next()`. A backend that hangs is never
   * read to its end.
   */
  readonly reader: { readonly does: 'reads on' } | { readonly does: 'leaves' | 'aborts'; readonly after: number }
}

/** The observable state of the backend. */
export interface ScriptedBackend {
  /** Whether the backend received the call: a request arrived, or a generation started. */
  wasAsked(): boolean
  /** Resolves when the backend learns that the call was closed. It may also resolve at the end of the call. */
  readonly closed: Promise<void>
}

/** A token source, and the backend that plays the plan. */
export interface OpenedSource {
  readonly source: Extract<TokenSource, AsyncIterable<unknown>>
  readonly backend: ScriptedBackend
  /** The text that a text source has to yield for the plan's tokens. Default: the source yields the token ids. */
  readonly text?: string
}

/** Starts a backend that plays the plan, and opens a source that reads from it and obeys the signal. */
export type OpenSource = (plan: SourcePlan, signal: AbortSignal) => OpenedSource | Promise<OpenedSource>

/** A violation of one of {@link SOURCE_RULES}. */
export interface SourceViolation {
  /** The rule's id. */
  readonly rule: SourceRule
  /** How many tokens, or UTF-16 code units of text, had been read. */
  readonly position: number
  readonly expected: string
  /** The actual behaviour, in words. */
  readonly got: string
}

export interface CheckSourceOptions {
  /** How long to wait before something counts as never happening, in milliseconds. Default 2000. */
  readonly patience?: number
}

const CHECK_SOURCE_OPTIONS: OptionTable<CheckSourceOptions> = { patience: aboveZero }

/** The rules that every correct token source follows, by id. */
export const SOURCE_RULES = {
  'asks-when-read': 'The backend gets no request before the first next(), and none if the call was closed by then.',
  'tokens-once': 'Every token is yielded once, in order, and nothing else is.',
  'stop-token-last': 'The stop token is yielded, as the last one.',
  'end-reason': 'The source returns the reason for its end: stop or max_output_tokens.',
  'error-once': 'An error is thrown by one next(), after the tokens before it.',
  'over-stays-over': 'After the end, whatever caused it, every next() returns done.',
  'return-closes': 'return() resolves at once and closes the call; a pending next() returns done.',
  'abort-closes': 'An abort closes the call, and one next() throws its reason.',
} as const

export type SourceRule = keyof typeof SOURCE_RULES

/**
 * Checks one call of a token source against {@link SOURCE_RULES}, which `translate` and a server rely on. Combine it
 * with the arbitrary `sourcePlan` to test the rules for any plan:
 *
 *     await fc.assert(fc.asyncProperty(sourcePlan(), async (plan) => {
 *       expect(await checkSource(openOverFakeServer, plan)).toEqual([])
 *     }))
 *
 * It uses timers: one lets the source act before it is read, and one limits the time to wait.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export async function checkSource(
  open: OpenSource,
  plan: SourcePlan,
  options: CheckSourceOptions = {},
): Promise<SourceViolation[]> {
  checkOptions('checkSource', options, CHECK_SOURCE_OPTIONS)
  const { patience = 2000 } = options
  const violations: SourceViolation[] = []
  const call = new AbortController()
  const { source, backend, text } = await open(plan, call.signal)
  const iterator = source[Symbol.asyncIterator]()
  const progress = createProgress(plan, text)
  const { reader } = plan

  const report = (rule: SourceRule, expected: string, got: string): void => {
    violations.push({ rule, position: progress.position, expected, got })
  }
  const within = <T>(promise: PromiseLike<T>): Promise<Outcome<T>> => outcomeOf(promise, patience)
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
  for (let waited = 0; isWaiting && !backend.wasAsked() && waited < patience; waited++) await turn()
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

/** A plan's tokens in the pieces in which its backend sends them. */
export function planPieces({ tokens, cuts }: SourcePlan): number[][] {
  const pieces: number[][] = []
  for (let from = 0; from < tokens.length; ) {
    const size = Math.max(1, cuts[pieces.length % cuts.length] ?? tokens.length)
    pieces.push(tokens.slice(from, from + size))
    from += size
  }
  return pieces
}

type Step = IteratorResult<TokenChunk, unknown>
type Report = (rule: SourceRule, expected: string, got: string) => void

/** The outcome of a promise within the time limit. */
type Outcome<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'thrown'; readonly error: unknown }
  | { readonly kind: 'nothing' }

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

/** The progress of reading, compared with the plan. */
interface Progress {
  take(chunk: TokenChunk): void
  /** How many tokens were read. For text: all of them once the text is complete, none before. */
  readonly tokens: number
  /** How many tokens, or UTF-16 code units of text, were read. */
  readonly position: number
  isComplete(): boolean
  /** The first difference between what was read and the beginning of the plan. */
  prefixFault(): [expected: string, got: string] | undefined
  /** The first difference between what was read and the complete plan. */
  finalFault(): [rule: SourceRule, expected: string, got: string] | undefined
}

function createProgress(plan: SourcePlan, text: string | undefined): Progress {
  const expected: readonly (number | string)[] = text === undefined ? plan.tokens : text.split('')
  const got: (number | string)[] = []
  const body = text === undefined && plan.ending === 'stop' ? expected.slice(0, -1) : expected
  const firstDifference = (one: readonly unknown[], length: number): number => {
    for (let at = 0; at < length; at++) if (one[at] !== expected[at]) return at
    return length
  }
  const show = (at: number, list: readonly (number | string)[]): string =>
    at < list.length ? `${JSON.stringify(list[at])} at ${at}` : `nothing at ${at}`

  return {
    take(chunk) {
      const isText = text !== undefined && typeof chunk === 'string'
      got.push(...(isText ? chunk.split('') : idsOf(chunk)))
    },
    get tokens() {
      // Pieces of text are not tokens: the reader continues until the text of all tokens has arrived.
      return text === undefined ? got.length : got.length >= expected.length ? plan.tokens.length : 0
    },
    get position() {
      return got.length
    },
    isComplete: () => got.length >= expected.length,
    prefixFault() {
      const at = firstDifference(got, got.length)
      return at < got.length ? [show(at, expected), show(at, got)] : undefined
    },
    finalFault() {
      const at = firstDifference(got, body.length)
      if (at < body.length) return ['tokens-once', show(at, expected), show(at, got)]
      const rest = got.slice(body.length)
      const stop = expected.slice(body.length)
      if (rest.length === stop.length && rest[0] === stop[0]) return undefined
      return stop.length === 0
        ? ['tokens-once', show(at, expected), show(at, got)]
        : [
            'stop-token-last',
            `the stop token ${stop} and nothing after it`,
            rest.length === 0 ? 'nothing' : rest.join(', '),
          ]
    },
  }
}

/** A chunk's ids. Anything else becomes a description, which equals no id and so is reported. */
function idsOf(chunk: TokenChunk): (number | string)[] {
  if (chunk instanceof Uint32Array) return [...chunk]
  if (Array.isArray(chunk)) return (chunk as readonly HarmonyToken[]).map((token) => idsOf(token)[0] ?? 'nothing')
  if (typeof chunk === 'number') return [chunk]
  if (typeof chunk === 'object' && chunk !== null && 'id' in chunk) return [chunk.id]
  return [typeof chunk === 'string' ? `text ${chunk}` : 'no token']
}

/** Turns a synchronous exception into a rejection. */
async function promiseOf<T>(call: () => PromiseLike<T>): Promise<T> {
  return call()
}

function outcomeOf<T>(promise: PromiseLike<T>, patience: number): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: 'nothing' }), patience)
    const finish = (outcome: Outcome<T>): void => {
      clearTimeout(timer)
      resolve(outcome)
    }
    promise.then(
      (value) => finish({ kind: 'value', value }),
      (error) => finish({ kind: 'thrown', error }),
    )
  })
}

function isOver(outcome: Outcome<Step | undefined>): boolean {
  return outcome.kind === 'value' && outcome.value?.done === true
}

function describeOutcome(outcome: Outcome<Step | undefined>): string {
  if (outcome.kind === 'nothing') return 'nothing'
  if (outcome.kind === 'thrown') return `the error ${JSON.stringify(String(outcome.error))}`
  if (outcome.value?.done) return 'an end'
  return `a chunk: ${idsOf(outcome.value?.value as TokenChunk).join(', ')}`
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
