import { check } from '../errors.js'
import type { HarmonyEvent, HarmonyHeader, Origin, Terminator } from '../harmony/events.js'
import { createHarmonyParser, type HarmonyParser } from '../harmony/parser.js'
import { FIRST_SPECIAL, SPECIAL } from '../harmony/vocabulary.js'
import { classifyRecipient } from '../recipients/classify.js'
import { type DeclaredTools, declareTools, toolNamed } from '../recipients/declared-tools.js'
import { type RecipientPolicy, resolvePolicy } from '../recipients/policy.js'
import { type Recipient, recipientKey } from '../recipients/recipient.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { ResponseRequest } from '../responses/request.js'
import type { Response, ResponseError } from '../responses/response.js'
import type { EndReason, HarmonyToken, HostUsage, ScoredToken, TokenChunk } from '../tokens/token-source.js'
import { checkHost, checkId, checkScored, isTokenList } from './check-chunk.js'
import type { NoticeCode } from './diagnostics.js'
import type { Effects, Item } from './items/item.js'
import { LOGPROBS, logprobsOf } from './logprobs.js'
import { hintsOf, listingsOf } from './mcp-listing.js'
import { checkOptions, checkReason, checkUsage, REASONING, type TranslatorOptions } from './options.js'
import { Output } from './output.js'
import { createPages } from './pages.js'
import { plainCopy } from './plain-copy.js'
import { logMessage, type MessageLog, messagesOf } from './response-messages.js'
import { responseOf } from './response-object.js'
import { Sequencer } from './sequencer.js'
import { appendText, createTextBuffer, textOf } from './text-buffer.js'
import { checkResult, type ToolResult } from './tool-result.js'
import type { Tracer } from './tracer.js'
import {
  checkSnapshot,
  type OtherMessage,
  type TranslatorSnapshot,
  type TranslatorState,
} from './translator-snapshot.js'
import {
  addHostUsage,
  countMessage,
  countText,
  countToken,
  createUsage,
  startMessage,
  startTurn,
  uncountMessage,
  usageOf,
} from './usage.js'
import { echoable } from './without-secrets.js'

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
  readonly #policy: RecipientPolicy
  readonly #include: ReadonlySet<string>
  readonly #sequencer: Sequencer
  readonly #output: Output
  readonly #tracer: Tracer | undefined
  readonly #parser: HarmonyParser
  readonly #inputMessages: unknown[]

  /** What closes a message that nothing ended. */
  #atTurnEnd: 'completed' | 'incomplete' = 'completed'
  /** The number of the token or text chunk with which the last message began. */
  #startedAt = -1

  /**
   * @throws HarmonyResponsesError `bad_option`, where an option or an entry of `request.tools` is not what it must be
   */
  constructor(options: TranslatorOptions, snapshot?: TranslatorSnapshot) {
    checkOptions(options)
    const {
      calls,
      clock,
      ids,
      inputMessages = [],
      mcpListings = [],
      policy,
      responseId,
      tokenTable,
      trace,
      usage = {},
    } = options
    const request = echoable(options.request ?? {})
    const listings = listingsOf(mcpListings)
    this.#inputMessages = plainCopy('inputMessages', [...inputMessages])
    this.#options = options
    this.#state = snapshot?.state ?? {
      createdAt: Math.floor(clock()),
      progress: { status: 'in_progress', completedAt: null, error: null, incompleteReason: null },
      isStarted: false,
      request,
      listings,
      containerId: null,
      other: null,
      usage: createUsage(),
      pages: createPages(),
      messages: request.enable_response_messages === true ? [] : null,
      index: -1,
      queued: [],
    }
    if (snapshot === undefined) addHostUsage(this.#state.usage, usage)
    const { index } = this.#state
    this.#tools = declareTools(this.#state.request.tools, hintsOf(this.#state.listings))
    this.#policy = resolvePolicy(policy)
    this.#include = new Set(this.#state.request.include ?? [])
    this.#sequencer = new Sequencer(snapshot?.responseId ?? responseId, ids, snapshot?.sequencer)
    this.#output = new Output(this.#effects(), calls === 'whole', snapshot?.output)
    this.#tracer = trace?.({ tokenTable, index, deltaFrom: snapshot?.deltaFrom ?? -1 })
    const sink = (event: HarmonyEvent): void => this.#onHarmony(event)
    this.#parser =
      options.parser?.(sink) ??
      createHarmonyParser({ tokenTable, toolNamed: (word) => toolNamed(word, this.#tools) }, sink, snapshot?.parser)
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
    checkHost(prefill)
    checkUsage('beginTurn', usage)
    this.#begin()
    this.#parser.beginTurn()
    startTurn(this.#state.usage)
    addHostUsage(this.#state.usage, usage)
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
    if (!this.#state.isStarted) this.#begin()
    if (typeof chunk === 'number') this.#pushToken(checkId(chunk))
    else if (typeof chunk === 'string') this.#pushText(chunk, 'model')
    else if (chunk instanceof Uint32Array) for (const id of chunk) this.#pushToken(id)
    else if (isTokenList(chunk)) this.#pushTokens(chunk)
    else if (chunk !== null && typeof chunk === 'object' && 'host' in chunk) this.#pushHost(checkHost(chunk.host))
    else this.#pushScored(checkScored(chunk))
    return this.#take()
  }

  /**
   * The result of a hosted call, where it did not come as a message in the transcript.
   *
   * @throws HarmonyResponsesError `translator_closed`; `unknown_item` where no such item was streamed;
   *   `item_takes_no_result` where it is not for the host to answer; `bad_result` where it says nothing
   */
  toolResult(result: ToolResult): ResponseStreamEvent[] {
    this.#expectOpen('toolResult')
    checkResult(result)
    const item = this.#hostedCall(result.itemId)
    // A result for a call that is still being written means that the engine swallowed its <|call|>.
    if (item === this.#output.current) this.#parser.end()
    if (item.stage === 'waiting') this.#output.settle(item, structuredClone(result))
    else this.#notice('second_result', item.id)
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
    this.#atTurnEnd = reason === 'stop' ? 'completed' : 'incomplete'
    // The host's last result counts though the host did not end it, and is nothing that the model was cut off in.
    const isHosts = this.#state.other?.origin === 'host'
    if (isHosts) this.#parser.end()
    // Calls that wait stand before the message that may still be open: results are closed in the order of their items.
    this.#giveUpWaiting()
    const position = this.#parser.end()
    this.#giveUpWaiting()
    const cutBy = reason ?? (position === 'between' ? 'stop' : 'max_output_tokens')
    this.#state.progress =
      cutBy === 'stop'
        ? { ...this.#state.progress, status: 'completed', completedAt: Math.floor(this.#options.clock()) }
        : { ...this.#state.progress, status: 'incomplete', incompleteReason: cutBy }
    this.#writeLifecycle(cutBy === 'stop' ? 'response.completed' : 'response.incomplete')
    return this.#take()
  }

  /**
   * The engine failed: `error`, then `response.failed`. What was streamed stands incomplete.
   *
   * @param error - `code` as the API's, default `server_error`; a code of the host's own goes through
   */
  fail(error: { readonly code?: string; readonly message: string }): ResponseStreamEvent[] {
    if (this.#isClosed()) return []
    this.#begin()
    const { code = 'server_error', message } = error
    this.#flushAll()
    const sequence_number = this.#sequencer.sequenceNumber()
    this.#write({ type: 'error', sequence_number, error: { type: code, code, message, param: null } })
    return this.#fail({ code: code as ResponseError['code'], message })
  }

  /** The client went away, or the host gave up: `response.failed` alone, with the message `aborted` by default. */
  abort(message = 'aborted'): ResponseStreamEvent[] {
    if (this.#isClosed()) return []
    this.#begin()
    this.#flushAll()
    return this.#fail({ code: 'server_error', message })
  }

  /** The response as of now, a detached value. After the terminal event it equals that event's. */
  get response(): Response {
    const { status } = this.#state.progress
    const { messages, usage } = this.#state
    const { usageByTurn } = this.#options
    return responseOf(this.#sequencer.responseId, this.#state.createdAt, this.#state.progress, this.#state.request, {
      output: this.#output.wire(),
      usage: status === 'completed' || status === 'incomplete' ? usageOf(usage, usageByTurn === true) : null,
      ...(messages === null ? {} : this.#messagesOf(messages)),
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
    addHostUsage(this.#state.usage, usage)
  }

  /**
   * The whole state as plain JSON, between any two pushes. It holds the request without its MCP servers' secrets.
   *
   * @throws HarmonyResponsesError `snapshot_unsupported` with a foreign parser
   */
  snapshot(): TranslatorSnapshot {
    return structuredClone({
      version: 1,
      responseId: this.#sequencer.responseId,
      state: this.#state,
      sequencer: this.#sequencer.snapshot(),
      parser: this.#parser.snapshot(),
      output: this.#output.snapshot(),
      deltaFrom: this.#tracer?.deltaFrom ?? -1,
    } satisfies TranslatorSnapshot)
  }

  // What comes in

  #begin(): void {
    if (this.#state.isStarted) return
    this.#state.isStarted = true
    this.#writeLifecycle('response.created')
    this.#writeLifecycle('response.in_progress')
    const { approvedCalls = [] } = this.#options
    for (const listing of this.#state.listings) this.#output.insert({ kind: 'mcp_list_tools', listing })
    for (const { approvalRequestId, serverLabel, name, arguments: text } of approvedCalls) {
      this.#output.begin({ kind: 'mcp_call', serverLabel, name, available: true, approvalRequestId })
      this.#output.write(text)
      this.#output.end(this.#output.current as Item, 'completed')
    }
  }

  #pushToken(id: number): void {
    countToken(this.#state.usage)
    this.#pushId(id, 'model')
    if (id === SPECIAL.start) startMessage(this.#state.usage)
  }

  #pushId(id: number, origin: Origin): void {
    this.#state.index++
    if (this.#tracer === undefined) this.#parser.push(id, origin)
    else this.#tracer.token(this.#state.index, id, origin, this.#parser, () => this.#output.gathered)
  }

  #pushTokens(tokens: readonly HarmonyToken[]): void {
    // Checked as a whole before the first is taken, so that a bad list changes nothing.
    for (const token of tokens) typeof token === 'number' ? checkId(token) : checkScored(token)
    for (const token of tokens) typeof token === 'number' ? this.#pushToken(token) : this.#pushScored(token)
  }

  #pushScored(token: ScoredToken): void {
    if (token.id < FIRST_SPECIAL && this.#include.has(LOGPROBS))
      this.#output.score(logprobsOf(token, this.#options.tokenTable))
    this.#pushToken(token.id)
  }

  #pushText(text: string, origin: Origin): void {
    if (text === '') return
    this.#state.index++
    if (origin === 'model') countText(this.#state.usage)
    if (this.#tracer === undefined) this.#parser.pushText(text, origin)
    else this.#tracer.text(this.#state.index, text, origin, this.#parser, () => this.#output.gathered)
  }

  #pushHost(host: readonly number[] | Uint32Array | string): void {
    if (host.length > 0) this.#state.usage.isNext = true
    if (typeof host === 'string') this.#pushText(host, 'host')
    else for (const id of host) this.#pushId(id, 'host')
  }

  // What the parser tells

  #onHarmony(event: HarmonyEvent): void {
    this.#tracer?.harmony(event)
    if (this.#state.messages !== null) logMessage(this.#state.messages, event)
    switch (event.type) {
      case 'message_text':
        // Text with the very token that began the message was in what seemed to be its header.
        if (this.#output.current !== null) this.#output.write(event.text, this.#startedAt === this.#state.index)
        else if (this.#state.other !== null) appendText(this.#state.other.text, event.text)
        break
      case 'message_start':
        this.#startedAt = this.#state.index
        if (event.header.role === 'assistant') this.#startItem(event.header)
        else this.#startOther(event.header, event.origin)
        break
      case 'message_end':
        if (this.#output.current !== null) this.#endItem(this.#output.current, event.terminator, event.origin)
        else if (this.#state.other !== null) this.#endOther(this.#state.other, event.terminator, event.origin)
        break
      case 'repair':
        this.#options.onDiagnostic?.({ ...event.repair, index: this.#state.index })
    }
  }

  #startItem(header: HarmonyHeader): void {
    const recipient = this.#recipientOf(header.recipient, header.channel)
    if (recipient.kind === 'function_call' && !recipient.declared) this.#notice('undeclared_recipient', recipient.name)
    this.#output.begin(recipient)
  }

  #recipientOf(recipient: string | undefined, channel: string | undefined): Recipient {
    return classifyRecipient(recipient, channel, this.#tools, this.#policy)
  }

  #endItem(item: Item, terminator: Terminator, origin: Origin): void {
    countMessage(this.#state.usage, item.type === 'reasoning', aheadOf(terminator, origin))
    this.#output.end(item, terminator === 'turn' ? this.#atTurnEnd : 'completed')
  }

  #giveUpWaiting(): void {
    for (const item of this.#output.calls('waiting')) this.#output.settle(item, null)
  }

  /** The item of a hosted call, for a result. */
  #hostedCall(id: string): Item {
    const item = this.#output.find(id)
    const expected = 'the id of a hosted call'
    check(item !== undefined, 'toolResult', expected, id, 'unknown_item')
    check(this.#output.takesResult(item), 'toolResult', expected, `${item.type} ${id}`, 'item_takes_no_result')
    return item
  }

  // Messages of others

  #startOther(header: HarmonyHeader, origin: Origin): void {
    const role = header.role as OtherMessage['role']
    this.#state.other = { role, author: header.name ?? role, origin, text: createTextBuffer() }
  }

  #endOther(other: OtherMessage, terminator: Terminator, origin: Origin): void {
    const ahead = aheadOf(terminator, origin)
    this.#state.other = null
    if (other.origin === 'model') {
      if (other.role !== 'tool' || this.#options.trustToolMessages !== true) {
        countMessage(this.#state.usage, false, ahead)
        this.#notice('fabricated_message', other.author, textOf(other.text))
        return
      }
      uncountMessage(this.#state.usage, ahead)
    }
    if (other.role === 'tool') this.#takeToolMessage(other)
  }

  /** Completes the oldest waiting call of the tool that speaks; of any, where the message names none. */
  #takeToolMessage({ author, text }: OtherMessage): void {
    const callee = this.#recipientOf(author, undefined)
    const key = recipientKey(callee)
    const isAnybody = author === 'tool'
    const isCalled = (call: Item): boolean => isAnybody || call.callee === key || isNamed(call, author)
    const item = this.#output.calls('waiting').find(isCalled)
    const answered = this.#output.calls('done').find(isCalled)
    if (item !== undefined) this.#output.settle(item, { output: textOf(text) })
    else if (answered !== undefined) this.#notice('second_result', answered.id)
    // What the client ran comes back in the transcript too, and is no news.
    else if (isAnybody || isHosted(callee)) this.#notice('result_without_call', author)
  }

  // What goes out

  #effects(): Effects {
    const { citations, reasoning = 'raw', sealReasoning } = this.#options
    return {
      sequencer: this.#sequencer,
      reasoning: REASONING[reasoning],
      seal: sealReasoning,
      cite: citations,
      pages: this.#state.pages,
      write: (event) => this.#write(event),
      tell: ({ id, outputIndex }, type, fields) => {
        const about = {
          type,
          sequence_number: this.#sequencer.sequenceNumber(),
          item_id: id,
          output_index: outputIndex,
        }
        this.#write({ ...about, ...fields } as ResponseStreamEvent)
      },
      containerId: (tool) => this.#container(tool),
      includes: (what) => this.#include.has(what),
      notice: (code, subject, text) => this.#notice(code, subject, text),
    }
  }

  /** Nothing more will come: what is held back goes out as it is. */
  #flushAll(): void {
    this.#parser.flush()
    this.#output.release()
  }

  #take(): ResponseStreamEvent[] {
    this.#output.flush()
    const events = this.#state.queued
    this.#state.queued = []
    return events
  }

  #write(event: ResponseStreamEvent): void {
    this.#state.queued.push(event)
    this.#tracer?.event(event, this.#parser, this.#output.isHolding)
  }

  #writeLifecycle(type: Extract<ResponseStreamEvent, { response: Response }>['type']): void {
    this.#write({ type, sequence_number: this.#sequencer.sequenceNumber(), response: this.response })
  }

  /** They come with the terminal event, as vLLM's do. */
  #messagesOf(messages: MessageLog): Pick<Response, 'input_messages' | 'output_messages'> {
    if (!this.#isClosed()) return { input_messages: null, output_messages: null }
    return { input_messages: structuredClone(this.#inputMessages), output_messages: messagesOf(messages) }
  }

  #fail(error: ResponseError): ResponseStreamEvent[] {
    this.#output.abandon()
    this.#state.progress = { ...this.#state.progress, status: 'failed', error }
    this.#writeLifecycle('response.failed')
    return this.#take()
  }

  #container(tool: 'code_interpreter' | 'shell'): string {
    const given = this.#options.containerId ?? requestedContainer(this.#state.request, tool)
    if (given !== undefined) return given
    this.#state.containerId ??= this.#sequencer.id('cntr')
    return this.#state.containerId
  }

  #isClosed(): boolean {
    return this.#state.progress.status !== 'in_progress'
  }

  #expectOpen(method: string): void {
    check(!this.#isClosed(), method, 'an open response', this.#state.progress.status, 'translator_closed')
  }

  #notice(code: NoticeCode, subject: string, text?: string): void {
    const dropped = text === undefined || text === '' ? {} : { text }
    this.#options.onDiagnostic?.({ code, subject, index: this.#state.index, ...dropped })
  }
}

/** Tokens counted so far that belong to the next message: the marker of the model that began it. */
function aheadOf(terminator: Terminator, origin: Origin): 0 | 1 {
  return terminator === 'implicit' && origin === 'model' ? 1 : 0
}

/** Whether the host runs what is addressed so. */
function isHosted(callee: Recipient): boolean {
  const { kind, environment } = callee as { kind: string; environment?: string }
  return environment === 'container' || /^(mcp_approval_request|(mcp|code_interpreter|web_search)_call)$/.test(kind)
}

/** Whether an MCP call is of the tool that a message says it is from. An approved call need not be to a declared server. */
function isNamed(item: Item, author: string): boolean {
  return item.type === 'mcp_call' && `${item.serverLabel}.${item.name}` === author.replace(/^mcp\./, '')
}

/** The container that the request names for a tool, if it names one. */
function requestedContainer({ tools }: ResponseRequest, of: string): string | undefined {
  for (const tool of tools ?? []) {
    const { type, container, environment } = tool as { [field: string]: unknown }
    const { container_id } = Object(environment) as { container_id?: unknown }
    const id = container_id ?? container
    if (type === of && typeof id === 'string') return id
  }
  return undefined
}
