import type { ResponseStreamEvent, TerminalEvent } from '../../core/responses/events.js'
import type { OutputItem } from '../../core/responses/items.js'
import { check, checkEvent, checkStream } from '../../shared/errors.js'
import { failedRequest } from '../../shared/failed-request.js'
import { type Events, encodeAll, ShownItems, unansweredIn } from '../answer-stream.js'
import { ChatAnswer, chatUsage, type Identity, identityOf, isClientCall, type Piece } from './answer.js'
import { type ChatAnswerOptions, type ResolvedChatAnswerOptions, resolveAnswerOptions } from './answer-options.js'
import type { ChatChunk, ChatError, ChatFinishReason } from './completion.js'
import { toChatError } from './to-completion.js'

/** Maps the events of one stream in order, each to any number of chunks. */
export type ChatEncoder = (event: ResponseStreamEvent) => (ChatChunk | ChatError)[]

/**
 * Maps a stream to the chunks of Chat Completions, lazily. One that fails or is cancelled ends with a {@link ChatError}.
 *
 * @param events - single events or batches, as `translate` and `translateBatches` yield them
 * @throws HarmonyResponsesError at once: `bad_option`, `bad_stream` if `events` is not a stream; while reading:
 *   `bad_stream` if a value is not an event, or comes before `response.created`
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { toChatChunks } from 'harmony-responses/dialects'
 * import { toSseResponse } from 'harmony-responses/sse'
 *
 * const chunks = toChatChunks(translate(tokens, { request }), { model: 'gpt-oss-20b' })
 * const response = toSseResponse(chunks, { eventLines: false, done: true })
 * ```
 */
export function toChatChunks(
  events: AsyncIterable<Events> | Iterable<Events>,
  options: ChatAnswerOptions = {},
): AsyncGenerator<ChatChunk | ChatError, void> {
  checkStream('toChatChunks', events)
  return encodeAll(events, encoderOf(resolveAnswerOptions('toChatChunks', options)))
}

/**
 * Creates the mapping of {@link toChatChunks} for callers that get the events one at a time.
 *
 * @throws HarmonyResponsesError `bad_option`; at an event, `bad_stream`
 *
 * @example
 * ```ts
 * import { createChatEncoder } from 'harmony-responses/dialects'
 *
 * const encode = createChatEncoder({ model: 'gpt-oss-20b' })
 * for (const event of events) for (const chunk of encode(event)) save(JSON.stringify(chunk))
 * ```
 */
export function createChatEncoder(options: ChatAnswerOptions = {}): ChatEncoder {
  return encoderOf(resolveAnswerOptions('createChatEncoder', options))
}

function encoderOf(options: ResolvedChatAnswerOptions): ChatEncoder {
  const encoder = new Encoder(options)
  return (event) => {
    checkEvent('createChatEncoder', event)
    return encoder.encode(event)
  }
}

class Encoder {
  readonly #options: ResolvedChatAnswerOptions
  readonly #answer: ChatAnswer
  #identity: Identity | undefined
  readonly #items = new ShownItems()
  #isOver = false

  constructor(options: ResolvedChatAnswerOptions) {
    this.#options = options
    this.#answer = new ChatAnswer(options)
  }

  encode(event: ResponseStreamEvent): (ChatChunk | ChatError)[] {
    if (this.#isOver) return []
    if (event.type === 'error') return [this.#failed(failedRequest(event.error).body)]
    const unanswered = unansweredIn(event)
    if (unanswered !== undefined) return [this.#failed(toChatError(unanswered))]
    if ('response' in event && this.#identity === undefined) {
      this.#identity = identityOf(event.response, this.#options)
      return [this.#chunk(this.#answer.begin()), ...this.encode(event)]
    }
    if (event.type === 'response.completed' || event.type === 'response.incomplete') return this.#end(event)
    return this.#pieces(event).map((piece) => this.#chunk(piece))
  }

  /** Returns the pieces of the answer in an event. Hosted tools have none: the client has nothing to run. */
  #pieces(event: ResponseStreamEvent): Piece[] {
    switch (event.type) {
      case 'response.output_item.added':
        return this.#added(event.output_index, event.item)
      case 'response.output_text.delta': {
        const { output_index: at, delta, logprobs } = event
        return this.#answer.text(at, this.#items.isPreamble(at), delta, logprobs)
      }
      case 'response.output_text.annotation.added':
        this.#answer.cite(this.#items.isPreamble(event.output_index), event.annotation)
        return []
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta': {
        const { output_index: at, type, delta } = event
        return this.#items.isShown(at, type) ? this.#answer.reasoning(at, delta) : []
      }
      case 'response.function_call_arguments.delta':
        return this.#answer.argumentsDelta(event.output_index, 'function_call', event.delta)
      case 'response.custom_tool_call_input.delta':
        return this.#answer.argumentsDelta(event.output_index, 'custom_tool_call', event.delta)
      default:
        return []
    }
  }

  #added(at: number, item: OutputItem): Piece[] {
    this.#items.added(at, item)
    return isClientCall(item) ? this.#answer.call(at, item) : this.#answer.hosted(at, item)
  }

  #end({ response }: TerminalEvent): ChatChunk[] {
    this.#isOver = true
    const last = this.#chunk(this.#answer.end(), this.#answer.finishReason(response))
    if (!this.#options.includeUsage || response.usage === null) return [last]
    return [last, { ...last, choices: [], usage: chatUsage(response.usage) }]
  }

  #failed(error: ChatError): ChatError {
    this.#isOver = true
    return error
  }

  #chunk({ delta, logprobs }: Piece, finish_reason: ChatFinishReason | null = null): ChatChunk {
    check(this.#identity !== undefined, 'toChatChunks', 'response.created first', delta, 'bad_stream')
    // Written out, because spreading would cost more than all other work for a token.
    const { id, created, model } = this.#identity
    const content = logprobs === undefined ? null : { content: [...logprobs], refusal: null }
    const choices = [{ index: 0, delta, logprobs: content, finish_reason }]
    const chunk: ChatChunk = { id, object: 'chat.completion.chunk', created, model, choices }
    if (this.#options.includeUsage) chunk.usage = null
    return chunk
  }
}
