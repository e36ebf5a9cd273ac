import { describe, HarmonyResponsesError } from '../../shared/errors.js'
import type { Api } from './api.js'
import { NO_DATA } from './read/sse-reader.js'
import type { StreamRead } from './read/stream-read.js'
import { createStreamReader } from './read/stream-reader.js'
import type { StreamEvent } from './stream-event.js'
import type { StreamChunk } from './violation.js'

/**
 * Reads captured streams from text, in any format that {@link createStreamReader} reads. A `response.created`
 * behind the end of a stream begins another. Framing is not checked.
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
  return readStreamsOf('responses', text, (read) => (read.kind === 'event' ? read.event : undefined))
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
  return readStreamsOf('chat', text, chunkIn)
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
  return readStreamsOf('messages', text, chunkIn)
}

/** The clients' models handle values that are no chunks or events. */
function chunkIn(read: StreamRead): StreamChunk | undefined {
  if (read.kind !== 'event' && read.kind !== 'untyped') return undefined
  return (read.kind === 'event' ? read.event : read.value) as StreamChunk
}

/** @param eventIn - the event of a stream in what was read; undefined if it is none */
function readStreamsOf<Event>(api: Api, text: string, eventIn: (read: StreamRead) => Event | undefined): Event[][] {
  const streams: Event[][] = []
  for (const read of readsOf(text, api)) {
    const event = eventIn(read)
    const problem = event === undefined ? problemOf(read) : undefined
    if (problem !== undefined) throw new HarmonyResponsesError('bad_stream', `line ${read.line}: ${problem}`)
    if (event === undefined) continue
    if ('isFirst' in read && read.isFirst) streams.push([])
    streams.at(-1)?.push(event)
  }
  return streams
}

function* readsOf(text: string, api: Api): Generator<StreamRead> {
  const reader = createStreamReader({ api })
  yield* reader.push(text)
  yield* reader.end()
}

/** The API that the streams of a captured text are of, by their first event. */
export function apiOfCapture(text: string): Api {
  for (const read of readsOf(text, 'responses')) {
    if (read.kind === 'event') return 'responses'
    if (read.kind !== 'format') continue
    if (read.format === 'chat-completions') return 'chat'
    if (read.format === 'messages') return 'messages'
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
      return read.rule === 'data-is-json' && read.got !== NO_DATA
        ? `expected an event as JSON, got ${read.got}`
        : undefined
    default:
      return undefined
  }
}
