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
  return readStreamsOf('responses', text, eventIn)
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

const eventIn = (read: StreamRead): StreamEvent | undefined => (read.kind === 'event' ? read.event : undefined)

/** A capture, piece by piece. */
export type Pieces = Iterable<string | Uint8Array>

/**
 * Yields the streams of a capture. Each is read while its events are asked for, to the end before the next one is, so that
 * only one event is kept.
 *
 * @throws HarmonyResponsesError `bad_stream`, with the line number, if something in it is not an event
 */
export function streamsIn(api: Api, pieces: Pieces): Generator<Iterable<StreamEvent | StreamChunk>> {
  return streamsOf<StreamEvent | StreamChunk>(api, pieces, api === 'responses' ? eventIn : chunkIn)
}

/** @param eventOf - the event of a stream in what was read; undefined if it is none */
function* streamsOf<Event>(
  api: Api,
  pieces: Pieces,
  eventOf: (read: StreamRead) => Event | undefined,
): Generator<Iterable<Event>> {
  const reads = eventReads(readsOf(pieces, api), eventOf)
  let next = reads.next()
  while (!next.done) {
    yield (function* () {
      do {
        if (next.done) return
        yield next.value.event
        next = reads.next()
      } while (!next.done && !next.value.isFirst)
    })()
  }
}

function* eventReads<Event>(
  reads: Iterable<StreamRead>,
  eventOf: (read: StreamRead) => Event | undefined,
): Generator<{ readonly event: Event; readonly isFirst: boolean }> {
  for (const read of reads) {
    const event = eventOf(read)
    const problem = event === undefined ? problemOf(read) : undefined
    if (problem !== undefined) throw new HarmonyResponsesError('bad_stream', `line ${read.line}: ${problem}`)
    if (event !== undefined) yield { event, isFirst: 'isFirst' in read && read.isFirst }
  }
}

function readStreamsOf<Event>(api: Api, text: string, eventOf: (read: StreamRead) => Event | undefined): Event[][] {
  return Array.from(streamsOf(api, [text], eventOf), (events) => [...events])
}

function* readsOf(pieces: Pieces, api: Api): Generator<StreamRead> {
  const reader = createStreamReader({ api })
  for (const piece of pieces) yield* reader.push(piece)
  yield* reader.end()
}

/** The API that the streams of a capture are of, by their first event. */
export function apiOfCapture(pieces: Pieces): Api {
  for (const read of readsOf(pieces, 'responses')) {
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
