import type { EndReason, HarmonyToken, HostUsage, StreamEnd } from '../../../core/tokens/token-source.js'
import type { Constraint } from '../../contract/constraint.js'
import type { GenerateOptions } from '../../contract/engine.js'
import { EngineError } from '../../contract/engine-error.js'
import { TransientError } from './failure-of.js'

/** The content of one event of an engine's stream. */
export interface EngineStep {
  /** Tokens sampled since the previous step. */
  readonly tokens: readonly HarmonyToken[]
  /** Why the engine stops. */
  readonly end?: {
    readonly reason: EndReason
    /** The id at which it stopped, which may be missing from `tokens`. */
    readonly stopToken?: number | undefined
  }
  readonly usage?: HostUsage
  /** Whether the step only shows that the engine is working, without a token yet. */
  readonly isAtWork?: boolean
}

/** The parts of a call that decide which of the engine's tokens are its own. */
export interface TokenCall {
  readonly stop: readonly number[]
  readonly maxTokens?: number | undefined
  readonly constraint?: Constraint | undefined
  readonly onUsage?: GenerateOptions['onUsage'] | undefined
}

/**
 * Converts an engine's steps to a `TokenStream`'s tokens: the stop token last, added if the engine swallowed it, and
 * nothing after it, even if the engine does not support all stop ids.
 */
export class TokenReader {
  readonly #call: TokenCall
  readonly #engine: string
  readonly #give: (tokens: readonly HarmonyToken[]) => void
  #left: number
  #isTold: boolean
  #last: number | undefined
  #usage: HostUsage | undefined
  #reason: StreamEnd['reason']
  #isOver = false
  /** Whether the text that a constraint demands has begun; without a constraint, none is demanded. */
  #isWritten: boolean

  /**
   * @param engine - its name, for messages
   * @param give - receives the tokens of each step; none if the step only shows that the engine is working
   */
  constructor(call: TokenCall, engine: string, give: (tokens: readonly HarmonyToken[]) => void) {
    this.#call = call
    this.#engine = engine
    this.#give = give
    this.#left = call.maxTokens ?? Number.POSITIVE_INFINITY
    this.#isTold = call.onUsage === undefined
    this.#isWritten = call.constraint === undefined
  }

  /** Whether the reason of the end is known, so that only counts can follow. */
  get isEnding(): boolean {
    return this.#reason !== undefined
  }

  /** Whether the engine continued after the end: nothing more is read. */
  get isOver(): boolean {
    return this.#isOver
  }

  take(step: EngineStep): void {
    if (this.#isOver) return
    if (step.usage !== undefined) this.#count(step.usage)
    const tokens = this.#isSpent() ? NONE : within(step.tokens, this.#call.stop, this.#left)
    if (step.isAtWork === true && !this.#isSpent()) this.#give(NONE)
    if (tokens.length > 0) {
      this.#left -= tokens.length
      this.#last = idOf(tokens.at(-1))
      this.#pass(tokens)
    }
    const stopToken = step.end?.stopToken
    if (stopToken !== undefined && this.#last !== stopToken && !this.#isStop(this.#last)) {
      this.#last = stopToken
      this.#pass([stopToken])
    }
    if (this.#isSpent()) this.#reason = this.#isStop(this.#last) ? 'stop' : 'max_output_tokens'
    else this.#reason = step.end?.reason ?? this.#reason
    // The engine continued after a stop token, so do not wait for its finish reason.
    this.#isOver = tokens.length < step.tokens.length
  }

  /**
   * Returns how the call ended.
   *
   * A constrained call that ends as complete but empty fails: no JSON text is empty, and a stream without any token is no
   * text. A server whose grammar backend could not compile the constraint answers this way, with status 200, and the
   * response would show an empty body as a complete one.
   *
   * @throws EngineError `server_error`, if the steps ended without a finish reason, after which the call can be retried, or
   * a constrained call without a text
   */
  end(): StreamEnd {
    const reason = this.#reason
    if (reason === undefined) throw new TransientError('server_error', 'the stream ended without a finish reason')
    if (!this.#isWritten && reason === 'stop') {
      const why = 'its grammar backend cannot compile the constraint'
      throw new EngineError('server_error', `${this.#engine} ended a constrained call without a text: ${why}`)
    }
    return { reason, ...(this.#usage && { usage: this.#usage }) }
  }

  /** Passes tokens on; an end of sequence alone only once a constrained text has begun. */
  #pass(tokens: readonly HarmonyToken[]): void {
    if (!this.#isWritten) {
      const { constraint = {}, stop } = this.#call
      this.#isWritten = !('jsonSchema' in constraint) || tokens.some((token) => !stop.includes(idOf(token) ?? -1))
    }
    if (this.#isWritten) this.#give(tokens)
  }

  #count(usage: HostUsage): void {
    this.#usage = { ...this.#usage, ...usage }
    if (this.#isTold || this.#usage.cachedTokens === undefined) return
    this.#isTold = true
    this.#call.onUsage?.(this.#usage)
  }

  #isSpent(): boolean {
    return this.#left <= 0 || this.#isStop(this.#last)
  }

  #isStop(id: number | undefined): boolean {
    return id !== undefined && this.#call.stop.includes(id)
  }
}

const NONE: readonly HarmonyToken[] = []

function idOf(token: HarmonyToken | undefined): number | undefined {
  return typeof token === 'object' ? token.id : token
}

/** A step's tokens within the limit and up to the stop token. */
function within(tokens: EngineStep['tokens'], stop: readonly number[], left: number): EngineStep['tokens'] {
  const at = tokens.findIndex((token) => stop.includes(idOf(token) ?? -1))
  const count = Math.min(at < 0 ? tokens.length : at + 1, left)
  return count === tokens.length ? tokens : tokens.slice(0, count)
}
