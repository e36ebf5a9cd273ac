import { describe, HarmonyResponsesError } from '../../shared/errors.js'
import type { Api } from './api.js'
import type { StreamRead } from './read/stream-read.js'
import { createStreamReader } from './read/stream-reader.js'
import type { StreamEvent } from './stream-event.js'
import type { StreamChunk } from './violation.js'

/**
 * Reads captured streams from text, in any format that {@link createStreamReader} reads. Each `response.created` begins
 * a new stream. Framing is not checked.
 *
 * @throws HarmonyResponsesError `bad_stream`, with the line number, if something in the text is not an event
 *
 * @example
 * ```ts
 * import { checkEvents, readStreams } from 'harmony-responses/conformance'
 *
 * const capture = events.map((event) => JSON.stringify(event)).join('\n')
 * for (const stream of readStreams(capture)) console.log(checkEvents(stream).length) // 0
 * ```
 */
export function readStreams(text: string): StreamEvent[][] {
  const reader = createStreamReader()
  const streams: StreamEvent[][] = []
  for (const step of [() => reader.push(text), () => reader.end()]) {
    for (const read of step()) {
      const problem = problemOf(read)
      if (problem !== undefined) throw new HarmonyResponsesError('bad_stream', `line ${read.line}: ${problem}`)
      if (read.kind !== 'event') continue
      if (read.isFirst) streams.push([])
      streams.at(-1)?.push(read.event)
    }
  }
  return streams
}

/**
 * Reads captured streams of Chat Completions, as {@link readStreams} reads those of the Responses API. A chunk of another
 * id that has a role begins a new stream once the one before is over.
 *
 * @throws HarmonyResponsesError `bad_stream`, with the line number, if something in the text is not a chunk
 *
 * @example
 * ```ts
 * import { checkEvents, readChatStreams } from 'harmony-responses/conformance'
 *
 * const capture = 'data: {"object":"chat.completion.chunk","id":"chatcmpl-1","choices":[]}\n\ndata: [DONE]\n\n'
 * for (const chunks of readChatStreams(capture)) console.log(checkEvents(chunks, { profile: 'chat' }))
 * ```
 */
export function readChatStreams(text: string): StreamChunk[][] {
  return readStreamsOf('chat', text)
}

/**
 * Reads captured streams of the Messages API, as {@link readStreams} reads those of the Responses API. Each
 * `message_start` behind the end of a message begins a new stream.
 *
 * @throws HarmonyResponsesError `bad_stream`, with the line number, if something in the text is not an event
 *
 * @example
 * ```ts
 * import { checkEvents, readMessageStreams } from 'harmony-responses/conformance'
 *
 * const capture = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'
 * for (const events of readMessageStreams(capture)) console.log(checkEvents(events, { profile: 'messages' }))
 * ```
 */
export function readMessageStreams(text: string): StreamChunk[][] {
  return readStreamsOf('messages', text)
}

function readStreamsOf(api: Exclude<Api, 'responses'>, text: string): StreamChunk[][] {
  const reader = createStreamReader({ api })
  const streams: StreamChunk[][] = []
  for (const step of [() => reader.push(text), () => reader.end()]) {
    for (const read of step()) {
      const isRead = read.kind === 'event' || read.kind === 'untyped'
      const problem = isRead ? undefined : problemOf(read)
      if (problem !== undefined) throw new HarmonyResponsesError('bad_stream', `line ${read.line}: ${problem}`)
      if (!isRead) continue
      if (read.isFirst) streams.push([])
      // The clients' models handle values that are no chunks or events.
      streams.at(-1)?.push((read.kind === 'event' ? read.event : read.value) as StreamChunk)
    }
  }
  return streams
}

/** The API that the streams of a captured text are of, by their first event. */
export function apiOfCapture(text: string): Api {
  const reader = createStreamReader()
  for (const step of [() => reader.push(text), () => reader.end()]) {
    for (const read of step()) {
      if (read.kind === 'event') return 'responses'
      if (read.kind !== 'format') continue
      if (read.format === 'chat-completions') return 'chat'
      if (read.format === 'messages') return 'messages'
    }
  }
  return 'responses'
}

const UNREADABLE: readonly string[] = ['gzip', 'binary', 'html', 'response', 'chat-completions', 'error', 'json']

function problemOf(read: StreamRead): string | undefined {
  switch (read.kind) {
    case 'broken':
      return `expected ${read.expected}, got ${read.got}`
    case 'untyped':
      return `expected an event with a type, got ${describe(read.value)}`
    case 'format':
      return UNREADABLE.includes(read.format) ? `expected an event with a type, got ${read.description}` : undefined
    case 'framing':
      // A frame without data loses nothing.
      return read.rule === 'data-is-json' && read.got !== 'nothing'
        ? `expected an event as JSON, got ${read.got}`
        : undefined
    default:
      return undefined
  }
}
