import { check } from '../errors.js'
import { createNativeParser, type HarmonyParser } from '../harmony/parser.js'
import { declareTools, toolNamed } from '../recipients/declared-tools.js'
import { resolvePolicy } from '../recipients/policy.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response, ResponseError } from '../responses/response.js'
import type { EndReason, HarmonyToken, HostUsage, TokenChunk } from '../tokens/token-source.js'
import { callHost } from './call-host.js'
import { checkHost, checkHostTokens, checkToken } from './check-chunk.js'
import { clientFailure, type Failure, hostFailure } from './failure.js'
import type { HostItem } from './items/inserted-item.js'
import { Lifecycle } from './lifecycle.js'
import { hintsOf } from './mcp-listing.js'
import { MessageRouter } from './message-router.js'
import { emitOpening } from './opening.js'
import { checkOptions, checkReason, checkUsage, type TranslatorOptions } from './options.js'
import { OutputItems } from './output-items.js'
import { readClock } from './read-clock.js'
import type { ResponseProgress } from './response-object.js'
import { ResultPairing } from './result-pairing.js'
import { TokenFeed } from './token-feed.js'
import { checkResult, type ToolResult } from './tool-result.js'
import type { Tracer } from './tracer.js'
import { TranslatorContext } from './translator-context.js'
import { checkSnapshot, sealSnapshot, type TranslatorSnapshot } from './translator-snapshot.js'
import { createState, NO_EVENTS, type TranslatorState } from './translator-state.js'
import { addHostUsage, startTurn } from './usage.js'

/** What the host knows about one model call of the response. */
export interface Turn {
  /** Tokens of this call's prompt. */
  readonly inputTokens?: number
  /** How many of them came from the engine's cache. */
  readonly cachedTokens?: number
  /** What the host put after `<|start|>assistant` for the model to continue. Appears in no item and no usage. */
  readonly prefill?: readonly number[] | string
}

/**
 * Translates one response synchronously: push Harmony tokens, get Responses events. `translate()` is the same as an
 * async iterator.
 *
 * Every method returns the events that it caused, in order, as detached values. Only {@link end}, {@link fail} and
 * {@link abort} return the terminal event; `<|return|>` does not cause it.
 */
export class Translator {
  readonly #options: TranslatorOptions
  readonly #state: TranslatorState
  readonly #context: TranslatorContext
  readonly #output: OutputItems
  readonly #lifecycle: Lifecycle
  readonly #tracer: Tracer | undefined
  readonly #parser: HarmonyParser
  readonly #feed: TokenFeed
  /** Emits what comes before the model's first token. */
  readonly #open: () => void

  /**
   * @throws HarmonyResponsesError `bad_option`, if an option or an entry of `request.tools` is invalid
   */
  constructor(options: TranslatorOptions, snapshot?: TranslatorSnapshot) {
    checkOptions(options)
    const { tokenTable, approvedCalls = [], onError } = options
    const state = snapshot?.state ?? createState(options)
    const tools = declareTools(state.request.tools, hintsOf(state.listings))
    const onEvent = options.trace && ((event: ResponseStreamEvent) => this.#trace(event))
    const context = new TranslatorContext(state, options, onEvent)
    const output = new OutputItems(context, options.calls === 'whole', snapshot?.output)
    const recipients = {
      tools,
      policy: resolvePolicy(options.policy, options.mcpApproval),
      labels: [...new Set(approvedCalls.map(({ serverLabel }) => serverLabel))],
    }
    const results = new ResultPairing(output, context, recipients)
    const router = new MessageRouter(context, recipients, output, results)
    const tracer = options.trace?.({
      tokenTable,
      index: state.index,
      deltaFrom: snapshot?.deltaFrom ?? -1,
      onError,
    })
    const handler = tracer?.observe(router) ?? router
    const parser =
      options.parser?.(handler) ??
      createNativeParser({ tokenTable, toolNamed: (word) => toolNamed(word, tools) }, handler, snapshot?.parser)
    this.#options = options
    this.#state = state
    this.#context = context
    this.#output = output
    this.#lifecycle = new Lifecycle(context, output)
    this.#tracer = tracer
    this.#parser = parser
    this.#feed = new TokenFeed(context, output, results, parser, handler, tracer)
    this.#open = () => emitOpening(context, tools, output)
  }

  /**
   * Continues exactly where `snapshot()` was taken, in this process or another: no event is lost or repeated, and later
   * ids are the same.
   *
   * @param options - as for the first translator; `responseId` and `request` are the snapshot's
   * @throws HarmonyResponsesError `bad_snapshot` if it is not a complete snapshot of this version;
   *   `snapshot_unsupported` if the options contain a parser
   */
  static restore(snapshot: TranslatorSnapshot, options: TranslatorOptions): Translator {
    return new Translator(options, checkSnapshot(snapshot, options))
  }

  /** Returns `response.created` and `response.in_progress` on the first call. The first push implies it. */
  start(): ResponseStreamEvent[] {
    this.#begin()
    return this.#take()
  }

  /**
   * Marks the start of another model call. Completes a message that is still open, because some engines swallow the
   * stop token. Not needed for the first call, nor if the host pushes the transcript's own `<|start|>assistant`.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_chunk`, `bad_option` if the
   *   prefill or a count is invalid
   */
  beginTurn(turn: Turn = {}): void {
    const { prefill = '', ...usage } = turn
    this.#lifecycle.expectOpen('beginTurn')
    checkHostTokens(prefill)
    checkUsage('beginTurn', usage)
    this.#begin()
    this.#parser.beginTurn()
    this.#output.pending.forgetHeader()
    startTurn(this.#state.usage)
    this.#count(usage)
    this.#state.isMarked ||= prefill.length > 0
    this.#feed.pushHost(prefill)
  }

  /**
   * Translates what the model sampled, or what the host put into the transcript.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_chunk` if it is not a chunk;
   *   `token_table_missing` if token ids come and the translator has no table
   */
  push(chunk: TokenChunk): ResponseStreamEvent[] {
    this.#lifecycle.expectOpen('push')
    this.#begin()
    if (typeof chunk === 'string') this.#feed.pushText(chunk, 'model')
    else if (chunk instanceof Uint32Array) for (const id of chunk) this.#feed.push(id)
    else if (Array.isArray(chunk)) {
      // Check all of them before using the first, so that an invalid list changes nothing.
      for (const token of chunk) checkToken(token)
      for (const token of chunk as readonly HarmonyToken[]) this.#feed.push(token)
    } else if (typeof chunk === 'object' && chunk !== null && 'host' in chunk) {
      this.#feed.pushHost(checkHost(chunk.host))
    } else {
      checkToken(chunk)
      this.#feed.push(chunk as HarmonyToken)
    }
    return this.#take()
  }

  /**
   * Sets the result of a hosted call. Use it if the result does not arrive as a message in the transcript, or pass that
   * message too, as `transcript`. Messages in `transcript` are not matched with calls, so their order and form are
   * free.
   *
   * @throws HarmonyResponsesError `translator_closed`; `unknown_item` if no such item was streamed;
   *   `item_takes_no_result` if the host does not run it; `bad_result` if the result is empty or malformed
   */
  toolResult(result: ToolResult): ResponseStreamEvent[] {
    this.#lifecycle.expectOpen('toolResult')
    const { transcript = '', ...rest } = Object(result) as ToolResult
    const checked = checkResult(rest)
    checkHost(transcript)
    const id = checked.itemId
    const item = this.#output.calls.find(id)
    const expected = 'the id of a hosted call'
    check(item !== undefined, 'toolResult', expected, id, 'unknown_item')
    check(item.callee !== '', 'toolResult', expected, `${item.type} ${id}`, 'item_takes_no_result')
    // A result for a call that is still open means that the engine swallowed its <|call|>.
    if (item === this.#output.current) this.#parser.end()
    if (item.stage === 'waiting') this.#output.resolve(item, checked)
    else this.#context.notice('second_result', item.id)
    if (result.transcript !== undefined) this.#feed.pushTranscript(transcript)
    return this.#take()
  }

  /**
   * Adds a complete item of the host's own to the output: a compaction, a file search, an image, a message. Emits its
   * `added`, the events of its type, and its `done` at once; it follows the items that began before it.
   *
   * @param host - `hostItem(item)` of `harmony-responses/items`
   * @throws HarmonyResponsesError `translator_closed`; `bad_option` if it is not a host item, or has the id of another
   */
  insert(host: HostItem): ResponseStreamEvent[] {
    this.#lifecycle.expectOpen('insert')
    const { whole, events } = Object(host) as Partial<HostItem>
    check(Array.isArray(events) && typeof whole?.type === 'string', 'insert', 'hostItem(item)', host)
    const { id } = whole
    check(id === undefined || this.#output.calls.find(id) === undefined, 'insert: id', 'an unused id', id)
    this.#begin()
    this.#output.insert({ kind: 'host_item', host })
    return this.#take()
  }

  /**
   * Ends the response because the model has stopped.
   *
   * @param reason - why it stopped. Default: `max_output_tokens` inside a message or a header, else `stop`
   * @returns the last events; none if the response is already closed
   * @throws HarmonyResponsesError `bad_option` if the API does not know the reason
   */
  end(reason?: EndReason): ResponseStreamEvent[] {
    checkReason(reason)
    if (this.#lifecycle.isClosed) return []
    this.#begin()
    const isCut = reason !== 'stop'
    // Completes a host message that was left open: its result counts, and the model was not cut off in it.
    this.#feed.endHostMessage()
    // Waiting calls precede a message that may still be open, and items have to be closed in order.
    this.#output.giveUpWaiting()
    const position = this.#parser.end(isCut)
    // A call that was cut off just now expects no result.
    this.#output.giveUpWaiting(!isCut)
    this.#feed.noticeSilence()
    const cutBy = reason ?? (position === 'between' ? 'stop' : 'max_output_tokens')
    return cutBy === 'stop'
      ? this.#close({ status: 'completed', completedAt: readClock(this.#options.clock) })
      : this.#close({ status: 'incomplete', incompleteReason: cutBy })
  }

  /**
   * Fails the response: emits `error`, then `response.failed`. Items that were streamed stay incomplete. Never throws.
   *
   * @param failure - what the client gets to see: a string, or `{ code, message }` with a code of the API's (default
   *   `server_error`) or of the host's own. An `Error` goes to `onError`; the client sees only the text of an
   *   `EngineError`.
   */
  fail(failure: Failure | Error | string): ResponseStreamEvent[] {
    if (this.#lifecycle.isClosed) return []
    const report = hostFailure(failure)
    if (report === undefined) callHost(this.#options.onError, failure)
    return this.#fail(report ?? clientFailure(failure), this.#options.errorEvent !== false)
  }

  /**
   * Ends the response because the client left or the host gave up: emits only `response.failed`, by default with the
   * message `aborted`. Never throws.
   */
  abort(message?: string): ResponseStreamEvent[] {
    if (this.#lifecycle.isClosed) return []
    return this.#fail({ message: typeof message === 'string' ? message : 'aborted' }, false)
  }

  /**
   * Releases what the parser holds (wasm memory of the official one). Call it if you drop a response halfway; the
   * terminal event does so by itself. Never throws.
   */
  dispose(): void {
    this.#attempt(() => this.#parser.close?.())
  }

  /** The response as of now, a detached value. After the terminal event it equals that event's. */
  get response(): Response {
    return this.#lifecycle.response
  }

  /**
   * Adds token counts that the host learns only when the engine is done.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_option` if a count is invalid
   */
  addUsage(usage: HostUsage): void {
    this.#lifecycle.expectOpen('addUsage')
    checkUsage('addUsage', usage)
    this.#count(usage)
  }

  /**
   * Returns the complete state as plain JSON, between any two pushes. It contains only those request fields that are
   * echoed or affect the stream, without secrets.
   *
   * @throws HarmonyResponsesError `snapshot_unsupported` with a custom parser
   */
  snapshot(): TranslatorSnapshot {
    return sealSnapshot({
      state: this.#state,
      parser: this.#parser.snapshot(),
      output: this.#output.snapshot(),
      deltaFrom: this.#tracer?.deltaFrom ?? -1,
    })
  }

  #begin(): void {
    if (this.#lifecycle.begin()) this.#open()
  }

  #count(usage: HostUsage): void {
    if (addHostUsage(this.#state.usage, usage)) this.#context.notice('repeated_count', 'inputTokens')
  }

  #take(): ResponseStreamEvent[] {
    this.#output.flush()
    const events = this.#state.queued
    if (events.length === 0) return []
    this.#state.queued = NO_EVENTS
    return events
  }

  #fail({ code = 'server_error', message }: Failure, isReported: boolean): ResponseStreamEvent[] {
    this.#attempt(() => this.#begin())
    // No more text will come: emit what is held back as it is.
    this.#attempt(() => this.#parser.flush())
    this.#attempt(() => this.#output.release())
    if (isReported) this.#lifecycle.emitError({ code, message })
    this.#output.abandon()
    return this.#close({ status: 'failed', error: { code: code as ResponseError['code'], message } })
  }

  #close(progress: Partial<ResponseProgress> & Pick<ResponseProgress, 'status'>): ResponseStreamEvent[] {
    // First, so that a callback that hears of a failing dispose finds the response closed.
    this.#lifecycle.close(progress)
    this.dispose()
    return this.#take()
  }

  #trace(event: ResponseStreamEvent): void {
    this.#attempt(() => this.#tracer?.event(event, this.#parser, this.#output.isHolding))
  }

  /** Keeps exceptions of the host's callbacks from stopping a failure: one of them may be its cause. */
  #attempt(step: () => void): void {
    try {
      step()
    } catch (error) {
      callHost(this.#options.onError, error)
    }
  }
}
