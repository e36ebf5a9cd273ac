import { HarmonyResponsesError } from '../errors.js'
import type { HarmonyEvent, HarmonyHeader, Origin, Terminator } from '../harmony/events.js'
import { createHarmonyParser, type HarmonyParser, type ParserSnapshot } from '../harmony/parser.js'
import { FIRST_SPECIAL, markerText } from '../harmony/vocabulary.js'
import { classifyRecipient } from '../recipients/classify.js'
import { type DeclaredTools, declareTools, toolNamed } from '../recipients/declared-tools.js'
import { type RecipientPolicy, resolvePolicy } from '../recipients/policy.js'
import { type Recipient, recipientKey } from '../recipients/recipient.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { CodeOutput, Logprob } from '../responses/items.js'
import type { ResponseRequest } from '../responses/request.js'
import type { Response, ResponseError, ResponseStatus } from '../responses/response.js'
import type { EndReason, HarmonyToken, HostUsage, ScoredToken, TokenChunk } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { Diagnostic, NoticeCode } from './diagnostics.js'
import { type CallResult, createItem, type Effects, hasItem, type Item, type ItemType, kindOf } from './items/item.js'
import { checkOptions, describe, type TranslatorOptions } from './options.js'
import { Sequencer, type SequencerSnapshot } from './sequencer.js'
import { responseOf, withoutSecrets } from './snapshot.js'
import { appendText, createTextBuffer, type TextBuffer, textOf } from './text-buffer.js'
import {
  addHostUsage,
  countMessage,
  countToken,
  createUsage,
  type UsageCount,
  uncountMessage,
  usageOf,
} from './usage.js'

/** A model call of the response, as the host knows it. */
export interface Turn {
  /** Tokens of this call's prompt. */
  readonly inputTokens?: number
  /** Those of them that the engine had in its cache. */
  readonly cachedTokens?: number
  /** What the host put behind `<|start|>assistant` for the model to go on with. It is in no item and no usage. */
  readonly prefill?: readonly number[] | string
}

/** What became of a hosted call, by the id of its item. */
export type ToolResult = { readonly itemId: string } & (
  | { readonly output: string }
  | { readonly outputs: readonly CodeOutput[] }
  | { readonly error: { readonly code?: string | number; readonly message: string } }
)

/** A message of somebody other than the assistant, as far as it came. Plain data. */
interface OtherMessage {
  role: 'tool' | 'user' | 'system' | 'developer'
  /** The tool that speaks. */
  author: string
  /** Who wrote it: what the model wrote in another's name is a fabrication, unless it is trusted. */
  origin: Origin
  text: TextBuffer
}

/** The whole state of a {@link Translator}, as plain JSON. Opaque: only `restore` reads it. */
export interface TranslatorSnapshot {
  readonly version: 1
  readonly responseId: string
  readonly createdAt: number
  readonly completedAt: number | null
  readonly status: ResponseStatus
  readonly error: ResponseError | null
  readonly incompleteReason: 'max_output_tokens' | 'content_filter' | null
  readonly isStarted: boolean
  readonly request: ResponseRequest
  readonly containerId: string | null
  readonly sequencer: SequencerSnapshot
  readonly parser: ParserSnapshot
  readonly items: readonly Item[]
  /** The item of the message that the model is writing: its output index, the silent item itself, or null. */
  readonly current: number | Item | null
  readonly other: OtherMessage | null
  readonly usage: UsageCount
  readonly logprobs: readonly Logprob[]
  /** How many tokens or text chunks were pushed. */
  readonly index: number
  /** The first token of a delta that is not whole yet, or -1. */
  readonly deltaFrom: number
  /** Events that were made but not handed out yet. */
  readonly queued: readonly ResponseStreamEvent[]
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
  readonly #request: ResponseRequest
  readonly #tools: DeclaredTools
  readonly #policy: RecipientPolicy
  readonly #include: ReadonlySet<string>
  readonly #table: TokenTable | undefined
  readonly #parser: HarmonyParser
  readonly #sequencer: Sequencer
  readonly #effects: Effects
  readonly #createdAt: number
  readonly #usage: UsageCount
  /** Every announced item, by output index. */
  readonly #items: Item[]

  #status: ResponseStatus = 'in_progress'
  #error: ResponseError | null = null
  #incompleteReason: 'max_output_tokens' | 'content_filter' | null = null
  #completedAt: number | null = null
  #isStarted = false
  #containerId: string | null = null
  /** The item of the message that the model is writing. */
  #current: Item | null = null
  #other: OtherMessage | null = null
  /** Text of the current item that is not in a delta yet: a push gives one delta per part. */
  #text = ''
  #logprobs: Logprob[] = []
  /** What closes a message that nothing ended. */
  #atTurnEnd: 'completed' | 'incomplete' = 'completed'
  #out: ResponseStreamEvent[] = []
  #index = -1
  /** The first token of the delta that is being gathered, or -1. */
  #deltaFrom = -1
  /** The token in which the character began that is not whole yet. Only known while tracing. */
  #carryFrom = -1
  /** The first token of the header that a message's text may have begun in. */
  #leadFrom = -1

  /**
   * @throws HarmonyResponsesError `bad_option`, where an option or an entry of `request.tools` is not what it must be
   */
  constructor(options: TranslatorOptions, snapshot?: TranslatorSnapshot) {
    checkOptions(options)
    this.#options = options
    this.#request = withoutSecrets(snapshot?.request ?? options.request ?? {})
    this.#tools = declareTools(this.#request.tools)
    this.#policy = resolvePolicy(options.policy)
    this.#include = new Set(this.#request.include ?? [])
    this.#table = options.tokenTable
    this.#sequencer = new Sequencer(snapshot?.responseId ?? options.responseId, options.ids, snapshot?.sequencer)
    this.#createdAt = snapshot?.createdAt ?? Math.floor(options.clock())
    this.#usage = createUsage()
    this.#items = []
    const sink = (event: HarmonyEvent): void => this.#onHarmony(event)
    this.#parser =
      options.parser?.(sink) ??
      createHarmonyParser(
        { tokenTable: options.tokenTable, toolNamed: (word) => toolNamed(word, this.#tools) },
        sink,
        snapshot?.parser,
      )
    this.#effects = {
      sequenceNumber: () => this.#sequencer.sequenceNumber(),
      id: (prefix) => this.#sequencer.id(prefix),
      write: (event) => this.#write(event),
      containerId: () => this.#container(),
      includes: (what) => this.#include.has(what),
      notice: (code, subject, text) => this.#notice(code, subject, text),
    }
    if (snapshot === undefined) addHostUsage(this.#usage, options.usage ?? {})
    else this.#resume(snapshot)
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
   * @throws HarmonyResponsesError `translator_closed` after the terminal event
   */
  beginTurn(turn: Turn = {}): void {
    this.#expectOpen('beginTurn')
    this.#begin()
    this.#parser.beginTurn()
    addHostUsage(this.#usage, {
      ...(turn.inputTokens === undefined ? {} : { inputTokens: turn.inputTokens }),
      ...(turn.cachedTokens === undefined ? {} : { cachedTokens: turn.cachedTokens }),
    })
    if (turn.prefill !== undefined) this.#pushHost(turn.prefill)
  }

  /**
   * Takes what the model sampled, or what the host put into the transcript.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_chunk` where it is no chunk;
   *   `token_table_missing` where token ids come and the translator has no table
   */
  push(chunk: TokenChunk): ResponseStreamEvent[] {
    this.#expectOpen('push')
    if (!this.#isStarted) this.#begin()
    if (typeof chunk === 'number') this.#pushToken(checkId(chunk))
    else if (typeof chunk === 'string') this.#pushText(chunk, 'model')
    else if (chunk instanceof Uint32Array) for (const id of chunk) this.#pushToken(id)
    else if (isTokenList(chunk)) this.#pushTokens(chunk)
    else if (chunk !== null && typeof chunk === 'object' && 'host' in chunk) this.#pushHost(chunk.host)
    else this.#pushScored(checkScored(chunk))
    return this.#take()
  }

  /**
   * The result of a hosted call, where it did not come as a message in the transcript.
   *
   * @throws HarmonyResponsesError `translator_closed`; `unknown_item` where no such item was streamed;
   *   `item_takes_no_result` where it is not for the host to answer
   */
  toolResult(result: ToolResult): ResponseStreamEvent[] {
    this.#expectOpen('toolResult')
    const item = this.#items.find(({ id }) => id === result.itemId)
    if (item === undefined) {
      const known = this.#items.filter(({ stage }) => stage === 'waiting').map(({ id }) => id)
      throw new HarmonyResponsesError(
        'unknown_item',
        `toolResult: expected the id of a waiting call (${known.join(', ') || 'none waits'}), got ${describe(result.itemId)}`,
      )
    }
    if (kindOf(item).result !== 'completes') {
      throw new HarmonyResponsesError(
        'item_takes_no_result',
        `toolResult: expected a hosted call, got the ${item.type} ${item.id}, which is not the host's to answer`,
      )
    }
    // A result for a call that is still being written means that the engine swallowed its <|call|>.
    if (item === this.#current) this.#parser.end()
    if (item.stage === 'waiting') this.#settle(item, resultOf(result))
    else this.#notice('second_result', item.id)
    return this.#take()
  }

  /**
   * The model has stopped.
   *
   * @param reason - why; without one, a stop inside a message or a header means that the token limit cut it
   * @returns the last events; none if the response is closed already
   */
  end(reason?: EndReason): ResponseStreamEvent[] {
    if (this.#status !== 'in_progress') return []
    this.#begin()
    this.#atTurnEnd = reason === 'stop' ? 'completed' : 'incomplete'
    // Calls that wait stand before the message that may still be open: results are closed in the order of their items.
    this.#giveUpWaiting()
    const position = this.#parser.end()
    this.#giveUpWaiting()
    const cutBy = reason ?? (position === 'between' ? 'stop' : 'max_output_tokens')
    if (cutBy === 'stop') {
      this.#status = 'completed'
      this.#completedAt = Math.floor(this.#options.clock())
    } else {
      this.#status = 'incomplete'
      this.#incompleteReason = cutBy
    }
    const type = this.#status === 'completed' ? 'response.completed' : 'response.incomplete'
    this.#write({ type, sequence_number: this.#sequencer.sequenceNumber(), response: this.response })
    return this.#take()
  }

  /**
   * The engine failed: `error`, then `response.failed`. What was streamed stands incomplete.
   *
   * @param error - `code` as the API's, default `server_error`; a code of the host's own goes through
   */
  fail(error: { readonly code?: string; readonly message: string }): ResponseStreamEvent[] {
    if (this.#status !== 'in_progress') return []
    this.#begin()
    const code = error.code ?? 'server_error'
    this.#flush()
    this.#write({
      type: 'error',
      sequence_number: this.#sequencer.sequenceNumber(),
      error: { type: code, code, message: error.message, param: null },
    })
    return this.#close({ code: code as ResponseError['code'], message: error.message })
  }

  /** The client went away, or the host gave up: `response.failed` alone, with the message `aborted` by default. */
  abort(message = 'aborted'): ResponseStreamEvent[] {
    if (this.#status !== 'in_progress') return []
    this.#begin()
    this.#flush()
    return this.#close({ code: 'server_error', message })
  }

  /** The response as of now, a detached value. After the terminal event it equals that event's. */
  get response(): Response {
    return responseOf(
      {
        id: this.#sequencer.responseId,
        createdAt: this.#createdAt,
        completedAt: this.#completedAt,
        status: this.#status,
        error: this.#error,
        incompleteReason: this.#incompleteReason,
        output: this.#items.map((item) => kindOf(item).wire(item)),
        usage: this.#status === 'completed' || this.#status === 'incomplete' ? usageOf(this.#usage) : null,
      },
      this.#request,
    )
  }

  /** Token counts that the host learns only when the engine is done. To be told before the end. */
  addUsage(usage: HostUsage): void {
    addHostUsage(this.#usage, usage)
  }

  /**
   * The whole state as plain JSON, between any two pushes. It holds the request without its MCP servers' secrets.
   *
   * @throws HarmonyResponsesError `snapshot_unsupported` with a foreign parser
   */
  snapshot(): TranslatorSnapshot {
    const current = this.#current
    return structuredClone({
      version: 1,
      responseId: this.#sequencer.responseId,
      createdAt: this.#createdAt,
      completedAt: this.#completedAt,
      status: this.#status,
      error: this.#error,
      incompleteReason: this.#incompleteReason,
      isStarted: this.#isStarted,
      request: this.#request,
      containerId: this.#containerId,
      sequencer: this.#sequencer.snapshot(),
      parser: this.#parser.snapshot(),
      items: this.#items,
      current: current === null || current.outputIndex < 0 ? current : current.outputIndex,
      other: this.#other,
      usage: this.#usage,
      logprobs: this.#logprobs,
      index: this.#index,
      deltaFrom: this.#deltaFrom,
      queued: this.#out,
    } satisfies TranslatorSnapshot)
  }

  #resume(snapshot: TranslatorSnapshot): void {
    this.#status = snapshot.status
    this.#error = snapshot.error
    this.#incompleteReason = snapshot.incompleteReason
    this.#completedAt = snapshot.completedAt
    this.#isStarted = snapshot.isStarted
    this.#containerId = snapshot.containerId
    this.#items.push(...snapshot.items)
    this.#current = typeof snapshot.current === 'number' ? (this.#items[snapshot.current] ?? null) : snapshot.current
    this.#other = snapshot.other
    Object.assign(this.#usage, snapshot.usage)
    this.#logprobs = [...snapshot.logprobs]
    this.#index = snapshot.index
    this.#deltaFrom = snapshot.deltaFrom
    this.#out = [...snapshot.queued]
  }

  // What comes in

  #begin(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#write({
      type: 'response.created',
      sequence_number: this.#sequencer.sequenceNumber(),
      response: this.response,
    })
    this.#write({
      type: 'response.in_progress',
      sequence_number: this.#sequencer.sequenceNumber(),
      response: this.response,
    })
  }

  #pushToken(id: number): void {
    this.#index++
    countToken(this.#usage)
    if (this.#deltaFrom < 0 && id < FIRST_SPECIAL) this.#deltaFrom = this.#index
    if (this.#options.onTrace) this.#pushTraced(id)
    else this.#parser.push(id, 'model')
  }

  /** The same, keeping track of the token that a half character began in. */
  #pushTraced(id: number): void {
    this.#traceToken(id, 'model')
    const wasMidCharacter = this.#parser.isMidCharacter
    const before = this.#text.length
    this.#parser.push(id, 'model')
    if (this.#parser.isMidCharacter && (!wasMidCharacter || this.#text.length > before)) this.#carryFrom = this.#index
  }

  #pushTokens(tokens: readonly HarmonyToken[]): void {
    // Checked as a whole before the first is taken, so that a bad list changes nothing.
    for (const token of tokens) typeof token === 'number' ? checkId(token) : checkScored(token)
    for (const token of tokens) typeof token === 'number' ? this.#pushToken(token) : this.#pushScored(token)
  }

  #pushScored(token: ScoredToken): void {
    if (token.id < FIRST_SPECIAL && token.logprob !== undefined && this.#wantsLogprobs()) {
      this.#logprobs.push(this.#logprobOf(token, token.logprob))
    }
    this.#pushToken(token.id)
  }

  #pushText(text: string, origin: Origin): void {
    this.#index++
    if (origin === 'model') {
      this.#usage.isUncounted = true
      if (this.#deltaFrom < 0) this.#deltaFrom = this.#index
    }
    this.#options.onTrace?.({
      type: 'token',
      index: this.#index,
      token: null,
      text,
      origin,
      position: this.#parser.position,
    })
    this.#parser.pushText(text, origin)
  }

  #pushHost(host: readonly number[] | Uint32Array | string): void {
    if (typeof host === 'string') this.#pushText(host, 'host')
    else {
      if (!isTokenList(host) && !(host instanceof Uint32Array)) throw badChunk('host', host)
      for (const id of host) checkId(id)
      for (const id of host) {
        this.#index++
        if (this.#options.onTrace) this.#traceToken(id, 'host')
        this.#parser.push(id, 'host')
      }
    }
  }

  #wantsLogprobs(): boolean {
    return this.#current?.type === 'message' && this.#include.has('message.output_text.logprobs')
  }

  #logprobOf(token: ScoredToken, logprob: number): Logprob {
    const entry = (id: number, value: number): { token: string; logprob: number; bytes: number[] } => ({
      token: this.#spell(id),
      // Impossible tokens are -Infinity to engines, which JSON has no word for; the API says -9999.
      logprob: Math.max(value, LOWEST_LOGPROB),
      bytes: id < FIRST_SPECIAL ? [...(this.#table?.bytes(id) ?? [])] : [],
    })
    return {
      ...entry(token.id, logprob),
      top_logprobs: (token.topLogprobs ?? []).map((top) => entry(top.id, top.logprob)),
    }
  }

  // What the parser tells

  #onHarmony(event: HarmonyEvent): void {
    if (this.#options.onTrace && event.type !== 'repair') {
      this.#options.onTrace({ type: 'harmony', index: this.#index, event })
    }
    switch (event.type) {
      case 'message_text':
        if (this.#current !== null) {
          if (this.#deltaFrom < 0) this.#deltaFrom = this.#leadFrom
          this.#text += event.text
        } else if (this.#other !== null) appendText(this.#other.text, event.text)
        break
      case 'message_start':
        if (event.header.role === 'assistant') this.#startItem(event.header)
        else this.#startOther(event.header, event.origin)
        break
      case 'message_end':
        if (this.#current !== null) this.#endItem(this.#current, event.terminator, event.origin)
        else if (this.#other !== null) this.#endOther(this.#other, event.terminator, event.origin)
        break
      case 'repair':
        this.#tell({ ...event.repair, index: this.#index })
    }
  }

  #startItem(header: HarmonyHeader): void {
    const recipient = this.#recipientOf(header.recipient, header.channel)
    if (recipient.kind === 'function_call' && !recipient.declared) this.#notice('undeclared_recipient', recipient.name)
    const item = createItem(recipient, recipientKey(recipient), this.#effects)
    const kind = kindOf(item)
    this.#current = item
    this.#logprobs = []
    // Text of the header that turned out to be the message's comes with the same token; all other text comes later.
    this.#leadFrom = this.#deltaFrom < 0 ? this.#index : this.#deltaFrom
    this.#deltaFrom = -1
    const isLate = kind.opens === 'terminator' || (this.#options.calls === 'whole' && kind.isRunByClient)
    if (!isLate) this.#announce(item)
  }

  #recipientOf(recipient: string | undefined, channel: string | undefined): Extract<Recipient, { kind: ItemType }> {
    const found = classifyRecipient(recipient, channel, this.#tools, this.#policy)
    if (hasItem(found)) return found
    // A built-in that has no item of its own yet is treated as one that the request does not declare.
    const otherwise = classifyRecipient(recipient, channel, { ...this.#tools, builtins: new Set() }, this.#policy)
    return hasItem(otherwise) ? otherwise : { kind: 'function_call', name: recipient ?? '', declared: false }
  }

  #announce(item: Item): void {
    const kind = kindOf(item)
    item.id = this.#sequencer.id(kind.prefix)
    if ('callId' in item) item.callId = this.#sequencer.id('call')
    item.outputIndex = this.#sequencer.outputIndex()
    this.#items.push(item)
    this.#write({
      type: 'response.output_item.added',
      sequence_number: this.#sequencer.sequenceNumber(),
      output_index: item.outputIndex,
      item: kind.wire(item),
    })
    item.stage = 'writing'
    kind.open(item, this.#effects)
  }

  /** Announces a call whose text is whole: clients add deltas to what was announced, so it is announced empty. */
  #announceWhole(item: Item): void {
    const text = textOf(item.text)
    item.text = createTextBuffer()
    this.#announce(item)
    if (text !== '') kindOf(item).delta(item, text, [], this.#effects)
  }

  #endItem(item: Item, terminator: Terminator, origin: Origin): void {
    const outcome = terminator === 'turn' ? this.#atTurnEnd : 'completed'
    const kind = kindOf(item)
    this.#flush()
    if (outcome === 'completed' && item.stage === 'silent') this.#announceWhole(item)
    this.#current = null
    countMessage(this.#usage, item.type === 'reasoning', aheadOf(terminator, origin))
    if (item.stage === 'silent') this.#noticeCut(item)
    else if (outcome === 'incomplete' && kind.isRunByClient) {
      // Clients run a call at its output_item.done: a cut one must not get there. It stands in the last response only.
      item.status = 'incomplete'
      item.stage = 'cut'
    } else if (kind.close(item, outcome, this.#effects) === 'waiting') item.stage = 'waiting'
    else this.#finish(item)
  }

  #noticeCut(item: Item): void {
    this.#notice('call_cut_off', 'name' in item ? item.name : item.type, textOf(item.text))
  }

  #finish(item: Item): void {
    item.stage = 'done'
    this.#write({
      type: 'response.output_item.done',
      sequence_number: this.#sequencer.sequenceNumber(),
      output_index: item.outputIndex,
      item: kindOf(item).wire(item),
    })
  }

  #settle(item: Item, result: CallResult | null): void {
    kindOf(item).settle(item, result, this.#effects)
    this.#finish(item)
  }

  #giveUpWaiting(): void {
    for (const item of this.#items) if (item.stage === 'waiting') this.#settle(item, null)
  }

  // Messages of others

  #startOther(header: HarmonyHeader, origin: Origin): void {
    const role = header.role as OtherMessage['role']
    this.#other = { role, author: header.name ?? role, origin, text: createTextBuffer() }
  }

  #endOther(other: OtherMessage, terminator: Terminator, origin: Origin): void {
    const ahead = aheadOf(terminator, origin)
    this.#other = null
    if (other.origin === 'model') {
      if (other.role !== 'tool' || this.#options.trustToolMessages !== true) {
        countMessage(this.#usage, false, ahead)
        this.#notice('fabricated_message', other.author, textOf(other.text))
        return
      }
      uncountMessage(this.#usage, ahead)
    }
    if (other.role === 'tool') this.#takeToolMessage(other)
  }

  /** Completes the oldest waiting call of the tool that speaks; of any, where the message names none. */
  #takeToolMessage({ author, text }: OtherMessage): void {
    const callee = this.#recipientOf(author, undefined)
    const key = recipientKey(callee)
    const isAnybody = author === 'tool'
    const item = this.#items.find(({ stage, callee }) => stage === 'waiting' && (isAnybody || callee === key))
    if (item !== undefined) this.#settle(item, { output: textOf(text) })
    // What the client ran comes back in the transcript too, and is no news.
    else if (callee.kind === 'mcp_call' || callee.kind === 'code_interpreter_call' || isAnybody) {
      this.#notice('result_without_call', author)
    }
  }

  // What goes out

  /** Puts the text that has come in into one delta. */
  #flush(): void {
    const item = this.#current
    if (item === null || this.#text === '') return
    const text = this.#text
    this.#text = ''
    if (item.stage === 'silent') appendText(item.text, text)
    else {
      const logprobs = this.#logprobs
      if (logprobs.length > 0) this.#logprobs = []
      kindOf(item).delta(item, text, logprobs, this.#effects)
    }
    this.#deltaFrom = this.#options.onTrace && this.#parser.isMidCharacter ? this.#carryFrom : -1
  }

  #take(): ResponseStreamEvent[] {
    this.#flush()
    const events = this.#out
    this.#out = []
    return events
  }

  #write(event: ResponseStreamEvent): void {
    this.#out.push(event)
    if (this.#options.onTrace) this.#traceEvent(event)
  }

  #close(error: ResponseError): ResponseStreamEvent[] {
    for (const item of this.#items) {
      if (item.stage === 'writing' || item.stage === 'waiting') {
        item.status = 'incomplete'
        item.stage = 'cut'
      }
    }
    if (this.#current?.stage === 'silent') this.#noticeCut(this.#current)
    this.#current = null
    this.#status = 'failed'
    this.#error = error
    this.#write({ type: 'response.failed', sequence_number: this.#sequencer.sequenceNumber(), response: this.response })
    return this.#take()
  }

  #container(): string {
    this.#containerId ??= this.#options.containerId ?? requestedContainer(this.#request) ?? this.#sequencer.id('cntr')
    return this.#containerId
  }

  #expectOpen(method: string): void {
    if (this.#status === 'in_progress') return
    throw new HarmonyResponsesError(
      'translator_closed',
      `${method}: expected an open response, got one that is ${this.#status}`,
    )
  }

  #notice(code: NoticeCode, subject: string, text?: string): void {
    const dropped = text === undefined || text === '' ? {} : { text }
    this.#tell({ code, subject, index: this.#index, ...dropped })
  }

  #tell(diagnostic: Diagnostic): void {
    this.#options.onDiagnostic?.(diagnostic)
  }

  #traceToken(token: number, origin: Origin): void {
    const position = this.#parser.position
    this.#options.onTrace?.({ type: 'token', index: this.#index, token, text: this.#spell(token), origin, position })
  }

  #traceEvent(event: ResponseStreamEvent): void {
    const isDelta = event.type.endsWith('.delta') && this.#deltaFrom >= 0
    this.#options.onTrace?.({ type: 'event', from: isDelta ? this.#deltaFrom : this.#index, to: this.#index, event })
  }

  /** A token's text for people: markers spelled out, half characters as U+FFFD. */
  #spell(id: number): string {
    if (id >= FIRST_SPECIAL) return markerText(id)
    return this.#table?.text(id) ?? new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#table?.bytes(id))
  }
}

const LOWEST_LOGPROB = -9999

/** Tokens counted so far that belong to the next message: the marker of the model that began it. */
function aheadOf(terminator: Terminator, origin: Origin): 0 | 1 {
  return terminator === 'implicit' && origin === 'model' ? 1 : 0
}

function resultOf(result: ToolResult): CallResult {
  if ('error' in result) return { error: result.error }
  return 'outputs' in result ? { outputs: result.outputs } : { output: result.output }
}

/** The container that the request's code interpreter names, if it names one. */
function requestedContainer(request: ResponseRequest): string | undefined {
  for (const tool of request.tools ?? []) {
    const { type, container } = tool as { type: string; container?: unknown }
    if (type === 'code_interpreter' && typeof container === 'string') return container
  }
  return undefined
}

function isTokenList(chunk: unknown): chunk is readonly HarmonyToken[] {
  return Array.isArray(chunk)
}

/** A token id may lie outside the vocabulary, which is the model's doing; but it has to be a whole number. */
function checkId(id: unknown): number {
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0) return id
  throw badChunk('token', id)
}

function checkScored(token: unknown): ScoredToken {
  if (token === null || typeof token !== 'object' || !('id' in token)) throw badChunk('chunk', token)
  checkId(token.id)
  return token as ScoredToken
}

function badChunk(what: string, got: unknown): HarmonyResponsesError {
  return new HarmonyResponsesError(
    'bad_chunk',
    `${what}: expected a token id, an array of them, text or { host }, got ${describe(got)}`,
  )
}

/** A snapshot as a copy of its own, checked. See {@link Translator.restore}. */
export function checkSnapshot(
  snapshot: TranslatorSnapshot,
  options: Pick<TranslatorOptions, 'parser'>,
): TranslatorSnapshot {
  const version: unknown = (snapshot as Partial<TranslatorSnapshot> | null | undefined)?.version
  if (version !== 1) {
    throw new HarmonyResponsesError(
      'bad_snapshot',
      `snapshot: expected one of version 1, got version ${describe(version)}`,
    )
  }
  if (options.parser !== undefined) {
    throw new HarmonyResponsesError('snapshot_unsupported', 'restore: expected the native parser, got another one')
  }
  return structuredClone(snapshot)
}
