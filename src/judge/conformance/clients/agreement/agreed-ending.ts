import { type Fields, isFields } from '../../../../shared/fields.js'
import type { StreamEvent } from '../../stream-event.js'
import type { Ending } from '../client.js'
import { type EventRef, type Place, type Vote, Votes } from '../votes.js'

/** A stated ending of the response. */
export type StatedEnding = Exclude<Ending, 'threw' | 'open'>

/**
 * The ending of a response, and its error message, according to most places of the stream. The ending follows from the
 * type of the terminal event, from the status of its response, and from `error` and `incomplete_details`.
 */
export class AgreedEnding {
  readonly #ending = new Votes<StatedEnding>()
  readonly #message = new Votes<string>()
  #hasError = false

  /** Takes an `error` event. */
  takeError(event: StreamEvent, at: EventRef): void {
    this.#hasError = true
    this.#ending.add('failed', 'textDone', at)
    const { message } = isFields(event['error']) ? event['error'] : event
    this.#addMessage(message, 'textDone', at)
  }

  /** Takes the response of the terminal event, and the ending in the event's type. */
  takeTerminal({ status, error, incomplete_details }: Fields, type: StatedEnding | undefined, at: EventRef): void {
    const isCancelled = status === 'cancelled'
    // It has no event of its own.
    if (type !== undefined) this.#ending.add(isCancelled && type === 'incomplete' ? status : type, 'terminal', at)
    if (isEnding(status)) this.#ending.add(status, 'done', at)
    if (isFields(error)) {
      this.#ending.add('failed', 'part', at)
      this.#addMessage(error['message'], 'part', at)
    } else if (isFields(incomplete_details)) this.#ending.add('incomplete', 'part', at)
    else if (error === null && incomplete_details === null) {
      this.#ending.add(isCancelled ? status : 'completed', 'part', at)
    }
  }

  /** Undefined if the stream does not say. */
  get value(): StatedEnding | undefined {
    return this.#ending.winner ?? (this.#hasError ? 'failed' : undefined)
  }

  /** Whether the stream states that the response was completed, errors apart. */
  get isCompleted(): boolean {
    return this.#ending.winner === 'completed'
  }

  /** The events that contradict `value`. */
  get mismatch(): readonly Vote<StatedEnding>[] {
    return this.#ending.against(this.#ending.elected())
  }

  /** The error message of a failed response, in at most 1000 UTF-16 code units. */
  get errorMessage(): string | undefined {
    return this.#electedMessage?.value
  }

  /** Error messages in fewer places than `errorMessage`. In a tie, neither message is known to be wrong. */
  get errorMismatch(): readonly Vote<string>[] {
    const elected = this.#electedMessage
    const max = elected?.places.length ?? 0
    return this.#message.against(elected).filter(({ places }) => places.length < max)
  }

  /** Prefers a message that is not empty. */
  get #electedMessage(): Vote<string> | undefined {
    return this.#message.elected((message) => message !== '')
  }

  #addMessage(message: unknown, place: Place, at: EventRef): void {
    if (typeof message === 'string') this.#message.add(message.slice(0, MAX_MESSAGE), place, at)
  }
}

const MAX_MESSAGE = 1000

/** Whether a status is that of a response that has ended. */
export const isEnding = (status: unknown): status is StatedEnding =>
  status === 'completed' || status === 'incomplete' || status === 'failed' || status === 'cancelled'
