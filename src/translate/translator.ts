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
import { createState, type TranslatorState } from './translator-state.js'
import { addHostUsage, startTurn } from './usage.js'

/** A model call of the response, as the host knows it. */
export interface Turn {
  /** Tokens of this call's prompt. */
  readonly inputTokens?: number
  /** Those of them that the engine had in its cache. */
  readonly cachedTokens?: number
  /** What the host put after `<|start|>assistant` for the model to go on with. It is in no item and no usage. */
  readonly prefill?: readonly number[] | string
}

/**
 * One response, pushed: Harmony tokens in, Responses events out, with no promise in between. `translate()` is the same
 * thing pulled.
 *
 * Every method returns the events that its argument gave, in order; each is a detached value. The terminal event comes
 * from {@link end}, {@link fail} or {@link abort} alone, never from `<|return|>`.
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
   * @throws HarmonyResponsesError `bad_option`, if an option or an entry of `request.tools` is not what it must be
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
    const router = new MessageRouter({ state, options, recipients, context, output, results })
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
    this.#lifecycle = new Lifecycle(state, options, context, output)
    this.#tracer = tracer
    this.#parser = parser
    this.#feed = new TokenFeed({ state, tokenTable, context, output, results, parser, handler, tracer })
    this.#open = () => emitOpening(state, options, tools, context, output)
  }

  /**
   * Continues exactly where `snapshot()` was taken, in this process or another: no event is lost or repeated, and ids
   * go on as they would have.
   *
   * @param options - as for the first translator; `responseId` and `request` are the snapshot's
   * @throws HarmonyResponsesError `bad_snapshot` if it is not a complete snapshot of this version;
   *   `snapshot_unsupported` if the options bring another parser
   */
  static restore(snapshot: TranslatorSnapshot, options: TranslatorOptions): Translator {
    return new Translator(options, checkSnapshot(snapshot, options))
  }

  /** `response.created` and `response.in_progress`, the first time; the first push implies it. */
  start(): ResponseStreamEvent[] {
    this.#begin()
    return this.#take()
  }

  /**
   * The model is called (again). A message it left open is complete: engines swallow the stop token. Not needed for
   * the first call, nor if the host pushes the transcript's own `<|start|>assistant`.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_chunk`, `bad_option` if the
   *   prefill or a count is not one
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
   * Takes what the model sampled, or what the host put into the transcript.
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
      // All of them are checked before the first is taken, so that a bad list changes nothing.
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
   * The result of a hosted call, if it does not come as a message in the transcript; or both at once, if `transcript`
   * is that message. Nothing in `transcript` answers a call, so it may be in any order and form.
   *
   * @throws HarmonyResponsesError `translator_closed`; `unknown_item` if no such item was streamed;
   *   `item_takes_no_result` if it is not for the host to answer; `bad_result` if it says nothing
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
    // A result for a call that is still being written means that the engine swallowed its <|call|>.
    if (item === this.#output.current) this.#parser.end()
    if (item.stage === 'waiting') this.#output.resolve(item, checked)
    else this.#context.notice('second_result', item.id)
    if (result.transcript !== undefined) this.#feed.pushTranscript(transcript)
    return this.#take()
  }

  /**
   * Puts a complete item of the host's own into the output: a compaction, a file search, an image, a message. It is
   * announced and done at once, after the items that began before it, with the events that its type has on the wire.
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
   * The model has stopped.
   *
   * @param reason - why; without one, a stop inside a message or a header means that the token limit cut it
   * @returns the last events; none if the response is closed already
   * @throws HarmonyResponsesError `bad_option` if the API does not know the reason
   */
  end(reason?: EndReason): ResponseStreamEvent[] {
    checkReason(reason)
    if (this.#lifecycle.isClosed) return []
    this.#begin()
    const isCut = reason !== 'stop'
    // The host's last result counts though the host did not end it, and the model was not cut off in it.
    this.#feed.endHostMessage()
    // Calls that wait stand before the message that may still be open: results are closed in the order of their items.
    this.#output.giveUpWaiting()
    const position = this.#parser.end(isCut)
    // Nobody owes a result to a call that was cut off.
    this.#output.giveUpWaiting(!isCut)
    this.#feed.noticeSilence()
    const cutBy = reason ?? (position === 'between' ? 'stop' : 'max_output_tokens')
    return cutBy === 'stop'
      ? this.#close({ status: 'completed', completedAt: readClock(this.#options.clock) })
      : this.#close({ status: 'incomplete', incompleteReason: cutBy })
  }

  /**
   * The engine failed: `error`, then `response.failed`. What was streamed stands incomplete. Never throws.
   *
   * @param failure - what the client is told: a text, or `{ code, message }`, where `code` is the API's (default
   *   `server_error`) or the host's own. Of an `Error` it is told the text of an `EngineError` only; `onError` gets it.
   */
  fail(failure: Failure | Error | string): ResponseStreamEvent[] {
    if (this.#lifecycle.isClosed) return []
    const report = hostFailure(failure)
    if (report === undefined) callHost(this.#options.onError, failure)
    return this.#fail(report ?? clientFailure(failure), this.#options.errorEvent !== false)
  }

  /**
   * The client went away, or the host gave up: `response.failed` alone, with the message `aborted` by default. Never
   * throws.
   */
  abort(message?: string): ResponseStreamEvent[] {
    if (this.#lifecycle.isClosed) return []
    return this.#fail({ message: typeof message === 'string' ? message : 'aborted' }, false)
  }

  /**
   * Nobody wants the rest: lets go of what the parser holds (the official one holds wasm memory). The terminal event
   * does so by itself. Never throws.
   */
  dispose(): void {
    this.#attempt(() => this.#parser.close?.())
  }

  /** The response as of now, a detached value. After the terminal event it equals that event's. */
  get response(): Response {
    return this.#lifecycle.response
  }

  /**
   * Token counts that the host learns only when the engine is done.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_option` if a count is not one
   */
  addUsage(usage: HostUsage): void {
    this.#lifecycle.expectOpen('addUsage')
    checkUsage('addUsage', usage)
    this.#count(usage)
  }

  /**
   * The whole state as plain JSON, between any two pushes. Of the request it holds what is echoed and what steers the
   * stream, without secrets.
   *
   * @throws HarmonyResponsesError `snapshot_unsupported` with a foreign parser
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
    this.#state.queued = []
    return events
  }

  #fail({ code = 'server_error', message }: Failure, isReported: boolean): ResponseStreamEvent[] {
    this.#attempt(() => this.#begin())
    // Nothing more will come: what is held back goes out as it is.
    this.#attempt(() => this.#parser.flush())
    this.#attempt(() => this.#output.release())
    if (isReported) this.#lifecycle.emitError({ code, message })
    this.#output.abandon()
    return this.#close({ status: 'failed', error: { code: code as ResponseError['code'], message } })
  }

  #close(progress: Partial<ResponseProgress> & Pick<ResponseProgress, 'status'>): ResponseStreamEvent[] {
    this.dispose()
    this.#lifecycle.close(progress)
    return this.#take()
  }

  #trace(event: ResponseStreamEvent): void {
    this.#attempt(() => this.#tracer?.event(event, this.#parser, this.#output.isHolding))
  }

  /** A response must be able to fail when the host's callbacks throw: one of them may be why it fails. */
  #attempt(step: () => void): void {
    try {
      step()
    } catch (error) {
      callHost(this.#options.onError, error)
    }
  }
}
