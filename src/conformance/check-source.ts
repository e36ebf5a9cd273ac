import type { HarmonyToken, StreamEnd, TokenChunk, TokenSource } from '../tokens/token-source.js'

/** One model call as a scripted backend plays it, and what its reader does. */
export interface SourcePlan {
  /** What the model samples. Where the call ends with `stop`, the last is the stop token, and else none is. */
  readonly tokens: readonly number[]
  /** How many tokens the backend hands over at a time, over and over; each at least 1. See {@link planPieces}. */
  readonly cuts: readonly number[]
  /** What comes after the tokens: the model stops, its limit is reached, the backend fails, or nothing comes any more. */
  readonly ending: 'stop' | 'length' | 'error' | 'hang'
  /**
   * Reads to the end; or leaves, or aborts, as soon as so many tokens have come. Where the backend then has no more and
   * hangs, it does so while a `next()` is under way. A backend that hangs is never read to its end.
   */
  readonly reader: { readonly does: 'reads on' } | { readonly does: 'leaves' | 'aborts'; readonly after: number }
}

/** The backend's side of a call, as a test can see it. */
export interface ScriptedBackend {
  /** Whether the call has reached it: a request came, a generation was begun. */
  wasAsked(): boolean
  /** Resolves when it hears that nobody wants more. It may resolve at the end of the call, too. */
  readonly closed: Promise<void>
}

/** A source over a backend that plays a plan. */
export interface OpenedSource {
  readonly source: Extract<TokenSource, AsyncIterable<unknown>>
  readonly backend: ScriptedBackend
  /** What a source of text has to give for the plan's tokens. Default: the tokens themselves, as ids. */
  readonly text?: string
}

/** Sets up a backend that plays the plan, and opens a source over it that listens to the signal. */
export type OpenSource = (plan: SourcePlan, signal: AbortSignal) => OpenedSource | Promise<OpenedSource>

/** Where a source is not as a rule says. */
export interface SourceViolation {
  /** The rule's id. */
  readonly rule: SourceRule
  /** How many tokens, or characters of a text, had come. */
  readonly position: number
  readonly expected: string
  /** What came instead, in words. */
  readonly got: string
}

export interface CheckSourceOptions {
  /** After so many milliseconds, what has not happened counts as never happening. Default 2000. */
  readonly patience?: number
}

/** What holds of every good source of tokens, by id. */
export const SOURCE_RULES = {
  'asks-when-read': 'Nothing is asked of the backend before the first next(), nor where the call is over by then.',
  'tokens-once': 'Every token comes once, in order, and nothing else does.',
  'stop-token-last': 'The stop token comes, as the last one.',
  'end-reason': 'The source returns why it ended: stop, or max_output_tokens.',
  'error-once': 'What goes wrong is thrown by one next(), after the tokens before it.',
  'over-stays-over': 'After its end, whatever it was, every next() says that it is over.',
  'return-closes': 'return() is done at once and closes the call; a next() under way says that it is over.',
  'abort-closes': 'An abort closes the call, and one next() throws its reason.',
} as const

export type SourceRule = keyof typeof SOURCE_RULES

/**
 * Checks one call of a source against {@link SOURCE_RULES}: whether an engine's streams keep the laws that `translate`
 * and a server rely on. With the arbitrary `sourcePlan` it proves them over all plans:
 *
 *     await fc.assert(fc.asyncProperty(sourcePlan(), async (plan) => {
 *       expect(await checkSource(openOverFakeServer, plan)).toEqual([])
 *     }))
 *
 * It uses timers: one to let the source act before it is asked, and one for what never happens.
 */
export async function checkSource(
  open: OpenSource,
  plan: SourcePlan,
  { patience = 2000 }: CheckSourceOptions = {},
): Promise<SourceViolation[]> {
  const violations: SourceViolation[] = []
  const call = new AbortController()
  const { source, backend, text } = await open(plan, call.signal)
  const iterator = source[Symbol.asyncIterator]()
  const reading = createReading(plan, text)
  const { reader } = plan

  const tell = (rule: SourceRule, expected: string, got: string): void => {
    violations.push({ rule, position: reading.position, expected, got })
  }
  const within = <T>(promise: PromiseLike<T>): Promise<Outcome<T>> => outcomeOf(promise, patience)
  const next = (): Promise<Outcome<Step>> => within(called(() => iterator.next()))

  async function checkOver(): Promise<void> {
    for (let again = 0; again < 2; again++) {
      const outcome = await next()
      if (!isOver(outcome)) return tell('over-stays-over', 'a next() that says it is over', wordsOf(outcome))
    }
  }

  async function checkClosed(rule: 'return-closes' | 'abort-closes', wasRead: boolean): Promise<void> {
    if (!wasRead && backend.wasAsked()) tell('asks-when-read', 'nothing asked of the backend', 'a call')
    if (!backend.wasAsked()) return
    const closing = await within(backend.closed)
    if (closing.kind !== 'value') tell(rule, 'the call at the backend to be closed', 'an open one')
  }

  /** Reads until so many tokens have come, or to the end. */
  async function read(until: number): Promise<Outcome<Step>> {
    for (;;) {
      const outcome = await next()
      if (outcome.kind !== 'value' || outcome.value.done) return outcome
      reading.take(outcome.value.value)
      if (reading.tokens >= until) return outcome
    }
  }

  await turn()
  if (backend.wasAsked()) tell('asks-when-read', 'nothing asked of the backend before the first next()', 'a call')

  if (reader.does === 'reads on') {
    const last = await read(Number.POSITIVE_INFINITY)
    checkEnd(plan, reading, last, tell)
    await checkOver()
    return violations
  }

  const last = reader.after > 0 ? await read(reader.after) : undefined
  const fault = reading.prefixFault()
  if (fault) tell('tokens-once', ...fault)
  if (last?.kind === 'nothing' || last?.kind === 'thrown') tell('tokens-once', 'a token', wordsOf(last))
  if (last !== undefined && (last.kind !== 'value' || last.value.done)) return violations

  const isWaiting = plan.ending === 'hang' && reading.isWhole()
  const underWay = isWaiting ? next() : undefined
  // So that there is something to close.
  for (let waited = 0; isWaiting && !backend.wasAsked() && waited < patience; waited++) await turn()
  const wasRead = isWaiting || reader.after > 0

  if (reader.does === 'leaves') {
    const returned = await within(
      called(() => iterator.return?.() ?? Promise.reject(new Error('there is no return()'))),
    )
    if (!isOver(returned)) tell('return-closes', 'a return() that is done at once', wordsOf(returned))
    const waiting = await underWay
    if (waiting && !isOver(waiting)) tell('return-closes', 'the next() under way to say it is over', wordsOf(waiting))
    await checkClosed('return-closes', wasRead)
  } else {
    const reason = new Error('the reader aborts')
    call.abort(reason)
    const outcome = await (underWay ?? next())
    const isReason = outcome.kind === 'thrown' && outcome.error === reason
    if (!isReason) tell('abort-closes', "next() to throw the signal's reason", wordsOf(outcome))
    await checkClosed('abort-closes', wasRead)
  }
  await checkOver()
  return violations
}

/** A plan's tokens as its backend hands them over. */
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
type Tell = (rule: SourceRule, expected: string, got: string) => void

/** What became of a promise, as far as anybody waited. */
type Outcome<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'thrown'; readonly error: unknown }
  | { readonly kind: 'nothing' }

function checkEnd({ ending }: SourcePlan, reading: Reading, last: Outcome<Step>, tell: Tell): void {
  const fault = reading.wholeFault()
  if (fault) tell(...fault)
  if (ending === 'error') {
    if (last.kind !== 'thrown') tell('error-once', 'next() to throw', wordsOf(last))
    return
  }
  if (last.kind !== 'value') {
    tell(last.kind === 'thrown' ? 'error-once' : 'end-reason', 'an end', wordsOf(last))
    return
  }
  const expected = ending === 'stop' ? 'stop' : 'max_output_tokens'
  const reason = (last.value.value as StreamEnd | undefined)?.reason
  if (reason !== expected) tell('end-reason', expected, String(reason))
}

/** What has come so far, held against the plan. */
interface Reading {
  take(chunk: TokenChunk): void
  /** Tokens; of a text, as many as are needed for it. */
  readonly tokens: number
  /** Tokens, or characters of a text. */
  readonly position: number
  isWhole(): boolean
  /** What came is not how the plan begins. */
  prefixFault(): [expected: string, got: string] | undefined
  /** What came is not the whole plan. */
  wholeFault(): [rule: SourceRule, expected: string, got: string] | undefined
}

function createReading(plan: SourcePlan, text: string | undefined): Reading {
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
      // A text's pieces are no tokens: it is read to where all of them must have come.
      return text === undefined ? got.length : got.length >= expected.length ? plan.tokens.length : 0
    },
    get position() {
      return got.length
    },
    isWhole: () => got.length >= expected.length,
    prefixFault() {
      const at = firstDifference(got, got.length)
      return at < got.length ? [show(at, expected), show(at, got)] : undefined
    },
    wholeFault() {
      const at = firstDifference(got, body.length)
      if (at < body.length) return ['tokens-once', show(at, expected), show(at, got)]
      const rest = got.slice(body.length)
      const stop = expected.slice(body.length)
      if (rest.length === stop.length && rest[0] === stop[0]) return undefined
      return stop.length === 0
        ? ['tokens-once', show(at, expected), show(at, got)]
        : ['stop-token-last', `${stop} and no more`, rest.length === 0 ? 'nothing' : rest.join(', ')]
    },
  }
}

/** A chunk's ids; whatever else it is, in words, so that it is found to be no id. */
function idsOf(chunk: TokenChunk): (number | string)[] {
  if (chunk instanceof Uint32Array) return [...chunk]
  if (Array.isArray(chunk)) return (chunk as readonly HarmonyToken[]).map((token) => idsOf(token)[0] ?? 'nothing')
  if (typeof chunk === 'number') return [chunk]
  if (typeof chunk === 'object' && chunk !== null && 'id' in chunk) return [chunk.id]
  return [typeof chunk === 'string' ? `text ${chunk}` : 'no token']
}

/** Also where it throws instead of rejecting. */
async function called<T>(call: () => PromiseLike<T>): Promise<T> {
  return call()
}

function outcomeOf<T>(promise: PromiseLike<T>, patience: number): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: 'nothing' }), patience)
    const settle = (outcome: Outcome<T>): void => {
      clearTimeout(timer)
      resolve(outcome)
    }
    promise.then(
      (value) => settle({ kind: 'value', value }),
      (error) => settle({ kind: 'thrown', error }),
    )
  })
}

function isOver(outcome: Outcome<Step | undefined>): boolean {
  return outcome.kind === 'value' && outcome.value?.done === true
}

function wordsOf(outcome: Outcome<Step | undefined>): string {
  if (outcome.kind === 'nothing') return 'nothing'
  if (outcome.kind === 'thrown') return `the error ${JSON.stringify(String(outcome.error))}`
  if (outcome.value?.done) return 'an end'
  return `a chunk: ${idsOf(outcome.value?.value as TokenChunk).join(', ')}`
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
