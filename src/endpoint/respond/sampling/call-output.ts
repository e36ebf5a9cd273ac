import type { HarmonyToken, HostUsage, StreamEnd } from '../../../core/tokens/token-source.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { EngineStep } from '../../../engines/contract/ask.js'
import type { ChunkEntry, EntryBody, StopEntry } from '../../journal/entry.js'
import type { ResponseFold } from '../../journal/response-fold.js'
import type { Budget } from './budget.js'
import { isContextFull, stopOf } from './call-end.js'
import type { ModelCall } from './model-call.js'
import { hasOneCall } from './next-step.js'
import { type ChunkReader, createChunkReader } from './read-chunks.js'
import type { StopWatch, Watched } from './stop-watch.js'

/** The error with which an engine answered. */
export interface EngineFailure {
  readonly error: unknown
}

export interface CallOutputOptions {
  readonly fold: ResponseFold
  readonly tokenTable: TokenTable
  readonly report: (error: unknown) => void
  /** Called with the stop string that ends an answer. */
  readonly onStop: (string: string) => void
  /** Called if the server of an engine that takes messages has not counted the call's tokens. */
  readonly onEstimate: () => void
  /** Whether the engine is asked again after it has failed with this error, for the rest of the call. */
  readonly isAskedAgain: (error: unknown) => boolean
  /** Called if the engine has failed after it gave a token, even if that was not put. */
  readonly onSampled: () => void
}

/** What one call of the model gives: the entries that follow from the steps of its engine, in order. */
export class CallOutput {
  readonly #fold: ResponseFold
  readonly #report: (error: unknown) => void
  readonly #onStop: CallOutputOptions['onStop']
  readonly #onEstimate: CallOutputOptions['onEstimate']
  readonly #isAskedAgain: CallOutputOptions['isAskedAgain']
  readonly #onSampled: CallOutputOptions['onSampled']
  readonly #call: ModelCall
  /** Whether the turn may end after any token, with its first call. */
  readonly #hasOneCall: boolean
  /** Only if the request has stop strings, and the model is not constrained. */
  readonly #watch: StopWatch | undefined
  readonly #chunks: ChunkReader
  /** The number of the response's tokens when the call began. */
  readonly #before: number
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
  /** Whether the queue contains the call's last tokens, and only its end is still to come. */
  #isStopped = false
  #isOver = false

  constructor(options: CallOutputOptions, call: ModelCall, allowed: Budget) {
    const { fold, tokenTable } = options
    this.#fold = fold
    this.#report = options.report
    this.#onStop = options.onStop
    this.#onEstimate = options.onEstimate
    this.#isAskedAgain = options.isAskedAgain
    this.#onSampled = options.onSampled
    this.#call = call
    this.#hasOneCall = hasOneCall(fold, allowed)
    this.#watch = call.isSearched ? allowed.stops?.watch(fold) : undefined
    this.#chunks = createChunkReader(tokenTable, allowed.capabilities.spellsMarkers === true)
    this.#before = fold.sampled
  }

  /** Whether the model has written something, and may write more. */
  get isWriting(): boolean {
    return !this.#isStopped && this.#fold.sampled !== this.#before
  }

  /** Whether nothing more is read from the engine. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Takes the engine's counts before the end of the call. */
  readonly takeUsage = (usage: HostUsage): void => {
    this.#known = usage
  }

  /** Removes and returns the next entry. */
  next(): EntryBody | undefined {
    const entry = this.#next
    this.#next = this.#later?.shift()
    return entry
  }

  /** Makes the last entries, once all others are put. Returns whether there was something to do. @throws EngineError */
  makeLast(): boolean {
    const last = this.#last
    this.#last = undefined
    last?.()
    return last !== undefined
  }

  /** Ends the call before the engine does, which then reports no more about it. */
  leave(): void {
    this.#leaveWith(this.#stopOf(undefined))
  }

  #leaveWith({ usage }: Pick<StopEntry, 'usage'>): void {
    this.#next = undefined
    this.#later = undefined
    this.#isStopped = true
    this.#isOver = true
    if (usage !== undefined) this.#enqueue({ type: 'usage', usage })
  }

  /** Reads the engine's next step. @throws the error of the engine, if it ends the call */
  read(answer: EngineStep | EngineFailure): void {
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
    if (this.#given > 0) this.#onSampled()
    if (this.#isAskedAgain(error)) {
      // Tokens that a stop string might begin with are sampled again. A server's counts are those of the next call.
      this.#leaveWith(this.#known === undefined ? {} : this.#stopOf(undefined))
      return
    }
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
