import { callSafely } from '../../shared/call-safely.js'
import { check, HarmonyResponsesError } from '../../shared/errors.js'
import { clientFailure, type Failure, hostFailure } from '../completion/failure.js'
import type { HostItem } from '../items/host/inserted-item.js'
import { resultLists } from '../items/kinds.js'
import { checkResult, type ToolResult } from '../items/parts/tool-result.js'
import { checkReason } from '../options/check-reason.js'
import { checkTranslatorOptions, checkUsage } from '../options/check-translate-options.js'
import type { TranslatorOptions } from '../options/options.js'
import { startTurn } from '../response-object/usage.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { OutputItem } from '../responses/items.js'
import type { Response } from '../responses/response.js'
import type { EndReason, HostTokens, HostUsage, TokenChunk } from '../tokens/token-source.js'
import { checkHost, checkHostTokens } from './check-chunk.js'
import type { ResolveTools } from './resolve-tools.js'
import { Translation } from './translation.js'
import { sealSnapshot, type TranslatorSnapshot } from './translator-snapshot.js'

/** The host's facts about one model call of the response. */
export interface Turn {
  /** Tokens of this call's prompt. */
  readonly inputTokens?: number
  /** How many of them came from the engine's cache. */
  readonly cachedTokens?: number
  /**
   * Tokens that the host put after `<|start|>assistant` for the model to continue. They appear in no item and no usage.
   */
  readonly prefill?: readonly number[] | string
}

/**
 * Translates one response synchronously: push Harmony tokens, get Responses events. `translate()` is the same as an
 * async iterator.
 *
 * Every method returns the events that it caused, in order, as detached values. Only {@link end}, {@link fail},
 * {@link abort} and {@link cancel} return the terminal event; `<|return|>` does not cause it. A callback may read
 * {@link response} and {@link output}; any other method that it calls of its own translator throws `reentrant_call`.
 */
export class Translator {
  readonly #options: TranslatorOptions
  readonly #translation: Translation
  /** The method that is running. While it calls a callback, the state is between two steps. */
  #running: string | undefined

  /**
   * @param resolveTools - resolves the tools of the request. Default: each translator does that itself
   * @throws HarmonyResponsesError `bad_option`, if an option or an entry of `request.tools` is invalid
   */
  constructor(options: TranslatorOptions, snapshot?: TranslatorSnapshot, resolveTools?: ResolveTools) {
    checkTranslatorOptions(options)
    this.#translation = new Translation(options, snapshot, resolveTools)
    this.#options = options
  }

  /**
   * Returns `response.created` and `response.queued`, for a response that waits for its turn. It has begun with
   * `response.in_progress`, which {@link start} or whatever comes first then returns.
   *
   * @throws HarmonyResponsesError `bad_option` if the response has begun or is queued; `translator_closed`
   */
  queue(): ResponseStreamEvent[] {
    return this.#run('queue', () => this.#translation.queue())
  }

  /** Returns `response.created` and `response.in_progress` on the first call. The first push implies it. */
  start(): ResponseStreamEvent[] {
    return this.#run('start', () => this.#translation.start())
  }

  /**
   * Marks the start of another model call. Completes a message that is still open, because some engines swallow the
   * stop token. Not needed for the first call, nor if the host pushes the transcript's own `<|start|>assistant`.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_chunk`, `bad_option` if the
   *   prefill or a count is invalid
   */
  beginTurn(turn: Turn = {}): void {
    this.#run('beginTurn', () => {
      const { prefill = '', ...usage } = turn
      const { state, current, lifecycle, parser, feed, invented } = this.#translation
      lifecycle.expectOpen('beginTurn')
      checkHostTokens(prefill)
      checkUsage('beginTurn', usage)
      this.#translation.begin()
      parser.beginTurn()
      invented.end()
      current.pending.forgetHeader()
      startTurn(state.usage)
      this.#translation.count(usage)
      state.isMarked ||= prefill.length > 0
      feed.pushHost(prefill)
    })
  }

  /**
   * Translates tokens that the model sampled or the host added to the transcript.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_chunk` if it is not a chunk;
   * `token_table_missing` for ordinary token ids if the translator has no table
   */
  push(chunk: TokenChunk): ResponseStreamEvent[] {
    // Not by `#run`: a closure for each token costs a tenth of the time of a push.
    this.#enter('push')
    try {
      return this.#translation.push(chunk)
    } finally {
      this.#running = undefined
    }
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
    return this.#run('toolResult', () => {
      const { context, output, current, results, lifecycle, parser } = this.#translation
      lifecycle.expectOpen('toolResult')
      const { transcript = '', ...rest } = Object(result) as ToolResult
      const checked = checkResult(rest, resultLists())
      checkHost(transcript)
      const id = checked.itemId
      const item = results.find(id)
      const expected = 'the id of a hosted call'
      check(item !== undefined, 'toolResult', expected, id, 'unknown_item')
      check(item.callee !== '', 'toolResult', expected, `${item.type} ${id}`, 'item_takes_no_result')
      // A result for a call that is still open means that the engine swallowed its <|call|>.
      if (item === current.item) parser.end()
      if (item.stage === 'waiting') output.resolve(item, checked)
      else context.notice('second_result', item.id)
      if (result.transcript !== undefined) this.#pushTranscript(transcript)
      return this.#translation.take()
    })
  }

  /**
   * Adds a complete item of the host's own to the output: a compaction, a file search, an image, a message. Emits its
   * `added`, the events of its type, and its `done` at once; it follows the items that began before it.
   *
   * @param host - `hostItem(item)` of `harmony-responses/items`
   * @throws HarmonyResponsesError `translator_closed`; `bad_option` if it is not a host item, or has the id of another
   */
  insert(host: HostItem): ResponseStreamEvent[] {
    return this.#run('insert', () => {
      const { output, results, lifecycle } = this.#translation
      lifecycle.expectOpen('insert')
      const { whole, prefix } = Object(host) as Partial<HostItem>
      check(typeof prefix === 'string' && typeof whole?.type === 'string', 'insert', 'hostItem(item)', host)
      const { id } = whole
      check(id === undefined || results.find(id) === undefined, 'insert: id', 'an unused id', id)
      this.#translation.begin()
      output.insertHostItem(host)
      return this.#translation.take()
    })
  }

  /**
   * Ends the model's turn, but not the response: text without a channel is the answer if the model has finished, and
   * reasoning if it was interrupted. Text that may still be a header, under 32 UTF-16 units, is decided by the next call.
   * Not needed before {@link beginTurn}, {@link end} or a push of the host.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_option` if the API does not know the
   * reason
   */
  endTurn(reason: EndReason): ResponseStreamEvent[] {
    return this.#run('endTurn', () => {
      checkReason(reason)
      const { lifecycle, parser } = this.#translation
      lifecycle.expectOpen('endTurn')
      if (parser.undecided !== undefined) parser.end(reason !== 'stop')
      return this.#translation.take()
    })
  }

  /**
   * Ends the response because the model has stopped.
   *
   * @param reason - why it stopped. Default: `max_output_tokens` inside a message or a header, else `stop`
   * @returns the last events; none if the response is already closed
   * @throws HarmonyResponsesError `bad_option` if the API does not know the reason
   */
  end(reason?: EndReason): ResponseStreamEvent[] {
    return this.#run('end', () => this.#translation.end(reason))
  }

  /**
   * Fails the response: emits `error`, then `response.failed`. Items that were streamed stay incomplete. Never throws,
   * except from a callback.
   *
   * @param failure - the client's view: a string, or `{ code, message }` with one of the API's codes (default
   * `server_error`) or of the host's own. Anything else, including an object with other fields, goes to `onError`; the
   * client sees only the text of an `EngineError` about its request.
   */
  fail(failure: Failure | Error | string): ResponseStreamEvent[] {
    if (this.#translation.lifecycle.isClosed) return []
    const report = hostFailure(failure)
    return this.#run('fail', () => {
      if (report === undefined) callSafely(this.#options.onError, failure)
      return this.#translation.fail(report ?? clientFailure(failure))
    })
  }

  /**
   * Ends the response because the host gave up: emits only `response.failed`, by default with the message `aborted`.
   * Never throws, except from a callback.
   */
  abort(message?: string): ResponseStreamEvent[] {
    if (this.#translation.lifecycle.isClosed) return []
    return this.#run('abort', () => this.#translation.abort(typeof message === 'string' ? message : undefined))
  }

  /**
   * Ends the response because its client cancelled it, or left: emits only `response.incomplete`, whose response has the
   * status `cancelled` and no error. Never throws, except from a callback.
   */
  cancel(): ResponseStreamEvent[] {
    if (this.#translation.lifecycle.isClosed) return []
    return this.#run('cancel', () => this.#translation.cancel())
  }

  /**
   * Releases the parser's resources (wasm memory of the official one). Call it to drop a response halfway; the terminal
   * event does so itself. Never throws.
   */
  dispose(): void {
    this.#translation.dispose()
  }

  /** The current response, a detached value. After the terminal event it equals that event's. */
  get response(): Response {
    return this.#translation.response
  }

  /** The output of {@link response} alone, which is faster than the whole. A detached value. */
  get output(): OutputItem[] {
    return this.#translation.output.wire()
  }

  /** {@link output}, for reading alone: listed tools are not copied. Do not change them. */
  get outputView(): readonly OutputItem[] {
    return this.#translation.output.view()
  }

  /** The number of items in {@link output}, which makes none of them. */
  get outputLength(): number {
    return this.#translation.output.items.length
  }

  /**
   * Adds token counts that the host learns only when the engine has finished.
   *
   * @throws HarmonyResponsesError `translator_closed` after the terminal event; `bad_option` if a count is invalid
   */
  addUsage(usage: HostUsage): void {
    this.#run('addUsage', () => this.#translation.addUsage(usage))
  }

  /**
   * Returns the complete state as plain JSON, between any two pushes. It contains only those request fields that are
   * echoed or affect the stream, without secrets.
   *
   * @throws HarmonyResponsesError `snapshot_unsupported` with a custom parser
   */
  snapshot(): TranslatorSnapshot {
    return this.#run('snapshot', () => {
      const { state, parser, current, tracer } = this.#translation
      return sealSnapshot({
        state,
        parser: parser.snapshot(),
        output: current.snapshot(),
        deltaFrom: tracer?.deltaFrom ?? -1,
      })
    })
  }

  /** Runs a method, unless a callback of a running method calls it: two concurrent steps would mix up their events. */
  #run<Result>(method: string, step: () => Result): Result {
    this.#enter(method)
    try {
      return step()
    } finally {
      this.#running = undefined
    }
  }

  #enter(method: string): void {
    if (this.#running !== undefined) {
      const message = `${method}: expected a call between two others, got one from a callback of ${this.#running}`
      throw new HarmonyResponsesError('reentrant_call', message)
    }
    this.#running = method
  }

  /** Feeds the messages of a result that its call already has. The model's next token starts a turn. */
  #pushTranscript(transcript: HostTokens['host']): void {
    const { feed, results, parser } = this.#translation
    // A host message that was left open before is a result of its own.
    feed.endHostMessage()
    results.whilePaused(() => {
      feed.pushHost(transcript)
      feed.endHostMessage()
    })
    if (parser.position === 'between') parser.beginTurn()
  }
}
