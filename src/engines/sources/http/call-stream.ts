import type { HarmonyToken, StreamEnd } from '../../../core/tokens/token-source.js'
import { ASK, type CallbackStream, type EngineStep as Step } from '../../contract/ask.js'
import type { TokenStream } from '../../contract/engine.js'
import type { Answer } from './answer.js'
import { TransientError } from './failure-of.js'
import type { HttpCall } from './http-call.js'
import type { HttpClient } from './http-client.js'
import { readAnswer } from './read-answer.js'
import { type EngineStep, TokenReader } from './token-reader.js'

/** Reads the events of one call, whatever the number of its requests. */
export interface StepReader {
  /**
   * Reads an event.
   *
   * @param take - receives its steps, in order
   * @throws EngineError after the steps that precede the failure
   */
  read(event: unknown, take: (step: EngineStep) => void): void
  /**
   * Called when a request has ended. Returns the one that continues the call, or undefined. Default: a call has one
   * request. @throws EngineError
   *
   * @param isDone - whether the server has said that it ended
   */
  next?(take: (step: EngineStep) => void, isDone: boolean): HttpCall | undefined
}

/** The parts of a call that differ by server. */
export interface CallSource {
  /** The server's name, for messages. */
  readonly name: string
  /** Whether the call's limit counts the tokens that the steps have: the server has its own otherwise. */
  readonly isCounted: boolean
  /** Sends a request of the call. */
  send(call: HttpCall, signal: AbortSignal): Promise<Answer>
  reader(call: HttpCall): StepReader | Promise<StepReader>
  /** Called with the error of an attempt, before the call is made again. */
  onRetry(call: HttpCall, error: unknown): void
  /** Called with the error of a failed call. Returns the error for its caller. */
  failed(call: HttpCall, error: unknown): unknown
}

const FIRST_WAIT_MS = 500
/** The longest wait before a retry. A server that asks for more is treated as refusing. */
const MAX_WAIT_MS = 60_000
/** The maximum number of unread chunks. Beyond it, reading from the server pauses. */
const MAX_WAITING = 64

interface Asked {
  readonly answered: (step: Step) => void
  readonly refused: (error: unknown) => void
}

type Outcome = { readonly end: StreamEnd | undefined } | { readonly error: unknown }

/** Why the work of a call is aborted. Without one, `abort` makes an error with a stack, which takes a tenth of a short call. */
const ENDED = new Error('the call has ended')
/** The answer to a reader that reads past the end. */
const OVER: Outcome = { end: undefined }

type RetryOptions = Pick<HttpClient, 'retries' | 'delay'>

/**
 * Returns the tokens of one call. It begins at the first `next()`.
 *
 * A call that fails for a transient reason before its first token is made again. After that it cannot be, because the
 * reader already has that token; a step that only shows that the engine is working does not count.
 *
 * @param signal - the caller's
 */
export function callStream(
  call: HttpCall,
  source: CallSource,
  client: RetryOptions,
  signal?: AbortSignal,
): TokenStream {
  return new CallStream(call, source, client, signal)
}

/**
 * Arriving text reaches the reader's callback in one step of the event loop: a promise in each layer would cost more
 * per token than its translation.
 */
class CallStream implements CallbackStream {
  readonly #call: HttpCall
  readonly #source: CallSource
  readonly #client: RetryOptions
  /** The caller's. */
  readonly #signal: AbortSignal | undefined
  /** Aborts when the call is over, in whatever way. */
  readonly #work = new AbortController()
  readonly #waiting: Asked[] = []
  readonly #chunks: (readonly HarmonyToken[])[] = []
  #answer: Answer | undefined
  #isPaused = false
  #hasBegun = false
  /** Whether the reader has or will receive a token. */
  #hasTokens = false
  #isDelivering = false
  /** How the call ended. The reader receives it once, after the last tokens. */
  #outcome: Outcome = OVER
  #isOver = false

  constructor(call: HttpCall, source: CallSource, client: RetryOptions, signal: AbortSignal | undefined) {
    this.#call = call
    this.#source = source
    this.#client = client
    this.#signal = signal
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  [ASK](answered: (step: Step) => void, refused: (error: unknown) => void): void {
    this.#waiting.push({ answered, refused })
    if (!this.#hasBegun) this.#begin()
    this.#deliver()
  }

  next(): Promise<Step> {
    return new Promise((resolve, reject) => this[ASK](resolve, reject))
  }

  async return(): Promise<Step> {
    this.#leave()
    return { done: true, value: undefined }
  }

  async throw(error: unknown): Promise<never> {
    this.#leave()
    throw error
  }

  #leave(): void {
    this.#signal?.removeEventListener('abort', this.#abort)
    this.#close(OVER)
  }

  #begin(): void {
    this.#hasBegun = true
    if (this.#isOver) return
    if (this.#signal?.aborted) {
      this.#abort()
      return
    }
    this.#signal?.addEventListener('abort', this.#abort)
    this.#run().then(
      (end) => this.#finish({ end }),
      (error: unknown) => this.#fail(error),
    )
  }

  readonly #abort = (): void => this.#close({ error: this.#signal?.reason })

  /** Ends the call before its reader has the end: tokens that were not read are dropped. */
  #close(outcome: Outcome): void {
    this.#chunks.length = 0
    if (!this.#isOver) this.#finish(outcome)
    else if (this.#outcome !== OVER) this.#outcome = outcome
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    this.#finish({ error: this.#source.failed(this.#call, error) })
  }

  #finish(outcome: Outcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#outcome = outcome
    this.#answer?.cancel()
    this.#work.abort(ENDED)
    this.#deliver()
  }

  /** Makes the call, and retries it as often as allowed. */
  async #run(): Promise<StreamEnd> {
    const { retries, delay } = this.#client
    const { signal } = this.#work
    const begun = performance.now()
    for (let tried = 0; ; tried++) {
      try {
        return await this.#attempt()
      } catch (error) {
        signal.throwIfAborted()
        if (this.#hasTokens || !(error instanceof TransientError)) throw error
        if (tried >= Math.min(retries, error.retries ?? retries)) throw error
        const wait = error.retryAfterMs ?? Math.min(FIRST_WAIT_MS * 2 ** tried, MAX_WAIT_MS)
        if (wait > MAX_WAIT_MS || performance.now() - begun + wait > this.#call.retryWithinMs) throw error
        this.#source.onRetry(this.#call, error)
        await delay(wait, signal)
        signal.throwIfAborted()
      }
    }
  }

  /** Makes one attempt of the call, in as many requests as it needs. */
  async #attempt(): Promise<StreamEnd> {
    const { signal } = this.#work
    const { name, isCounted } = this.#source
    const counted = isCounted ? this.#call : { ...this.#call, maxTokens: undefined }
    const tokens = new TokenReader(counted, name, this.#give)
    const steps = await this.#source.reader(this.#call)
    const take = (step: EngineStep): void => tokens.take(step)
    try {
      for (let part: HttpCall | undefined = this.#call; part !== undefined && !tokens.isOver; ) {
        const answer = await this.#source.send(part, signal)
        const isDone = await this.#read(answer, tokens, (event) => steps.read(event, take))
        part = tokens.isOver ? undefined : steps.next?.(take, isDone)
      }
    } catch (error) {
      // An error after the last token loses nothing.
      if (!tokens.isEnding) throw error
    }
    return tokens.end()
  }

  async #read(answer: Answer, tokens: TokenReader, take: (event: unknown) => void): Promise<boolean> {
    const { signal } = this.#work
    this.#answer = answer
    try {
      if (signal.aborted) answer.cancel()
      signal.throwIfAborted()
      return await readAnswer(answer, tokens, { take, takesMore: this.#takesMore, signal })
    } finally {
      this.#answer = undefined
      this.#isPaused = false
    }
  }

  readonly #takesMore = (): boolean => {
    this.#isPaused = this.#chunks.length >= MAX_WAITING
    return !this.#isPaused
  }

  readonly #give = (tokens: readonly HarmonyToken[]): void => {
    if (this.#isOver) return
    this.#hasTokens ||= tokens.length > 0
    this.#chunks.push(tokens)
    this.#deliver()
  }

  /**
   * Answers the waiting readers. A callback may read again, and the loop answers that too, so that many chunks do not
   * fill the stack.
   */
  #deliver(): void {
    if (this.#isDelivering) return
    this.#isDelivering = true
    while (this.#waiting.length > 0) {
      const value = this.#chunks.shift()
      if (value !== undefined) (this.#waiting.shift() as Asked).answered({ done: false, value })
      else if (this.#isOver) this.#settleEnd(this.#waiting.shift() as Asked)
      else break
    }
    this.#isDelivering = false
    if (!this.#isPaused || this.#chunks.length > 0) return
    this.#isPaused = false
    this.#answer?.resume()
  }

  #settleEnd({ answered, refused }: Asked): void {
    const outcome = this.#outcome
    this.#outcome = OVER
    this.#signal?.removeEventListener('abort', this.#abort)
    if ('error' in outcome) refused(outcome.error)
    else answered({ done: true, value: outcome.end })
  }
}
