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
 */
export function readStreams(text: string): StreamEvent[][] {
  return readStreamsOf('responses', text, (read) => (read.kind === 'event' ? read.event : undefined))
}

/**
 * Reads captured streams of Chat Completions, as {@link readStreams} reads those of the Responses API. A chunk of another
 * id that has a role begins a new stream once the one before is over.
 *
 * @throws HarmonyResponsesError `bad_stream`, with the line number, if something in the text is not a chunk
 */
export function readChatStreams(text: string): StreamChunk[][] {
  return readStreamsOf('chat', text, chunkIn)
}

/**
 * Reads captured streams of the Messages API, as {@link readStreams} reads those of the Responses API. Each
 * `message_start` behind the end of a message begins a new stream.
 *
 * @throws HarmonyResponsesError `bad_stream`, with the line number, if something in the text is not an event
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
      return read.rule === 'data-is-json' && read.got !== 'nothing'
        ? `expected an event as JSON, got ${read.got}`
        : undefined
    default:
      return undefined
  }
}
