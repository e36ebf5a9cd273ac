import type { TokenEngine, TokenStream } from '../engine/engine.js'
import { SPECIAL } from '../harmony/vocabulary.js'
import type { StopEntry } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import type { HarmonyToken } from '../tokens/token-source.js'
import { isContextFull, stopOf, tokensOf } from './call-end.js'
import type { Happened } from './happened.js'
import type { Inbox } from './inbox.js'
import { generationOptions, type ModelCall, modelCall } from './model-call.js'
import { type Budget, nextStep } from './next-step.js'

export interface SamplingOptions {
  readonly fold: ResponseFold
  readonly engine: TokenEngine
  readonly budget: () => Budget
  readonly inbox: Inbox
  readonly signal: AbortSignal
  readonly isClosed: () => boolean
  readonly report: (error: unknown) => void
}

/**
 * One call of the model, as the entries that it gives. Each has to be applied before the next is asked for. Not a
 * generator: every token passes here, and would pay for it.
 */
export class Sampling {
  readonly #options: SamplingOptions
  readonly #call: ModelCall
  readonly #stream: TokenStream
  /** How many tokens the response had when the call began. */
  readonly #before: number
  /** What the engine gave and nobody has taken. */
  readonly #queue: Happened[] = []
  /** What the engine was asked for. */
  #step: ReturnType<TokenStream['next']> | undefined
  /** Whether the queue has the last that is taken of this call, and what ends the call is still to come. */
  #isStopped = false
  #isOver = false

  constructor(options: SamplingOptions) {
    const { fold, engine, budget, signal } = options
    this.#options = options
    this.#call = modelCall(fold, budget())
    this.#before = fold.sampled
    this.#stream = engine.generate(fold.context, { ...generationOptions(fold, this.#call), signal })
  }

  /** The next entry, of the host's if there is one; undefined when the call is over, or the response is closed. */
  async next(): Promise<Happened | undefined> {
    const { fold, inbox, isClosed } = this.#options
    if (!this.#isStopped && fold.sampled > this.#before && this.#mayNotGoOn()) return undefined
    while (inbox.isEmpty && this.#queue.length === 0 && !this.#isOver && !isClosed()) {
      try {
        await this.#read()
      } catch (error) {
        if (fold.sampled > this.#before || fold.sampled === 0 || !isContextFull(error)) throw error
        // What came before has filled the context. That leaves the answer incomplete, as any limit of tokens does.
        this.#end({ type: 'stop', reason: 'max_output_tokens' })
      }
    }
    if (isClosed()) return undefined
    return inbox.isEmpty ? this.#queue.shift() : inbox.next()
  }

  /** Not awaited: an engine that is computing a token answers only after it. */
  close(): void {
    this.#stream.return().catch(this.#options.report)
  }

  #mayNotGoOn(): boolean {
    const { fold, budget } = this.#options
    return fold.stage === 'sampling' && nextStep(fold, budget()).type !== 'sample'
  }

  async #read(): Promise<void> {
    const { fold, inbox, isClosed } = this.#options
    this.#step ??= this.#stream.next()
    const step = await inbox.wait(this.#step)
    if (step === undefined || isClosed()) return
    this.#step = undefined
    if (this.#isStopped) this.#finish(stopOf(fold, step.done ? step.value : undefined))
    else if (step.done) this.#end(stopOf(fold, step.value))
    else this.#take(tokensOf(step.value))
  }

  #take(given: readonly HarmonyToken[]): void {
    const { tokens, isOver, lacksMessage } = this.#call.read(given)
    for (const some of this.#steps(tokens)) this.#queue.push({ type: 'chunk', tokens: some })
    if (lacksMessage) this.#end({ type: 'host', tokens: [SPECIAL.message] })
    this.#isStopped ||= isOver
  }

  #end(last: Happened): void {
    this.#queue.push(last)
    this.#isStopped = true
    this.#isOver = true
  }

  /** What follows where the engine had to stop, and the turn goes on or has ended. */
  #finish(stop: StopEntry): void {
    this.#isOver = true
    if (this.#call.isName || this.#options.fold.stage === 'stopped') this.#queue.push({ ...stop, reason: 'stop' })
    else if (stop.usage !== undefined) this.#queue.push({ type: 'usage', usage: stop.usage })
  }

  /** What one engine step gave, token by token if the turn may be over after any of them. */
  #steps(tokens: readonly HarmonyToken[]): readonly (readonly HarmonyToken[])[] {
    if (tokens.length === 0) return []
    return this.#options.budget().hasParallelCalls ? [tokens] : tokens.map((token) => [token])
  }
}
