import { createParser } from 'eventsource-parser'
import { EngineError } from '../../engine/engine-error.js'
import { shortened } from '../../request-error.js'
import { failureOf, TransientError } from './failure-of.js'
import { lostConnection } from './http-client.js'

/** The limit in UTF-16 units. SGLang's cumulative events reach it at 30,000 tokens with 20 log-probabilities each. */
export const LONGEST_EVENT: number = 16 * 1024 * 1024

/** Engines write an event in one line. Endless short lines would take thirty times their size in memory. */
export const MOST_LINES = 10_000

/**
 * Reads the data of an engine's event stream, parsed as JSON, up to `[DONE]` or the end. Leaving the loop cancels the
 * request.
 *
 * @throws EngineError after the preceding events: the engine's own `error`; `server_error` if a line does not belong to
 *   an event stream, data is not JSON, an event is too long, or the connection is lost
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
  /** The line break at the end of the last piece. With the next piece it may be a blank line. */
  let lineBreak = ''
  try {
    for (let isOpen = true; isOpen; ) {
      const { done, value } = await reader.read().catch((cause) => {
        throw lostConnection(cause)
      })
      isOpen = !done
      // One line break ends a line that may be open, the other ends its event.
      const text = done ? `${utf8.decode()}\n\n` : utf8.decode(value, { stream: true })
      parser.feed(text)
      // A blank line ends an event or a keep-alive comment.
      const sinceBreak = lineBreak + text
      lines = /\n\r?\n/.test(sinceBreak) ? 0 : lines + text.split(/\r\n?|\n/).length - 1
      lineBreak = /\n\r?$/.exec(sinceBreak)?.[0] ?? ''
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
    // No effect if the stream has ended.
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
    `expected events of at most ${LONGEST_EVENT} characters and ${MOST_LINES} lines, got a longer one`,
  )
}

function beginningOf(text: string): string {
  return JSON.stringify(shortened(text, 80))
}
