import { failureIn } from '../../core/completion/failure.js'
import type { ResponseStreamEvent } from '../../core/responses/events.js'
import type { OutputItem } from '../../core/responses/items.js'
import { check, checkEvent, checkStream } from '../../shared/errors.js'
import { type Events, encodeAll, ShownItems, unansweredIn } from '../answer-stream.js'
import { isServed, isToolUse, MessageAnswer } from './answer.js'
import { type MessageAnswerOptions, type ResolvedMessageAnswerOptions, resolveAnswerOptions } from './answer-options.js'
import { messagesFailure } from './error.js'
import type { MessageError, MessageStreamEvent } from './message.js'

/** Maps the events of one stream in order, each to any number of events of a message. */
export type MessageEncoder = (event: ResponseStreamEvent) => MessageStreamEvent[]

/**
 * Maps a stream to that of the Messages API, lazily. One that fails or is cancelled ends with a {@link MessageError}.
 *
 * @param events - single events or batches, as `translate` and `translateBatches` yield them
 * @throws HarmonyResponsesError at once: `bad_option`, `bad_stream` if `events` is not a stream; while reading:
 *   `bad_stream` if a value is not an event, or comes before `response.created`
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { toMessageEvents } from 'harmony-responses/dialects'
 * import { toSseResponse } from 'harmony-responses/sse'
 *
 * const response = toSseResponse(toMessageEvents(translate(tokens, { request })))
 * ```
 */
export function toMessageEvents(
  events: AsyncIterable<Events> | Iterable<Events>,
  options: MessageAnswerOptions = {},
): AsyncGenerator<MessageStreamEvent, void> {
  checkStream('toMessageEvents', events)
  return encodeAll(events, encoderOf(resolveAnswerOptions('toMessageEvents', options)))
}

/**
 * Creates the mapping of {@link toMessageEvents} for callers that get the events one at a time.
 *
 * @throws HarmonyResponsesError `bad_option`; at an event, `bad_stream`
 *
 * @example
 * ```ts
 * import { createMessageEncoder } from 'harmony-responses/dialects'
 * import { encodeSse } from 'harmony-responses/sse'
 *
 * const encode = createMessageEncoder()
 * for (const event of events) for (const message of encode(event)) save(encodeSse(message))
 * ```
 */
export function createMessageEncoder(options: MessageAnswerOptions = {}): MessageEncoder {
  return encoderOf(resolveAnswerOptions('createMessageEncoder', options))
}

function encoderOf(options: ResolvedMessageAnswerOptions): MessageEncoder {
  const encoder = new Encoder(options)
  return (event) => {
    checkEvent('createMessageEncoder', event)
    return encoder.encode(event)
  }
}

class Encoder {
  readonly #answer: MessageAnswer
  #hasBegun = false
  #isOver = false
  readonly #items = new ShownItems()
  /** The place of a call that the server is running, and the events that arrived meanwhile. */
  #running: number | undefined
  #behind: ResponseStreamEvent[] = []

  constructor(options: ResolvedMessageAnswerOptions) {
    this.#answer = new MessageAnswer(options)
  }

  encode(event: ResponseStreamEvent): MessageStreamEvent[] {
    if (this.#isOver) return []
    if (event.type === 'error') return [this.#failed(messagesFailure(event.error))]
    const unanswered = unansweredIn(event)
    if (unanswered !== undefined) return [this.#failed(messagesFailure(failureIn(unanswered)))]
    if ('response' in event && !this.#hasBegun) {
      this.#hasBegun = true
      return [...this.#answer.begin(event.response), ...this.encode(event)]
    }
    check(this.#hasBegun, 'toMessageEvents', 'response.created first', event.type, 'bad_stream')
    if (event.type === 'response.completed' || event.type === 'response.incomplete') {
      this.#isOver = true
      return [...this.#resume(), ...this.#answer.end(event.response)]
    }
    return this.#inOrder(event)
  }

  /**
   * Keeps blocks in the order of the items: text that the model writes during a call of the server waits for the
   * result.
   */
  #inOrder(event: ResponseStreamEvent): MessageStreamEvent[] {
    if (this.#running !== undefined && (!('output_index' in event) || event.output_index !== this.#running)) {
      this.#behind.push(event)
      return []
    }
    const events = this.#translate(event)
    return this.#running !== undefined && event.type === 'response.output_item.done'
      ? [...events, ...this.#resume()]
      : events
  }

  /** Emits the waiting events. */
  #resume(): MessageStreamEvent[] {
    const waiting = this.#behind
    this.#running = undefined
    this.#behind = []
    return waiting.flatMap((event) => this.#inOrder(event))
  }

  #translate(event: ResponseStreamEvent): MessageStreamEvent[] {
    switch (event.type) {
      case 'response.output_item.added':
        this.#items.added(event.output_index, event.item)
        if (!this.#isOver && this.#answer.shows(event.item)) this.#running = event.output_index
        else if (isServed(event.item)) this.#answer.added(event.output_index)
        return []
      case 'response.output_text.delta': {
        const { output_index: at, delta } = event
        return this.#answer.text(at, this.#items.isPreamble(at), delta)
      }
      case 'response.output_text.annotation.added':
        return this.#answer.cite(event.output_index, event.annotation)
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta': {
        const { output_index: at, type, delta } = event
        return this.#items.isShown(at, type) ? this.#answer.reasoning(at, delta) : []
      }
      case 'response.output_item.done':
        return this.#done(event.output_index, event.item)
      default:
        return []
    }
  }

  /** Shows items that have to be complete first. */
  #done(at: number, item: OutputItem): MessageStreamEvent[] {
    if (isToolUse(item)) return item.status === 'completed' ? this.#answer.call(item) : []
    if (isServed(item)) return this.#answer.served(at, item)
    if (item.type === 'reasoning') this.#answer.reasoned(at, item.encrypted_content)
    return []
  }

  #failed(error: MessageError): MessageError {
    this.#isOver = true
    return error
  }
}
