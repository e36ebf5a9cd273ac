import type { HarmonyToken, HostUsage, StreamEnd } from '../../../core/tokens/token-source.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { ask, type EngineStep } from '../../../engines/contract/ask.js'
import { closeStream } from '../../../engines/contract/close-stream.js'
import type { TokenEngine, TokenStream } from '../../../engines/contract/engine.js'
import type { Terms } from '../../../engines/contract/terms.js'
import { merged } from '../../../shared/merged.js'
import type { ChunkEntry, EntryBody, StopEntry } from '../../journal/entry.js'
import type { ResponseFold } from '../../journal/response-fold.js'
import type { Inbox } from '../inbox.js'
import type { Budget } from './budget.js'
import { isContextFull, stopOf } from './call-end.js'
import { generationOptions, type ModelCall, modelCall } from './model-call.js'
import { hasOneCall, nextStep, tokensToLimit } from './next-step.js'
import { type ChunkReader, createChunkReader } from './read-chunks.js'
import type { StopWatch, Watched } from './stop-watch.js'

export interface SamplingOptions {
  readonly fold: ResponseFold
  readonly engine: TokenEngine
  readonly tokenTable: TokenTable
  readonly budget: () => Budget
  /** Whether the response has a time limit, which only `budget` checks. */
  readonly isTimed: boolean
  readonly inbox: Inbox
  readonly signal: AbortSignal
  readonly isClosed: () => boolean
  readonly report: (error: unknown) => void
  /** What the prompt's ids do not say, for an engine that takes messages. */
  readonly terms: Terms | undefined
  /** Called if the server of such an engine has not counted the call's tokens. */
  readonly onEstimate: () => void
  /** Called with the stop string that ends an answer. */
  readonly onStop: (string: string) => void
  /** Applies an entry. If it returns a promise, that is awaited before the next one. */
  readonly put: (entry: EntryBody) => void | PromiseLike<void>
}

/**
 * Runs one call of the model: puts each of its entries, and each of the host's. Resolves when the call has ended, or
 * the response is closed.
 *
 * @throws the errors of the engine or of `put`
 */
export function sample(options: SamplingOptions): Promise<void> {
  return new Promise((resolve, reject) => new SamplingRun(options, { resolve, reject }).pump())
}

interface EngineFailure {
  readonly error: unknown
}

interface Outcome {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Callbacks instead of a loop that awaits, so that all effects of a token happen in one step: with a thousand
 * concurrent streams, each step misses the cache.
 */
class SamplingRun {
  // Separate fields, since every token reads them, and the options would be another object outside the cache.
  readonly #fold: ResponseFold
  readonly #budget: () => Budget
  readonly #inbox: Inbox
  readonly #isClosed: () => boolean
  readonly #report: (error: unknown) => void
  readonly #onStop: SamplingOptions['onStop']
  readonly #onEstimate: SamplingOptions['onEstimate']
  readonly #put: SamplingOptions['put']
  readonly #outcome: Outcome
  readonly #call: ModelCall
  /** Whether the turn may end after any token, with its first call. */
  readonly #hasOneCall: boolean
  readonly #stream: TokenStream
  /** Only if the request has stop strings, and the model is not constrained. */
  readonly #watch: StopWatch | undefined
  readonly #chunks: ChunkReader
  /** The number of the response's tokens when the call began. */
  readonly #before: number
  /** Whether a time limit may end the turn after any token. */
  readonly #isTimed: boolean
  /** Below this number of the response's tokens, no limit can end the turn. */
  #firstLimit: number
  /** The number of tokens from the engine. */
  #given = 0
  /** The engine's counts before the end of the call, which a closed call does not reach. */
  #known: HostUsage | undefined
  /** The next entry from the engine's output. Most steps have only one, so they create no list. */
  #next: EntryBody | undefined
  /** The entries after it. */
  #later: EntryBody[] | undefined
  /** Runs when the queue is empty, once nothing more is read from the engine. */
  #last: (() => void) | undefined
  /** The state of the engine: idle, working on a requested step, or its answer. */
  #asked: 'nothing' | 'asked' | EngineStep | EngineFailure = 'nothing'
  /** Whether the run waits for the engine's answer, or an item of the host. */
  #isWaiting = false
  #isWatched = false
  /** Whether the queue contains the call's last tokens, and only its end is still to come. */
  #isStopped = false
  #isOver = false
  #hasEnded = false

  constructor(options: SamplingOptions, outcome: Outcome) {
    const { fold, engine, tokenTable, budget, signal, terms } = options
    const allowed = budget()
    this.#fold = fold
    this.#budget = budget
    this.#inbox = options.inbox
    this.#isClosed = options.isClosed
    this.#report = options.report
    this.#onStop = options.onStop
    this.#onEstimate = options.onEstimate
    this.#put = options.put
    this.#outcome = outcome
    this.#call = modelCall(fold, allowed)
    this.#hasOneCall = hasOneCall(fold, allowed)
    this.#watch = this.#call.isSearched ? allowed.stops?.watch(fold) : undefined
    this.#before = fold.sampled
    this.#isTimed = options.isTimed
    this.#firstLimit = fold.sampled + tokensToLimit(fold, allowed, options.isTimed)
    this.#chunks = createChunkReader(tokenTable, allowed.capabilities.spellsMarkers === true)
    const onUsage = (usage: HostUsage): void => {
      this.#known = usage
    }
    const generation = generationOptions(fold, allowed, this.#call)
    this.#stream = engine.generate(fold.context, merged(generation, { onUsage, signal, ...(terms && { terms }) }))
  }

  pump(): void {
    const inbox = this.#inbox
    this.#isWaiting = false
    try {
      while (!this.#isClosed()) {
        const entry = inbox.isEmpty ? this.#dequeue() : inbox.next()
        if (entry !== undefined) {
          const written = this.#put(entry)
          if (written !== undefined) {
            written.then(this.#afterPut, this.#fail)
            return
          }
          if (this.#isTurnOver()) this.#leave()
        } else if (this.#last !== undefined) this.#doLast(this.#last)
        else if (this.#isOver) break
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
    if (this.#isTurnOver()) this.#leave()
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
    if (this.#isStopped || fold.sampled === this.#before || fold.stage !== 'sampling') return false
    if (fold.sampled < this.#firstLimit) return false
    const budget = this.#budget()
    if (nextStep(fold, budget).type !== 'sample') return true
    this.#firstLimit = fold.sampled + tokensToLimit(fold, budget, this.#isTimed)
    return false
  }

  /** Ends the call before the engine does, which then reports no more about it. */
  #leave(): void {
    const { usage } = this.#stopOf(undefined)
    this.#next = undefined
    this.#later = undefined
    this.#isStopped = true
    this.#isOver = true
    if (usage !== undefined) this.#enqueue({ type: 'usage', usage })
  }

  #read(answer: EngineStep | EngineFailure): void {
    this.#asked = 'nothing'
    if (!('error' in answer) && answer.done && !this.#isStopped) this.#take(this.#chunks.end())
    if ('error' in answer) this.#readFailure(answer)
    else if (this.#isStopped) this.#afterStop(this.#stopOf(answer.done ? answer.value : undefined))
    else if (answer.done) this.#readEnd(answer.value)
    else this.#take(this.#chunks.read(answer.value))
  }

  #readEnd(end: StreamEnd | undefined): void {
    const stop = this.#stopOf(end)
    const missing = this.#missing(end)
    if (missing !== undefined && stop.usage !== undefined) this.#enqueue({ type: 'usage', usage: stop.usage })
    const last = missing ?? stop
    const watched = this.#watch?.end((end?.reason ?? 'stop') !== 'stop')
    if (watched === undefined) this.#finish(last)
    // The held tokens may exhaust the response's limit: putting them then ends the call.
    else if (!this.#queueWatched(watched, stop)) {
      this.#known = end?.usage ?? this.#known
      this.#last = () => {
        if (!this.#isOver) this.#finish(last)
      }
    }
  }

  #stopOf(end: StreamEnd | undefined): StopEntry {
    const usage = end?.usage ?? this.#known
    if (this.#fold.takesMessages && usage?.outputTokens === undefined) this.#onEstimate()
    return stopOf(this.#fold, { ...end, ...(usage && { usage }) }, this.#given)
  }

  #readFailure({ error }: EngineFailure): void {
    const fold = this.#fold
    const watched = this.#isStopped ? undefined : this.#watch?.end(true)
    if (watched !== undefined && this.#queueWatched(watched)) {
      // The answer is complete for the client. The host still learns of the engine's failure.
      this.#report(error)
      return
    }
    // The held tokens are certain now, and are shown like all that precedes a failure.
    if (this.#next !== undefined) {
      this.#last = () => {
        throw error
      }
      return
    }
    if (fold.sampled > this.#before || fold.sampled === 0 || !isContextFull(error)) throw error
    // The output so far has filled the context. That leaves the answer incomplete, like any limit of tokens.
    this.#finish({ type: 'stop', reason: 'max_output_tokens' })
  }

  /**
   * Returns the rest of the required text, if the model stopped before it. The turn then continues with another call.
   */
  #missing(end: StreamEnd | undefined): EntryBody | undefined {
    if ((end?.reason ?? 'stop') !== 'stop') return undefined
    const tokens = this.#call.missing?.() ?? []
    if (tokens.length > 0) return { type: 'chunk', tokens }
    const beginning = this.#call.beginning?.()
    return beginning && { type: 'host', tokens: beginning }
  }

  #take(given: readonly HarmonyToken[]): void {
    if (given.length === 0) return
    this.#given += given.length
    const { tokens, isOver, beginning } = this.#call.read(given)
    if (this.#watch === undefined) this.#queueTokens(tokens)
    else if (this.#isCut(this.#watch, tokens, isOver)) return
    if (beginning !== undefined) {
      const { usage = {} } = this.#stopOf(undefined)
      // Replaced tokens count as sampled.
      const unreadTokens = given.length - tokens.length + (usage.unreadTokens ?? 0)
      this.#enqueue({ type: 'usage', usage: { ...usage, unreadTokens } })
      this.#finish({ type: 'host', tokens: beginning })
    }
    this.#isStopped ||= isOver
  }

  /** Queues the tokens that are certain. Returns whether a stop string ends the call. */
  #isCut(watch: StopWatch, tokens: readonly HarmonyToken[], isOver: boolean): boolean {
    const certain: HarmonyToken[] = []
    let found: Omit<Watched, 'certain'> = {}
    for (const token of tokens) {
      const watched = watch.push(token)
      for (const token of watched.certain) certain.push(token)
      found = watched
      if (watched.cut !== undefined) break
    }
    if (found.cut === undefined && isOver) for (const token of watch.release()) certain.push(token)
    return this.#queueWatched({ ...found, certain })
  }

  /**
   * Returns whether a stop string ends the call.
   *
   * @param stop - how the call ended; default: it is closed
   */
  #queueWatched({ certain, cut, string = '' }: Watched, stop?: StopEntry): boolean {
    this.#queueTokens(certain)
    // One entry: a process that resumed between two would let the model continue.
    if (cut !== undefined) {
      this.#last = () => {
        this.#onStop(string)
        this.#finish(this.#cutOf(cut, stop ?? this.#stopOf(undefined)))
      }
    }
    return cut !== undefined
  }

  /** Counts hidden tokens as sampled: the stop string, and the engine's tokens after it. */
  #cutOf(tokens: readonly number[], { usage = {} }: StopEntry): ChunkEntry {
    const putCount = this.#fold.sampled - this.#before + tokens.length
    const unreadTokens = this.#given - putCount + (usage.unreadTokens ?? 0)
    const cutUsage = { ...usage, ...(unreadTokens !== 0 && { unreadTokens }) }
    return { type: 'chunk', tokens, ...(Object.keys(cutUsage).length > 0 && { usage: cutUsage }) }
  }

  /** Queues the tokens of one engine step, one by one if the turn may end after any of them. */
  #queueTokens(tokens: readonly HarmonyToken[]): void {
    if (tokens.length === 0) return
    if (!this.#hasOneCall) this.#enqueue({ type: 'chunk', tokens })
    else for (const token of tokens) this.#enqueue({ type: 'chunk', tokens: [token] })
  }

  #enqueue(entry: EntryBody): void {
    if (this.#next === undefined) this.#next = entry
    else {
      this.#later ??= []
      this.#later.push(entry)
    }
  }

  #dequeue(): EntryBody | undefined {
    const entry = this.#next
    this.#next = this.#later?.shift()
    return entry
  }

  #doLast(last: () => void): void {
    this.#last = undefined
    last()
  }

  #finish(last: EntryBody): void {
    this.#enqueue(last)
    this.#isStopped = true
    this.#isOver = true
  }

  /** Continues or ends the turn after a stop of the engine. */
  #afterStop(stop: StopEntry): void {
    this.#isOver = true
    if (this.#call.writes === 'name' || this.#fold.stage === 'stopped') this.#enqueue({ ...stop, reason: 'stop' })
    else if (stop.usage !== undefined) this.#enqueue({ type: 'usage', usage: stop.usage })
  }
}
