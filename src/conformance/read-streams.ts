import { describe, HarmonyResponsesError } from '../errors.js'
import type { StreamRead } from './read/stream-read.js'
import { createStreamReader } from './read/stream-reader.js'
import type { StreamEvent } from './stream-event.js'

/**
 * Reads captured streams from text, in any format that {@link createStreamReader} reads. Each `response.created` begins
 * a new stream. Framing is not checked.
 *
 * @throws HarmonyResponsesError `bad_stream`, with the line number, if something in the text is not an event
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
