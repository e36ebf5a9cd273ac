import type { HarmonyToken, TokenChunk } from '../../../../core/tokens/token-source.js'
import { ASK, ask, type CallbackStream, type EngineStep } from '../../../../engines/contract/ask.js'
import { closeStream } from '../../../../engines/contract/close-stream.js'
import {
  type EngineCapabilities,
  EngineError,
  type GenerateOptions,
  type TokenEngine,
  type TokenStream,
} from '../../../../engines/contract/index.js'
import { later, nextTurn } from '../../../flow/next-turn.js'
import { LOGPROB_BYTES } from '../../../stores/bytes-of.js'
import type { ModelCallObservation, ResponseObservation } from '../../observe/observe-response.js'
import type { CallWatch } from './call-watch.js'
import type { Meter } from './counted.js'
import type { Deadline, Deadlines } from './deadlines.js'
import { logprobsOf, PROMPT_TOKEN_BYTES, TOKEN_BYTES } from './memory.js'

/** Limits of an engine's silence when it is asked for a token, in seconds. */
export interface SilenceLimits {
  /**
   * Before the first token of a model call: in the engine's queue, and during the reading of the prompt. Default 600.
   */
  readonly firstTokenSeconds?: number
  /** Between two tokens, and for the engine's capabilities. Default 60. */
  readonly tokenSeconds?: number
}

/** Additional observers of each model call of a response. */
export interface CallGuards {
  /** Counts prompts and tokens towards the response's memory. A response without room fails, and may be retried. */
  readonly meter?: Meter
  /** Reports each call. Its span, if any, is the parent of the engine's. */
  readonly observed?: ResponseObservation | undefined
  /** Learns when the engine takes or refuses a call. */
  readonly calls?: CallWatch | undefined
}

/**
 * Wraps the engine of one response. It ends a call that is silent for too long (a hung engine would keep its places
 * forever), counts the sampled tokens, and reports the call. A step without tokens shows that the engine is working,
 * and restarts the limit; only time in which a token is awaited counts.
 */
export type GuardEngine = (engine: TokenEngine, guards?: CallGuards) => TokenEngine

export function createEngineGuard(limits: SilenceLimits, deadlines: Deadlines): GuardEngine {
  const { tokenSeconds = 60 } = limits
  const turns = new Turns()
  return (engine, { meter, observed, calls } = {}) => {
    const { capabilities } = engine
    return {
      generate(prompt, options) {
        meter?.add(prompt.length * PROMPT_TOKEN_BYTES)
        const call = observed?.modelCalled(prompt.length)
        const trace = call?.span?.trace ?? options?.trace
        const onUsage = call && countedBy(call, options?.onUsage)
        try {
          const stream = engine.generate(prompt, {
            ...options,
            ...calls?.begin(),
            ...(trace && { trace }),
            ...(onUsage && { onUsage }),
          })
          return new GuardedStream(stream, { limits, deadlines, meter, call, calls, turns })
        } catch (error) {
          call?.ended(true)
          throw error
        }
      },
      health: (options) => engine.health(options),
      ...(capabilities && {
        capabilities: (options): Promise<EngineCapabilities> =>
          deadlines.within(
            tokenSeconds,
            capabilities.call(engine, options),
            () =>
              new EngineError('server_error', `the engine did not report its capabilities for ${tokenSeconds} seconds`),
          ),
      }),
    }
  }
}

/** Returns an `onUsage` that an observation hears, too. */
function countedBy(call: ModelCallObservation, onUsage: GenerateOptions['onUsage']): GenerateOptions['onUsage'] {
  return (usage) => {
    call.counted(usage)
    onUsage?.(usage)
  }
}

interface StreamGuards {
  readonly limits: SilenceLimits
  readonly deadlines: Deadlines
  readonly meter: Meter | undefined
  readonly call: ModelCallObservation | undefined
  readonly calls: CallWatch | undefined
  readonly turns: Turns
}

/**
 * Tokens and log-probabilities that are handed on before other work runs. An engine that computes nothing, such as a
 * recording, has all of them at once: a million would take the event loop for seconds.
 */
const TOKENS_PER_TURN = 256
/** The same of all streams together: 500 streams that have all their tokens at once took half a second. */
const ALL_PER_TURN = 512
/** What a stream may hand on in any case, so that one at a model's pace never waits behind those. */
const MIN_PER_TURN = 4

/** Counts the tokens and log-probabilities of all streams in a turn of the event loop. */
class Turns {
  /** The number of the turn. */
  number = 0
  #count = 0

  /** Adds some. Returns whether the turn has enough. */
  add(more: number): boolean {
    if (this.#count === 0) later(this.#end)
    this.#count += more
    return this.#count >= ALL_PER_TURN
  }

  readonly #end = (): void => {
    this.#count = 0
    this.number += 1
  }
}

/** One object for all guards of a call, which answers by callbacks, so that no token pays for a promise of a guard. */
class GuardedStream implements CallbackStream {
  readonly #stream: TokenStream
  readonly #limits: SilenceLimits
  readonly #meter: Meter | undefined
  readonly #call: ModelCallObservation | undefined
  /** Undefined once the engine has taken the call. */
  #calls: CallWatch | undefined
  readonly #deadline: Deadline
  #hasBegun = false
  #isAsked = false
  /** Whether the call is finished: it has ended, or was closed by a guard. */
  #isOver = false
  #hasReported = false
  #isLeft = false
  readonly #turns: Turns
  /** The latest turn in which it had a token, and its tokens and log-probabilities since then. */
  #turn = 0
  #sinceTurn = 0
  /** A step of many tokens, which is handed on in parts, and how many of them were. */
  #step: readonly HarmonyToken[] | Uint32Array = []
  #handed = 0
  #answered: (step: EngineStep) => void = () => {}
  #refused: (error: unknown) => void = () => {}

  constructor(stream: TokenStream, { limits, deadlines, meter, call, calls, turns }: StreamGuards) {
    this.#stream = stream
    this.#limits = limits
    this.#meter = meter
    this.#call = call
    this.#calls = calls
    this.#turns = turns
    this.#deadline = deadlines.open(() => this.#expire())
  }

  [ASK](answered: (step: EngineStep) => void, refused: (error: unknown) => void): void {
    if (this.#isOver) {
      answered(OVER)
      return
    }
    this.#answered = answered
    this.#refused = refused
    if (this.#handed < this.#step.length) {
      this.#handPart()
      return
    }
    this.#isAsked = true
    this.#deadline.start(this.#seconds)
    try {
      ask(this.#stream, this.#take, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
  }

  next(): Promise<EngineStep> {
    return new Promise((resolve, reject) => this[ASK](resolve, reject))
  }

  return(): Promise<EngineStep> {
    this.#isLeft = true
    this.#report(false)
    // The engine answered an earlier request, in time.
    if (!this.#isAsked) this.#deadline.end()
    return this.#stream.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  get #seconds(): number {
    const { firstTokenSeconds = 600, tokenSeconds = 60 } = this.#limits
    return this.#hasBegun ? tokenSeconds : firstTokenSeconds
  }

  readonly #take = (step: EngineStep): void => {
    if (this.#isOver) return
    this.#isAsked = false
    this.#deadline.stop()
    this.#calls?.taken()
    this.#calls = undefined
    let count = 0
    let work = 0
    try {
      if (step.done) {
        if (step.value?.usage !== undefined) this.#call?.counted(step.value.usage)
        this.#end(false)
      } else {
        const logprobs = logprobsOf(step.value)
        count = this.#count(step.value, logprobs)
        work = count + logprobs
      }
    } catch (error) {
      this.#close()
      this.#refused(error)
      return
    }
    if (this.#turn !== this.#turns.number) this.#sinceTurn = 0
    this.#turn = this.#turns.number
    this.#sinceTurn += work
    const isFull = work > 0 && this.#turns.add(work)
    if (this.#sinceTurn < (isFull ? MIN_PER_TURN : TOKENS_PER_TURN)) {
      this.#answered(step)
      return
    }
    const value = step.value as TokenChunk
    if (count > TOKENS_PER_TURN && (Array.isArray(value) || value instanceof Uint32Array)) {
      this.#step = value
      this.#handed = 0
      this.#handPart()
    } else this.#handLater(value)
  }

  /** Hands on the next tokens of a long step. */
  #handPart(): void {
    const part = this.#step.slice(this.#handed, this.#handed + TOKENS_PER_TURN)
    this.#handed += part.length
    if (this.#handed === this.#step.length) this.#step = []
    this.#handLater(part)
  }

  /** Hands tokens on after other work has run. */
  #handLater(value: TokenChunk): void {
    this.#sinceTurn = 0
    nextTurn().then(() => this.#answered(this.#isLeft ? OVER : { done: false, value }))
  }

  readonly #fail = (error: unknown): void => {
    if (this.#isOver) return
    this.#calls?.failed(error)
    this.#end(true)
    this.#refused(error)
  }

  #expire(): void {
    const error = new EngineError('server_error', `the engine gave no token for ${this.#seconds} seconds`)
    this.#report(true)
    this.#close()
    this.#refused(error)
  }

  /** Returns the number of tokens. @throws EngineError if there is no room */
  #count(chunk: unknown, logprobs: number): number {
    const count = typeof chunk === 'object' && chunk !== null && 'length' in chunk ? Number(chunk.length) : 1
    this.#hasBegun ||= Object(chunk).length !== 0
    this.#call?.sampled(count)
    this.#meter?.add(count * TOKEN_BYTES + logprobs * LOGPROB_BYTES)
    return count
  }

  #close(): void {
    this.#end(false)
    closeStream(this.#stream, () => {})
  }

  #end(isFailed: boolean): void {
    this.#isOver = true
    this.#isAsked = false
    this.#deadline.end()
    this.#report(isFailed)
  }

  #report(isFailed: boolean): void {
    if (this.#hasReported) return
    this.#hasReported = true
    this.#call?.ended(isFailed)
  }
}

const OVER: EngineStep = { done: true, value: undefined }
