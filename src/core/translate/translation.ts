import { callSafely } from '../../shared/call-safely.js'
import { CurrentItem } from '../completion/current-item.js'
import { ABORTED, type Failure } from '../completion/failure.js'
import { Lifecycle } from '../completion/lifecycle.js'
import { OutputItems } from '../completion/output-items.js'
import { ResultPairing } from '../completion/result-pairing.js'
import { createNativeParser, type HarmonyParser } from '../harmony/parser.js'
import { checkReason } from '../options/check-reason.js'
import { checkUsage } from '../options/check-translate-options.js'
import type { TranslatorOptions } from '../options/options.js'
import { readClock } from '../options/read-clock.js'
import { type DeclaredTools, toolNamed } from '../recipients/declared-tools.js'
import { isAnswerJson } from '../recipients/format-classifier.js'
import { unknownToolTypes } from '../response-object/tool-fields.js'
import { addHostUsage } from '../response-object/usage.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response, ResponseError } from '../responses/response.js'
import { TranslatorContext } from '../state/translator-context.js'
import { createState, NO_EVENTS, type TranslatorState } from '../state/translator-state.js'
import type { EndReason, HarmonyToken, HostUsage, TokenChunk } from '../tokens/token-source.js'
import type { Tracer } from '../trace/tracer.js'
import { checkHost, checkToken } from './check-chunk.js'
import { InventedTurn } from './invented-turn.js'
import { MessageRouter } from './message-router.js'
import { type ResolveTools, resolveToolsOf } from './resolve-tools.js'
import { TokenFeed } from './token-feed.js'
import type { TranslatorSnapshot } from './translator-snapshot.js'

type Ending = Parameters<Lifecycle['close']>[0]

/**
 * A response under construction: its parts, and the steps that both sides need. The pulling side uses it directly;
 * {@link Translator} adds the operations of a host that pushes.
 */
export class Translation {
  readonly state: TranslatorState
  readonly context: TranslatorContext
  readonly output: OutputItems
  readonly current: CurrentItem
  readonly results: ResultPairing
  readonly lifecycle: Lifecycle
  readonly parser: HarmonyParser
  readonly invented: InventedTurn
  readonly feed: TokenFeed
  readonly tracer: Tracer | undefined
  readonly #options: TranslatorOptions
  /** Emits the part before the model's first token. */
  readonly #open: () => void

  /**
   * @param options - checked
   * @throws HarmonyResponsesError `bad_option`, if an entry of `request.tools` is invalid
   */
  constructor(options: TranslatorOptions, snapshot?: TranslatorSnapshot, resolveTools: ResolveTools = resolveToolsOf) {
    const { tokenTable, approvedCalls = [], onError } = options
    const state = snapshot?.state ?? createState(options)
    const { policy, declared, classify } = resolveTools(state.request, state.listings, options)
    const onEvent = options.trace && ((event: ResponseStreamEvent) => this.#trace(event))
    const context = new TranslatorContext(state, options, onEvent)
    const output = new OutputItems(context, snapshot?.output.items)
    const current = new CurrentItem(context, output, options.calls === 'whole', snapshot?.output)
    const labels = [...new Set(approvedCalls.map(({ serverLabel }) => serverLabel))]
    // Without what only prompts need: there are thousands of translators.
    const recipients = { policy, declared, classify, labels }
    const results = new ResultPairing(output, context, recipients)
    const invented = new InventedTurn(context)
    const router = new MessageRouter(context, recipients, current, results, invented)
    const tracer = options.trace?.({
      tokenTable,
      index: state.index,
      deltaFrom: snapshot?.deltaFrom ?? -1,
      onError,
    })
    const handler = tracer?.observe(router) ?? router
    const parser =
      options.parser?.(handler) ??
      createNativeParser(
        {
          tokenTable,
          toolNamed: (word) => toolNamed(word, declared),
          needsChannel: isAnswerJson(state.request),
        },
        handler,
        snapshot?.parser,
      )
    this.state = state
    this.context = context
    this.output = output
    this.current = current
    this.results = results
    this.lifecycle = new Lifecycle(context, output)
    this.parser = parser
    this.invented = invented
    this.feed = new TokenFeed(context, output, current, parser, handler, tracer, invented)
    this.tracer = tracer
    this.#options = options
    this.#open = () => emitOpening(context, declared, output, current)
  }

  get response(): Response {
    return this.lifecycle.response
  }

  /** Emits `created`, `in_progress` and the opening on the first call. */
  begin(): void {
    if (this.lifecycle.begin()) this.#open()
  }

  queue(): ResponseStreamEvent[] {
    this.lifecycle.expectOpen('queue')
    this.lifecycle.queue()
    return this.take()
  }

  start(): ResponseStreamEvent[] {
    this.begin()
    return this.take()
  }

  push(chunk: TokenChunk): ResponseStreamEvent[] {
    this.lifecycle.expectOpen('push')
    this.begin()
    if (typeof chunk === 'string') this.feed.pushText(chunk, 'model')
    else if (chunk instanceof Uint32Array) for (const id of chunk) this.feed.push(id)
    else if (Array.isArray(chunk)) {
      // All are checked before the first is used, so that an invalid list changes nothing.
      for (const token of chunk) checkToken(token)
      for (const token of chunk as readonly HarmonyToken[]) this.feed.push(token)
    } else if (typeof chunk === 'object' && chunk !== null && 'host' in chunk) {
      this.feed.pushHost(checkHost(chunk.host))
    } else {
      checkToken(chunk)
      this.feed.push(chunk as HarmonyToken)
    }
    return this.take()
  }

  end(reason?: EndReason): ResponseStreamEvent[] {
    checkReason(reason)
    if (this.lifecycle.isClosed) return []
    this.begin()
    // Completes a host message that was left open: its result counts, and the model was not cut off in it.
    this.feed.endHostMessage()
    // Waiting calls precede a message that may still be open, and items have to be closed in order.
    this.results.giveUp()
    this.parser.flush()
    const isCut = reason === undefined ? this.parser.position !== 'between' : reason !== 'stop'
    const position = this.parser.end(isCut)
    this.invented.end()
    // A call that was cut off just now expects no result.
    this.results.giveUp(!isCut)
    this.feed.noticeSilence()
    const cutBy = reason ?? (position === 'between' ? 'stop' : 'max_output_tokens')
    return cutBy === 'stop'
      ? this.#close({ status: 'completed', completedAt: readClock(this.#options.clock) })
      : this.#close({ status: 'incomplete', incompleteReason: cutBy })
  }

  /** @param isReported - whether `error` precedes `response.failed` */
  fail(
    { code = 'server_error', message }: Failure,
    isReported: boolean = this.#options.errorEvent !== false,
  ): ResponseStreamEvent[] {
    return this.#giveUp({ status: 'failed', error: { code: code as ResponseError['code'], message } }, () => {
      if (isReported) this.lifecycle.emitError({ code, message })
    })
  }

  abort(message: string = ABORTED.message): ResponseStreamEvent[] {
    return this.fail({ message }, false)
  }

  cancel(): ResponseStreamEvent[] {
    return this.#giveUp({ status: 'cancelled' })
  }

  dispose(): void {
    this.#attempt(() => this.parser.close?.())
  }

  addUsage(usage: HostUsage): void {
    this.lifecycle.expectOpen('addUsage')
    checkUsage('addUsage', usage)
    this.count(usage)
  }

  count(usage: HostUsage): void {
    if (addHostUsage(this.state.usage, usage)) this.context.notice('repeated_count', 'inputTokens')
  }

  /** Takes the events that were emitted since the last call. */
  take(): ResponseStreamEvent[] {
    this.current.flush()
    const events = this.state.queued
    if (events.length === 0) return []
    this.state.queued = NO_EVENTS
    return events
  }

  /**
   * Closes the response in the middle of its output: open items stay incomplete.
   *
   * @param report - emits what precedes the terminal event
   */
  #giveUp(ending: Ending, report = (): void => {}): ResponseStreamEvent[] {
    if (this.lifecycle.isClosed) return []
    this.#attempt(() => this.begin())
    // No more text will follow, so held text is emitted as it is.
    this.#attempt(() => this.parser.flush())
    this.#attempt(() => this.parser.settle?.())
    this.#attempt(() => this.current.release())
    this.invented.end()
    report()
    this.output.abandon()
    this.current.abandon()
    return this.#close(ending)
  }

  #close(ending: Ending): ResponseStreamEvent[] {
    // Closed first, so that a callback that hears of a failing dispose finds the response closed.
    this.lifecycle.close(ending)
    this.dispose()
    return this.take()
  }

  #trace(event: ResponseStreamEvent): void {
    this.#attempt(() => this.tracer?.event(event, this.parser, this.current.isHolding))
  }

  /** Keeps exceptions of the host's callbacks from stopping a failure: one of them may be its cause. */
  #attempt(step: () => void): void {
    try {
      step()
    } catch (error) {
      callSafely(this.#options.onError, error)
    }
  }
}

/** Emits the part before the model's first token: diagnostics about the request, listings and approved calls. */
function emitOpening(
  context: TranslatorContext,
  tools: DeclaredTools,
  output: OutputItems,
  current: CurrentItem,
): void {
  const { request, listings } = context.state
  const { approvedCalls = [] } = context.options
  for (const type of unknownToolTypes(request.tools ?? [])) context.notice('unknown_tool_type', type)
  for (const label of new Set([...listings, ...approvedCalls].map(({ serverLabel }) => serverLabel))) {
    if (!tools.mcpServers.has(label)) context.notice('undeclared_server', label)
  }
  for (const listing of listings) output.insert({ kind: 'mcp_list_tools', listing })
  for (const { arguments: text, ...call } of approvedCalls) {
    current.begin({ ...call, kind: 'mcp_call', available: true })
    if (text !== '') current.write(text)
    current.end('completed')
  }
}
