import { describe, HarmonyResponsesError } from '../errors.js'
import { isFields, type StreamEvent } from './stream-event.js'

/**
 * Reads captured streams from text: server-sent events, events as JSON, one a line with or without `data:`, or a JSON
 * array of them. A `response.created` begins the next stream.
 *
 * @throws HarmonyResponsesError `bad_stream`, with the line
 */
export function readStreams(text: string): StreamEvent[][] {
  const events = /^\s*\[/.test(text) ? eventsInArray(text) : eventsInLines(text)
  const streams: StreamEvent[][] = []
  for (const event of events) {
    if (event.type === 'response.created' || streams.length === 0) streams.push([])
    streams.at(-1)?.push(event)
  }
  return streams
}

function eventsInArray(text: string): StreamEvent[] {
  const values = parsed(text)
  if (!Array.isArray(values)) throw problem('stream', 'an array of events', 'text that is no JSON')
  return values.map((value, index) => eventOf(value, `event ${index}`))
}

function eventsInLines(text: string): StreamEvent[] {
  const events: StreamEvent[] = []
  /** Lines of data that are no JSON yet: a frame may hold one event in several of them. */
  let data = ''
  let from = 0
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  for (const [index, line] of lines.entries()) {
    const field = /^(data|event|id|retry|)(?::|$) ?/.exec(line)
    const isData = field === null || field[1] === 'data'
    if (isData) {
      if (data === '') from = index + 1
      data += data === '' ? line.slice(field?.[0].length ?? 0) : `\n${line.slice(field?.[0].length ?? 0)}`
      if (data.trim() === '[DONE]' || data.trim() === '') data = ''
      const value = data === '' ? undefined : parsed(data)
      if (value !== undefined) {
        events.push(eventOf(value, `line ${from}`))
        data = ''
      } else if (field === null && data !== '') throw problem(`line ${from}`, 'an event as JSON', data)
    } else if (line === '' && data !== '') throw problem(`line ${from}`, 'an event as JSON', data)
  }
  if (data !== '') throw problem(`line ${from}`, 'an event as JSON', data)
  return events
}

function eventOf(value: unknown, place: string): StreamEvent {
  if (!isFields(value) || typeof value['type'] !== 'string') throw problem(place, 'an event with a type', value)
  return value as StreamEvent
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function problem(place: string, expected: string, got: unknown): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_stream', `${place}: expected ${expected}, got ${describe(got)}`)
}
