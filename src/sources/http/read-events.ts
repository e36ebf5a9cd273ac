import { createParser } from 'eventsource-parser'
import { EngineError } from '../../engine/engine-error.js'
import { failureOf, TransientError } from './failure-of.js'
import { lostConnection } from './http-client.js'

/** In UTF-16 units. SGLang's cumulative events are long: 30,000 tokens with 20 log-probabilities each fill this. */
export const LONGEST_EVENT: number = 16 * 1024 * 1024

/** Engines write an event in one line. Short ones without end take thirty times their characters to put together. */
export const MOST_LINES = 10_000

/**
 * The data of an engine's event stream, each parsed as JSON, up to `[DONE]` or the end. Leaving the loop closes the
 * request.
 *
 * @throws EngineError after the events before it: what the engine says in an `error`; `server_error` where a line is no
 *   event stream's, data is not JSON, an event has no end, or the connection is lost
 */
export async function* readEvents(response: Response): AsyncGenerator<unknown> {
  const utf8 = new TextDecoder()
  let ready: (() => unknown)[] = []
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT,
    onEvent: ({ data }) => ready.push(() => eventOf(data)),
    onError: ({ type, field, value, line }) => {
      if (type === 'max-buffer-size-exceeded') ready.push(tooLong)
      if (type !== 'unknown-field') return
      // Older llama-servers write an error as a field of that name.
      ready.push(() => (field === 'error' ? eventOf(`{"error":${value}}`) : notAnEvent(line ?? field)))
    },
  })
  const reader = response.body?.getReader()
  if (reader === undefined) throw new TransientError('server_error', 'expected a stream of events, got an empty answer')
  /** Since the last event. */
  let lines = 0
  try {
    for (let isOpen = true; isOpen; ) {
      const { done, value } = await reader.read().catch((cause) => {
        throw lostConnection(cause)
      })
      isOpen = !done
      // One line end for the line that may be open at the end, one for its event.
      const text = done ? `${utf8.decode()}\n\n` : utf8.decode(value, { stream: true })
      parser.feed(text)
      // A blank line ends an event, or a comment that keeps the connection alive.
      lines = /\n\r?\n/.test(text) ? 0 : lines + text.split(/\r\n?|\n/).length - 1
      if (lines > MOST_LINES) tooLong()
      const events = ready
      ready = []
      for (const event of events) {
        const read = event()
        if (read === DONE) return
        yield read
      }
    }
  } finally {
    // Without effect on a stream that has ended.
    await reader.cancel().catch(() => {})
  }
}

const DONE = Symbol('[DONE]')

function eventOf(data: string): unknown {
  if (data === '[DONE]') return DONE
  let event: unknown
  try {
    event = JSON.parse(data)
  } catch (cause) {
    throw new EngineError('server_error', `expected JSON in the engine's stream, got ${shortened(data)}`, { cause })
  }
  const { error, object } = Object(event) as { error?: unknown; object?: unknown }
  if ((error !== undefined && error !== null) || object === 'error') throw failureOf(event)
  return event
}

function notAnEvent(line: string | undefined): never {
  throw new EngineError('server_error', `expected a stream of events, got the line ${shortened(line ?? '')}`)
}

function tooLong(): never {
  throw new EngineError(
    'server_error',
    `expected events of at most ${LONGEST_EVENT} characters and ${MOST_LINES} lines, got a longer one`,
  )
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text)
}
