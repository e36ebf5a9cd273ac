import { ask, type EngineStep } from '../../../engines/contract/ask.js'
import { closeStream } from '../../../engines/contract/close-stream.js'
import type { TokenEngine, TokenStream } from '../../../engines/contract/engine.js'
import type { PromptFields } from '../../../engines/contract/prompt-fields.js'
import { merged } from '../../../shared/merged.js'
import type { EntryBody } from '../../journal/entry.js'
import type { ResponseFold } from '../../journal/response-fold.js'
import type { Inbox } from '../inbox.js'
import type { Budget } from './budget.js'
import { CallOutput, type CallOutputOptions, type EngineFailure } from './call-output.js'
import { generationOptions, modelCall } from './model-call.js'
import { nextStep, tokensToLimit } from './next-step.js'

export interface SamplingOptions extends CallOutputOptions {
  readonly engine: TokenEngine
  readonly budget: () => Budget
  /** Whether the response has a time limit, which only `budget` checks. */
  readonly isTimed: boolean
  readonly inbox: Inbox
  readonly signal: AbortSignal
  readonly isClosed: () => boolean
  /** What the prompt's ids do not say, for an engine that takes messages. */
  readonly promptFields: PromptFields | undefined
  /** Applies an entry. If it returns a promise, that is awaited before the next one. */
  readonly put: (entry: EntryBody) => void | PromiseLike<void>
}

/**
 * Runs one call of the model: puts each of its entries, and each of the host's. Resolves when the call has ended, or
 * the response is closed.
 *
 * @throws the errors of the engine, unless it is asked again, or of `put`
 */
export function sample(options: SamplingOptions): Promise<void> {
  return new Promise((resolve, reject) => new SamplingRun(options, { resolve, reject }).pump())
}

interface Outcome {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Pulls the steps of the engine, and pushes their entries: here, and nowhere else, a reader that is behind makes the
 * engine wait. Callbacks instead of a loop that awaits, so that all effects of a token happen in one step: with a
 * thousand concurrent streams, each step misses the cache.
 */
class SamplingRun {
  // Separate fields, since every token reads them, and the options would be another object outside the cache.
  readonly #fold: ResponseFold
  readonly #budget: () => Budget
  readonly #inbox: Inbox
  readonly #isClosed: () => boolean
  readonly #report: (error: unknown) => void
  readonly #put: SamplingOptions['put']
  readonly #outcome: Outcome
  readonly #output: CallOutput
  readonly #stream: TokenStream
  /** Whether a time limit may end the turn after any token. */
  readonly #isTimed: boolean
  /** Below this number of the response's tokens, no limit can end the turn. */
  #firstLimit: number
  /** The state of the engine: idle, working on a requested step, or its answer. */
  #asked: 'nothing' | 'asked' | EngineStep | EngineFailure = 'nothing'
  /** Whether the run waits for the engine's answer, or an item of the host. */
  #isWaiting = false
  #isWatched = false
  #hasEnded = false

  constructor(options: SamplingOptions, outcome: Outcome) {
    const { fold, engine, budget, signal, promptFields } = options
    const allowed = budget()
    const call = modelCall(fold, allowed)
    this.#fold = fold
    this.#budget = budget
    this.#inbox = options.inbox
    this.#isClosed = options.isClosed
    this.#report = options.report
    this.#put = options.put
    this.#outcome = outcome
    this.#output = new CallOutput(options, call, allowed)
    this.#isTimed = options.isTimed
    this.#firstLimit = fold.sampled + tokensToLimit(fold, allowed, options.isTimed)
    const generation = generationOptions(fold, allowed, call)
    const onUsage = this.#output.takeUsage
    this.#stream = engine.generate(
      fold.context,
      merged(generation, { onUsage, signal, ...(promptFields && { promptFields }) }),
    )
  }

  pump(): void {
    const inbox = this.#inbox
    const output = this.#output
    this.#isWaiting = false
    try {
      while (!this.#isClosed()) {
        const entry = inbox.isEmpty ? output.next() : inbox.next()
        if (entry !== undefined) {
          const written = this.#put(entry)
          if (written !== undefined) {
            written.then(this.#afterPut, this.#fail)
            return
          }
          if (this.#isTurnOver()) output.leave()
        } else if (output.makeLast()) continue
        else if (output.isOver) break
        else if (typeof this.#asked === 'object') this.#read(this.#asked)
        else {
          this.#ask()
          return
        }
      }
      this.#end()
    } catch (error) {
      this.#fail(error)
    }
  }

  #read(answer: EngineStep | EngineFailure): void {
    this.#asked = 'nothing'
    this.#output.read(answer)
  }

  #ask(): void {
    this.#isWaiting = true
    if (!this.#isWatched) {
      this.#isWatched = true
      this.#inbox.wake().then(this.#wake)
    }
    if (this.#asked !== 'nothing') return
    this.#asked = 'asked'
    ask(this.#stream, this.#answered, this.#refused)
  }

  readonly #answered = (step: EngineStep): void => this.#arrived(step)
  readonly #refused = (error: unknown): void => this.#arrived({ error })

  /** May arrive while an entry of the host is being written, and then waits. */
  #arrived(answer: EngineStep | EngineFailure): void {
    this.#asked = answer
    if (this.#isWaiting) this.pump()
  }

  readonly #wake = (): void => {
    this.#isWatched = false
    if (this.#isWaiting) this.pump()
  }

  readonly #afterPut = (): void => {
    if (this.#isTurnOver()) this.#output.leave()
    this.pump()
  }

  readonly #fail = (error: unknown): void => {
    this.#close()
    this.#outcome.reject(error)
  }

  #end(): void {
    this.#close()
    this.#outcome.resolve()
  }

  #close(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#isWaiting = false
    closeStream(this.#stream, this.#report)
  }

  /** Whether the model has written something and has to stop. */
  #isTurnOver(): boolean {
    const fold = this.#fold
    if (fold.sampled < this.#firstLimit || !this.#output.isWriting || fold.stage !== 'sampling') return false
    const budget = this.#budget()
    if (nextStep(fold, budget).type !== 'sample') return true
    this.#firstLimit = fold.sampled + tokensToLimit(fold, budget, this.#isTimed)
    return false
  }
}
