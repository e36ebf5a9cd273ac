import { check } from '../errors.js'
import type { Origin } from '../harmony/events.js'
import type { HarmonyHandler } from '../harmony/handler.js'
import { createNativeParser, type HarmonyParser } from '../harmony/parser.js'
import { FIRST_SPECIAL, SPECIAL, specialNames } from '../harmony/vocabulary.js'
import { type DeclaredTools, declareTools, toolNamed } from '../recipients/declared-tools.js'
import { resolvePolicy } from '../recipients/policy.js'
import { unknownToolTypes } from '../recipients/tool-types.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response, ResponseError, ResponseStatus } from '../responses/response.js'
import type { EndReason, HarmonyToken, HostMessage, HostTokens, HostUsage, TokenChunk } from '../tokens/token-source.js'
import { callHost } from './call-host.js'
import { checkHost, checkHostTokens, checkToken } from './check-chunk.js'
import { copyOf } from './copy-of.js'
import { type Failure, reportOf, toldOf } from './failure.js'
import { NONE } from './grown-list.js'
import type { HostItem } from './host-item.js'
import { TranslatorContext } from './item-context.js'
import type { Item } from './items/item.js'
import { LOGPROBS, scoredToken } from './logprobs.js'
import { hintsOf, listingsOf } from './mcp-listing.js'
import { MessageRouter } from './message-router.js'
import { checkOptions, checkReason, checkUsage, type TranslatorOptions } from './options.js'
import { OutputItems } from './output-items.js'
import { plainCopy } from './plain-copy.js'
import { messagesOf } from './response-messages.js'
import { IN_PROGRESS, type ResponseProgress, responseOf } from './response-object.js'
import { ResultPairing } from './result-pairing.js'
import { checkResult, type ToolResult } from './tool-result.js'
import type { TracedState, Tracer } from './tracer.js'
import { checkSnapshot, sealSnapshot, type TranslatorSnapshot, type TranslatorState } from './translator-snapshot.js'
import {
  addHostUsage,
  countText,
  countToken,
  createUsage,
  isSampled,
  startMessage,
  startTurn,
  usageOf,
} from './usage.js'
import { withoutSecrets } from './without-secrets.js'

/** A model call of the response, as the host knows it. */
export interface Turn {
  /** Tokens of this call's prompt. */
  readonly inputTokens?: number
  /** Those of them that the engine had in its cache. */
  readonly cachedTokens?: number
  /** What the host put behind `<|start|>assistant` for the model to go on with. It is in no item and no usage. */
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
  readonly #tools: DeclaredTools
  readonly #context: TranslatorContext
  readonly #output: OutputItems
  readonly #tracer: Tracer | undefined
  /** What the parser reports to, and what reads a host's message past the parser. */
  readonly #handler: HarmonyHandler
  readonly #results: ResultPairing
  readonly #parser: HarmonyParser
  readonly #inputMessages: unknown[] | undefined
  /** Whether probabilities are asked for. */
  readonly #isScored: boolean

  /**
   * @throws HarmonyResponsesError `bad_option`, where an option or an entry of `request.tools` is not what it must be
   */
  constructor(options: TranslatorOptions, snapshot?: TranslatorSnapshot) {
    checkOptions(options)
    const { responseId, tokenTable } = options
    const request = withoutSecrets(options.request ?? {})
    const listings = listingsOf(options.mcpListings ?? [])
    this.#inputMessages = options.inputMessages && plainCopy('inputMessages', [...options.inputMessages])
    this.#options = options
    this.#state = snapshot?.state ?? {
      responseId,
      createdAt: this.#now(),
      progress: IN_PROGRESS,
      isStarted: false,
      request,
      listings,
      containerId: null,
      other: null,
      isMarked: false,
      usage: createUsage(),
      pages: null,
      messages: options.responseMessages === true && request.enable_response_messages === true ? [] : null,
      sequenceNumber: 0,
      ordinal: 0,
      index: -1,
      queued: NONE,
    }
    if (snapshot === undefined) addHostUsage(this.#state.usage, options.usage ?? {})
    this.#tools = declareTools(this.#state.request.tools, hintsOf(this.#state.listings))
    const policy = resolvePolicy(options.policy, options.mcpApproval)
    const isTraced = options.trace !== undefined
    this.#context = new TranslatorContext(this.#state, options, isTraced ? (event) => this.#trace(event) : undefined)
    this.#isScored = this.#context.includes(LOGPROBS)
    this.#output = new OutputItems(this.#context, options.calls === 'whole', snapshot?.output)
    this.#tracer = options.trace?.({
      tokenTable,
      index: this.#state.index,
      deltaFrom: snapshot?.deltaFrom ?? -1,
      onError: options.onError,
    })
    const recipients = { tools: this.#tools, policy, labels: this.#approvedLabels() }
    this.#results = new ResultPairing(this.#output, this.#context, recipients)
    const router = new MessageRouter({
      state: this.#state,
      options,
      recipients,
      context: this.#context,
      output: this.#output,
      results: this.#results,
    })
    this.#handler = this.#tracer?.observe(router) ?? router
    this.#parser =
      options.parser?.(this.#handler) ??
      createNativeParser(
        { tokenTable, toolNamed: (word) => toolNamed(word, this.#tools) },
        this.#handler,
        snapshot?.parser,
      )
  }

  /**
   * Continues exactly where `snapshot()` was taken, in this process or another: no event is lost or repeated, and ids
   * go on as they would have.
   *
   * @param options - as for the first translator; `responseId` and `request` are the snapshot's
   * @throws HarmonyResponsesError `bad_snapshot` where it is none of this version; `snapshot_unsupported` where the
   *   options bring another parser
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
   * the first call, nor where the host pushes the transcript's own `<|start|>assistant`.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_chunk`, `bad_option` where the
   *   prefill or a count is none
   */
  beginTurn(turn: Turn = {}): void {
    const { prefill = '', ...usage } = turn
    this.#expectOpen('beginTurn')
    checkHostTokens(prefill)
    checkUsage('beginTurn', usage)
    this.#begin()
    this.#parser.beginTurn()
    this.#output.forgetHeader()
    startTurn(this.#state.usage)
    this.#count(usage)
    this.#state.isMarked ||= prefill.length > 0
    this.#pushHost(prefill)
  }

  /**
   * Takes what the model sampled, or what the host put into the transcript.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_chunk` where it is no chunk;
   *   `token_table_missing` where token ids come and the translator has no table
   */
  push(chunk: TokenChunk): ResponseStreamEvent[] {
    this.#expectOpen('push')
    this.#begin()
    if (typeof chunk === 'string') this.#pushText(chunk, 'model')
    else if (chunk instanceof Uint32Array) for (const id of chunk) this.#pushToken(id)
    else if (Array.isArray(chunk)) {
      // Checked as a whole before the first is taken, so that a bad list changes nothing.
      for (const token of chunk) checkToken(token)
      for (const token of chunk as readonly HarmonyToken[]) this.#pushToken(token)
    } else if (chunk !== null && typeof chunk === 'object' && 'host' in chunk) this.#pushHost(checkHost(chunk.host))
    else {
      checkToken(chunk)
      this.#pushToken(chunk as HarmonyToken)
    }
    return this.#take()
  }

  /**
   * The result of a hosted call, where it does not come as a message in the transcript; or both at once, where
   * `transcript` is that message. Nothing in `transcript` answers a call, so that it may be in any order and form.
   *
   * @throws HarmonyResponsesError `translator_closed`; `unknown_item` where no such item was streamed;
   *   `item_takes_no_result` where it is not for the host to answer; `bad_result` where it says nothing
   */
  toolResult(result: ToolResult): ResponseStreamEvent[] {
    this.#expectOpen('toolResult')
    const { transcript = '', ...said } = Object(result) as ToolResult
    const told = checkResult(said)
    checkHost(transcript)
    const id = told.itemId
    const item = this.#output.calls.find(id)
    const expected = 'the id of a hosted call'
    check(item !== undefined, 'toolResult', expected, id, 'unknown_item')
    check(this.#output.takesResult(item), 'toolResult', expected, `${item.type} ${id}`, 'item_takes_no_result')
    // A result for a call that is still being written means that the engine swallowed its <|call|>.
    if (item === this.#output.current) this.#parser.end()
    if (item.stage === 'waiting') this.#output.resolve(item, told)
    else this.#context.notice('second_result', item.id)
    if (result.transcript !== undefined) this.#pushTranscript(transcript)
    return this.#take()
  }

  /**
   * Puts an item of the host's own into the output, whole: a compaction, a file search, an image, a message. It is
   * announced and done at once, behind the items that began before it, with the events that its type has on the wire.
   *
   * @param host - `hostItem(item)` of `harmony-responses/items`
   * @throws HarmonyResponsesError `translator_closed`; `bad_option` where it is none, or has the id of another item
   */
  insert(host: HostItem): ResponseStreamEvent[] {
    this.#expectOpen('insert')
    const { whole, events } = Object(host) as Partial<HostItem>
    check(Array.isArray(events) && typeof whole?.type === 'string', 'insert', 'hostItem(item)', host)
    const { id } = whole
    check(id === undefined || this.#output.calls.find(id) === undefined, 'insert: id', 'an id of its own', id)
    this.#begin()
    this.#output.insert({ kind: 'host_item', host })
    return this.#take()
  }

  /**
   * The model has stopped.
   *
   * @param reason - why; without one, a stop inside a message or a header means that the token limit cut it
   * @returns the last events; none if the response is closed already
   * @throws HarmonyResponsesError `bad_option` where the reason is none that the API knows
   */
  end(reason?: EndReason): ResponseStreamEvent[] {
    checkReason(reason)
    if (this.#isClosed()) return []
    this.#begin()
    const isCut = reason !== 'stop'
    // The host's last result counts though the host did not end it, and is nothing that the model was cut off in.
    this.#endOther()
    // Calls that wait stand before the message that may still be open: results are closed in the order of their items.
    this.#output.giveUpWaiting()
    const position = this.#parser.end(isCut)
    // Nobody owes a result to a call that was cut off.
    this.#output.giveUpWaiting(!isCut)
    this.#noticeSilence()
    const cutBy = reason ?? (position === 'between' ? 'stop' : 'max_output_tokens')
    return cutBy === 'stop'
      ? this.#close({ status: 'completed', completedAt: this.#now() })
      : this.#close({ status: 'incomplete', incompleteReason: cutBy })
  }

  /**
   * The engine failed: `error`, then `response.failed`. What was streamed stands incomplete. Never throws.
   *
   * @param failure - what the client is told: a text, or `{ code, message }`, where `code` is the API's (default
   *   `server_error`) or the host's own. Of an `Error` it is told the text of an `EngineError` only; `onError` gets it.
   */
  fail(failure: Failure | Error | string): ResponseStreamEvent[] {
    if (this.#isClosed()) return []
    const report = reportOf(failure)
    if (report === undefined) callHost(this.#options.onError, failure)
    return this.#fail(report ?? toldOf(failure), this.#options.errorEvent !== false)
  }

  /**
   * The client went away, or the host gave up: `response.failed` alone, with the message `aborted` by default. Never
   * throws.
   */
  abort(message?: string): ResponseStreamEvent[] {
    if (this.#isClosed()) return []
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
    const { progress, usage } = this.#state
    const messages = this.#options.responseMessages === true ? this.#state.messages : null
    const isCounted = progress.status === 'completed' || progress.status === 'incomplete'
    // They come with the terminal event, as vLLM's do.
    const isOpen = !this.#isClosed()
    return responseOf(this.#state, this.#options.store === true, {
      output: this.#output.wire(),
      usage: isCounted ? usageOf(usage, this.#options.usageByTurn === true) : null,
      ...(messages && {
        input_messages: isOpen ? null : copyOf(this.#inputMessages ?? []),
        output_messages: isOpen ? null : messagesOf(messages),
      }),
    })
  }

  /**
   * Token counts that the host learns only when the engine is done.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_option` where a count is none
   */
  addUsage(usage: HostUsage): void {
    this.#expectOpen('addUsage')
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

  // What comes in

  #begin(): void {
    if (this.#state.isStarted) return
    this.#state.isStarted = true
    this.#writeLifecycle('created')
    this.#writeLifecycle('in_progress')
    this.#noticeRequest()
    for (const listing of this.#state.listings) this.#output.insert({ kind: 'mcp_list_tools', listing })
    for (const { arguments: text, ...call } of this.#options.approvedCalls ?? []) {
      this.#output.begin({ ...call, kind: 'mcp_call', available: true })
      this.#output.write(text)
      this.#output.end(this.#output.current as Item, 'completed')
    }
  }

  /** What of the request and the options comes to nothing, or may be misspelled. */
  #noticeRequest(): void {
    for (const type of unknownToolTypes(this.#state.request.tools ?? []))
      this.#context.notice('unknown_tool_type', type)
    const labels = [...this.#state.listings.map(({ serverLabel }) => serverLabel), ...this.#approvedLabels()]
    for (const label of new Set(labels)) {
      if (!this.#tools.mcpServers.has(label)) this.#context.notice('undeclared_server', label)
    }
  }

  /** What every engine that works gives at least: tokens, and special ones among them. */
  #noticeSilence(): void {
    const { usage, isMarked } = this.#state
    if (!isSampled(usage)) {
      // What the host inserted may be all that was wanted.
      if (this.#output.wire().length === 0) this.#context.notice('nothing_sampled', '')
    } else if (!isMarked) this.#context.notice('missing_markers', '')
  }

  /** Counts of the host's. */
  #count(usage: HostUsage): void {
    if (addHostUsage(this.#state.usage, usage)) this.#context.notice('repeated_count', 'inputTokens')
  }

  /** The servers of the approved calls, which need not be declared. */
  #approvedLabels(): string[] {
    return [...new Set(this.#options.approvedCalls?.map(({ serverLabel }) => serverLabel))]
  }

  #pushToken(token: HarmonyToken): void {
    const id = typeof token === 'number' ? token : token.id
    const isText = id < FIRST_SPECIAL
    // Of what the model writes in another's name nothing is shown.
    const isScored = this.#isScored && isText && this.#state.other === null
    if (isScored) this.#output.score(scoredToken(token, this.#options.tokenTable))
    countToken(this.#state.usage)
    this.#pass(id, 'model')
    if (!isText) this.#passedMarker(id)
  }

  #passedMarker(id: number): void {
    this.#state.isMarked = true
    if (id === SPECIAL.startoftext || !specialNames.has(id)) this.#output.breakHeader()
    else this.#output.forgetHeader()
    if (id === SPECIAL.start) startMessage(this.#state.usage)
  }

  #pass(chunk: number | string, origin: Origin): void {
    this.#state.index++
    const tracer = this.#tracer
    tracer?.before(this.#state.index, chunk, origin, this.#tracedState())
    if (typeof chunk === 'number') this.#parser.push(chunk, origin)
    else this.#parser.pushText(chunk, origin)
    tracer?.after(this.#tracedState())
  }

  #tracedState(): TracedState {
    const { position, isHolding } = this.#parser
    return { position, isHolding, gathered: this.#output.gathered }
  }

  #pushText(text: string, origin: Origin): void {
    if (text === '') return
    if (origin === 'model') {
      // Engines that give ids as text begin with <|channel|>, or with what comes in its place.
      if (this.#state.index < 0 && /^20[01]\d{3}$/.test(text)) this.#context.notice('spelled_ids', text)
      countText(this.#state.usage)
      // A marker has a bar in it, however it is cut.
      this.#state.isMarked ||= text.includes('|')
    }
    this.#pass(text, origin)
    // Among tokens with probabilities it is a gap: those before it are let go.
    this.#output.forgetHeader()
  }

  #pushHost(host: HostTokens['host']): void {
    if ((host as string).length === 0) return
    this.#state.usage.isNext = true
    if (typeof host === 'string') this.#pushText(host, 'host')
    else if ('author' in host) this.#pushMessage(host)
    else for (const id of host) this.#pass(id, 'host')
    this.#output.forgetHeader()
  }

  /** The messages of a result that its call has. What the model samples next is a turn. */
  #pushTranscript(transcript: HostTokens['host']): void {
    // What the host left open before is a result of its own.
    this.#endOther()
    this.#results.whilePaused(() => {
      this.#pushHost(transcript)
      this.#endOther()
    })
    if (this.#parser.position === 'between') this.#parser.beginTurn()
  }

  /** Ends the message that the host left open. */
  #endOther(): void {
    if (this.#state.other?.origin === 'host') this.#parser.end()
  }

  /** A tool's whole message. No parser reads its text, so nothing in it can be a marker. */
  #pushMessage({ author, text, channel = 'commentary' }: HostMessage): void {
    const origin = 'host'
    this.#state.index++
    this.#tracer?.before(this.#state.index, text, origin, this.#tracedState())
    // The engine may have swallowed what ended the model's message.
    this.#parser.end()
    this.#handler.messageStart({ role: 'tool', name: author, recipient: 'assistant', channel }, origin)
    if (text !== '') this.#handler.messageText(text, origin, false)
    this.#handler.messageEnd('end', origin, false)
    this.#parser.beginTurn()
    this.#tracer?.after(this.#tracedState())
  }

  // What goes out

  #trace(event: ResponseStreamEvent): void {
    this.#attempt(() => this.#tracer?.event(event, this.#parser, this.#output.isHolding))
  }

  #take(): ResponseStreamEvent[] {
    this.#output.flush()
    const { queued } = this.#state
    if (queued.length === 0) return []
    this.#state.queued = NONE
    return queued as ResponseStreamEvent[]
  }

  #writeLifecycle(stage: 'created' | ResponseStatus): void {
    this.#context.emit({ type: `response.${stage}`, sequence_number: this.#context.next(), response: this.response })
  }

  #fail({ code = 'server_error', message }: Failure, isTold: boolean): ResponseStreamEvent[] {
    this.#attempt(() => this.#begin())
    // Nothing more will come: what is held back goes out as it is.
    this.#attempt(() => this.#parser.flush())
    this.#attempt(() => this.#output.release())
    if (isTold) {
      this.#context.emit({
        type: 'error',
        sequence_number: this.#context.next(),
        error: { type: code, code, message, param: null },
      })
    }
    this.#output.abandon()
    return this.#close({ status: 'failed', error: { code: code as ResponseError['code'], message } })
  }

  /** A response must be able to fail where the host's callbacks throw: one of them may be what it fails at. */
  #attempt(step: () => void): void {
    try {
      step()
    } catch (error) {
      callHost(this.#options.onError, error)
    }
  }

  /** Nothing comes after its terminal event. */
  #close(progress: Partial<ResponseProgress> & Pick<ResponseProgress, 'status'>): ResponseStreamEvent[] {
    this.#state.progress = { ...this.#state.progress, ...progress }
    this.dispose()
    this.#writeLifecycle(progress.status)
    return this.#take()
  }

  #now(): number {
    const now = this.#options.clock()
    // In milliseconds it would be the year 5138 or later.
    check(Number.isFinite(now) && Math.abs(now) < 1e11, 'clock', 'unix time in seconds', now)
    return Math.floor(now)
  }

  #isClosed(): boolean {
    return this.#state.progress.status !== 'in_progress'
  }

  #expectOpen(method: string): void {
    if (this.#isClosed()) check(false, method, 'an open response', this.#state.progress.status, 'translator_closed')
  }
}
