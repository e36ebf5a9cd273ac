import { createParser, type EventSourceParser } from 'eventsource-parser'
import { createLineFeeds } from '../../../shared/line-feeds.js'
import { shortened } from '../../../shared/shortened.js'
import { EngineError } from '../../contract/engine-error.js'
import { failureOf } from './failure-of.js'

/** The limit in UTF-16 units. SGLang's cumulative events reach it at 30,000 tokens with 20 log-probabilities each. */
export const MAX_EVENT_LENGTH: number = 16 * 1024 * 1024

/** Engines write an event in one line. Endless short lines would take thirty times their size in memory. */
export const MAX_LINES = 10_000

/** Reads the data of an engine's event stream, parsed as JSON, up to `[DONE]`. */
export class EventReader {
  readonly #take: (event: unknown) => void
  readonly #parser: EventSourceParser
  readonly #lineFeeds = createLineFeeds()
  #isDone = false
  /** Since the last event. */
  #lines = 0
  /** The line break at the end of the last piece. With the next piece it may be a blank line. */
  #lineBreak = ''
  /** Whether the last piece ended with a whole event, or a comment. */
  #isBetween = false

  /** @param take - receives each event in the step in which its end arrives. May throw */
  constructor(take: (event: unknown) => void) {
    this.#take = take
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_LENGTH,
      onEvent: ({ data }) => this.#read(data),
      onError: ({ type, field, value, line }) => {
        if (this.#isDone) return
        if (type === 'max-buffer-size-exceeded') tooLong()
        if (type !== 'unknown-field') return
        // Older llama-servers write an error as a field of that name.
        if (field === 'error') this.#read(`{"error":${value}}`)
        else notAnEvent(line ?? field)
      },
    })
  }

  /** Whether `[DONE]` was read: nothing after it counts. */
  get isDone(): boolean {
    return this.#isDone
  }

  /**
   * Reads a piece of the stream.
   *
   * @throws EngineError after the preceding events: the engine's own `error`; `server_error` if a line does not belong
   * to an event stream, data is not JSON, or an event is too long. Whatever `take` throws
   */
  feed(piece: string): void {
    if (this.#isDone) return
    const given = this.#lineFeeds(piece)
    const text = this.#isBetween ? this.#readPlain(given) : given
    if (text === '') return
    this.#parser.feed(text)
    // A blank line ends an event or a keep-alive comment.
    const sinceBreak = this.#lineBreak + text
    this.#lines = sinceBreak.includes('\n\n') ? 0 : this.#lines + text.split('\n').length - 1
    this.#lineBreak = text.endsWith('\n') ? '\n' : ''
    this.#isBetween = sinceBreak.endsWith('\n\n')
    if (this.#lines > MAX_LINES) tooLong()
  }

  /** Reads the end of the stream, which completes a last event. @throws like {@link feed} */
  end(): void {
    // One line break ends a line that may be open, the other ends its event.
    this.feed('\n\n')
  }

  /** Reads events of one line of data, as engines send each token: they need no parser. Returns what follows them. */
  #readPlain(text: string): string {
    let at = 0
    while (text.startsWith(DATA, at)) {
      const end = text.indexOf('\n', at)
      if (end <= at + DATA.length || end - at > MAX_EVENT_LENGTH || text[end + 1] !== '\n') break
      this.#lines = 0
      this.#read(text.slice(at + DATA.length, end))
      at = end + 2
    }
    return at === 0 ? text : text.slice(at)
  }

  #read(data: string): void {
    if (this.#isDone) return
    if (data === '[DONE]') this.#isDone = true
    else this.#take(eventOf(data))
  }
}

const DATA = 'data: '

function eventOf(data: string): unknown {
  let event: unknown
  try {
    event = JSON.parse(data)
  } catch (cause) {
    throw new EngineError('server_error', `expected JSON in the engine's stream, got ${beginningOf(data)}`, { cause })
  }
  const { error, object } = Object(event) as { error?: unknown; object?: unknown }
  if ((error !== undefined && error !== null) || object === 'error') throw failureOf(event)
  return event
}

function notAnEvent(line: string | undefined): never {
  throw new EngineError('server_error', `expected a stream of events, got the line ${beginningOf(line ?? '')}`)
}

function tooLong(): never {
  throw new EngineError(
    'server_error',
    `expected events of at most ${MAX_EVENT_LENGTH} characters and ${MAX_LINES} lines, got a longer one`,
  )
}

function beginningOf(text: string): string {
  return JSON.stringify(shortened(text, 80))
}
