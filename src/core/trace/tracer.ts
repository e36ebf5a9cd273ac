import { callSafely } from '../../shared/call-safely.js'
import type { HarmonyEvent, Origin } from '../harmony/events.js'
import type { HarmonyHandler } from '../harmony/handler.js'
import type { HarmonyParser, ParserPosition } from '../harmony/parser.js'
import { FIRST_SPECIAL } from '../harmony/vocabulary.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import { clampLogprob, spellToken } from '../text/logprobs.js'
import type { ScoredToken } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { HarmonyRecord, TokenRecord } from './record.js'

/**
 * An event or a token with its origin, for timelines and for conservation tests. Indexes count every pushed token from
 * 0; a text chunk counts as one.
 */
export type Trace =
  | TokenRecord
  | HarmonyRecord
  /** The translator emitted an event. */
  | {
      readonly type: 'event'
      /** The first and the last token that the event came from; both -1 for events before the first token. */
      readonly from: number
      readonly to: number
      readonly event: ResponseStreamEvent
    }

/** What a tracer is told of a chunk besides its text or id. */
export interface TracedChunk {
  /** The token, if it has a log-probability. */
  readonly scored?: ScoredToken
  /** The tool whose whole message the host pushed. */
  readonly author?: string
}

/** A translator's state for a tracer: whether the parser holds input back, and how much text is pending. */
export interface TracedState {
  /** The parser's place in the stream. */
  readonly position: ParserPosition
  /** Whether the parser holds input back: half a character, or the beginning of a possible marker. */
  readonly isHolding: boolean
  /** Length of the pending text in UTF-16 units. */
  readonly pendingLength: number
}

/** Observes a translator without changing it. Created by `traceTo` of `harmony-responses/trace`. */
export interface Tracer {
  /** The first token of the delta that is not complete yet, for snapshots. */
  readonly deltaFrom: number
  /** Called before a token or a text chunk is parsed. */
  before(index: number, chunk: number | string, origin: Origin, state: TracedState, about?: TracedChunk): void
  /** Called after it was parsed. */
  after(state: TracedState): void
  /** Wraps a handler to observe the parser's calls to it. */
  observe(handler: HarmonyHandler): HarmonyHandler
  /** @param isHeld - whether text of the last token is held back because a citation mark may begin in it */
  event(event: ResponseStreamEvent, parser: Pick<HarmonyParser, 'isHolding'>, isHeld: boolean): void
}

/** Creates a tracer for one translator, new or restored from a snapshot. */
export type TracerFactory = (start: {
  readonly tokenTable: TokenTable | undefined
  readonly index: number
  readonly deltaFrom: number
  /** The host's `onError`, for errors of its callbacks. */
  readonly onError: ((error: unknown) => void) | undefined
}) => Tracer

/**
 * Follows every token to its events: `new Translator({ trace: traceTo((trace) => console.log(trace)) })`. In a subpath
 * of its own, so that tracing costs nothing unless it is imported.
 *
 * @example
 * ```ts
 * import { loadTokenTable, Translator } from 'harmony-responses'
 * import { traceTo } from 'harmony-responses/trace'
 *
 * const trace = traceTo((step) => {
 *   if (step.type === 'event') console.log(`tokens ${step.from} to ${step.to}: ${step.event.type}`)
 * })
 * const translator = new Translator({ request, tokenTable: await loadTokenTable(), trace })
 * send(translator.push(ids))
 * ```
 */
export function traceTo(report: (trace: Trace) => void): TracerFactory {
  return (start) => new TokenTracer(report, start)
}

class TokenTracer implements Tracer {
  readonly #report: (trace: Trace) => void
  readonly #table: TokenTable | undefined
  /** The last token. */
  #index: number
  /** The first token of the pending delta, or -1. */
  #deltaFrom: number
  /** The token in which an incomplete character or a possible marker began. */
  #carryFrom: number
  /** Whether the message of the pending text has ended: the next token starts a new delta. */
  #isOver = false
  /** The first token of the header in which a message's text may have begun. */
  #leadFrom = -1
  /** The translator's state before the token. */
  #before: Pick<TracedState, 'isHolding' | 'pendingLength'> = { isHolding: false, pendingLength: 0 }

  constructor(report: (trace: Trace) => void, { tokenTable, index, deltaFrom, onError }: Parameters<TracerFactory>[0]) {
    // An observing callback that throws must not change the stream.
    this.#report = (trace) => {
      callSafely(report, trace, onError)
    }
    this.#table = tokenTable
    this.#index = index
    this.#deltaFrom = deltaFrom
    this.#carryFrom = deltaFrom
  }

  get deltaFrom(): number {
    return this.#deltaFrom
  }

  before(
    index: number,
    chunk: number | string,
    origin: Origin,
    state: TracedState,
    { author, scored }: TracedChunk = {},
  ): void {
    const token = typeof chunk === 'number' ? chunk : null
    const text = typeof chunk === 'number' ? spellToken(chunk, this.#table) : chunk
    const spoken = author === undefined ? {} : { author }
    this.#report({
      ...{ type: 'token', index, token, text, origin, position: state.position },
      ...spoken,
      ...this.#scores(scored),
    })
    const isText = origin === 'model' && (token ?? 0) < FIRST_SPECIAL
    this.#index = index
    if (this.#isOver) this.#deltaFrom = -1
    this.#isOver = false
    if (isText && this.#deltaFrom < 0) this.#deltaFrom = index
    this.#before = state
  }

  #scores({ logprob, topLogprobs }: Partial<ScoredToken> = {}): Pick<TokenRecord, 'logprob' | 'alternatives'> {
    if (logprob === undefined) return {}
    const alternatives = topLogprobs?.map(({ id: token, logprob }) => {
      return { token, text: spellToken(token, this.#table), logprob: clampLogprob(logprob) }
    })
    return { logprob: clampLogprob(logprob), ...(alternatives && { alternatives }) }
  }

  after(state: TracedState): void {
    const { isHolding, pendingLength } = this.#before
    if (state.isHolding && (!isHolding || state.pendingLength > pendingLength)) this.#carryFrom = this.#index
  }

  observe(handler: HarmonyHandler): HarmonyHandler {
    return {
      messageStart: (header, origin) => {
        this.#harmony({ type: 'message_start', header, origin })
        this.#leadFrom = this.#deltaFrom < 0 ? this.#index : this.#deltaFrom
        this.#deltaFrom = -1
        handler.messageStart(header, origin)
      },
      messageText: (text, origin, isLead) => {
        this.#harmony({ type: 'message_text', text, origin })
        // Host text is never in a delta.
        if (origin === 'model' && isLead) this.#deltaFrom = this.#leadFrom
        handler.messageText(text, origin, isLead)
      },
      messageEnd: (terminator, origin, isCut, ahead) => {
        this.#harmony({ type: 'message_end', terminator, origin })
        // A token that ends a host message may also be the first of the text after it.
        this.#isOver = origin === 'model' || this.#deltaFrom !== this.#index
        handler.messageEnd(terminator, origin, isCut, ahead)
      },
      repair: (repair) => handler.repair(repair),
    }
  }

  #harmony(event: HarmonyEvent): void {
    this.#report({ type: 'harmony', index: this.#index, event })
  }

  event(event: ResponseStreamEvent, parser: Pick<HarmonyParser, 'isHolding'>, isHeld: boolean): void {
    const isDelta = event.type.endsWith('.delta') && this.#deltaFrom >= 0
    this.#report({ type: 'event', from: isDelta ? this.#deltaFrom : this.#index, to: this.#index, event })
    if (!isDelta) return
    if (parser.isHolding) this.#deltaFrom = this.#carryFrom
    else if (!isHeld) this.#deltaFrom = -1
  }
}
