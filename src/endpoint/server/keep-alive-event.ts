import type { KeepAliveEvent, ResponseStreamEvent } from '../../core/responses/events.js'

/**
 * The keep-alives of one stream: events, because Codex counts nothing else. OpenAI gives each a number of its own. Here
 * it repeats the last one, because it is not stored: a stream that is resumed has the same numbers.
 */
export class KeepAlives {
  #last: number | undefined

  /** Notes the events that are sent. */
  note({ sequence_number: number }: ResponseStreamEvent): void {
    this.#last = number
  }

  /** Undefined before the first event, which has the first number. */
  event(): KeepAliveEvent | undefined {
    return this.#last === undefined ? undefined : { type: 'keepalive', sequence_number: this.#last }
  }
}
