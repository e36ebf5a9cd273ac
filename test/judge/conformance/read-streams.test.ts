import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeSse } from '../../../src/core/sse/encode.js'
import { readStreams } from '../../../src/judge/conformance/read-streams.js'
import type { StreamEvent } from '../../../src/judge/conformance/stream-event.js'
import { anyStream, run } from '../../laws/streams.js'
import { runs } from '../../support/runs.js'

const CREATED = { type: 'response.created', sequence_number: 0 }
const DELTA = { type: 'response.output_text.delta', delta: 'a\nb' }

describe('streams are read', () => {
  test.each<[string, string]>([
    ['a line each', `${JSON.stringify(CREATED)}\n${JSON.stringify(DELTA)}\n`],
    ['a line each, with data:', `data: ${JSON.stringify(CREATED)}\ndata: ${JSON.stringify(DELTA)}`],
    ['frames', `event: response.created\ndata: ${JSON.stringify(CREATED)}\n\nid: 1\ndata:${JSON.stringify(DELTA)}\n\n`],
    [
      'frames with comments and [DONE]',
      `: hello\n\ndata: ${JSON.stringify(CREATED)}\n\ndata: ${JSON.stringify(DELTA)}\n\ndata: [DONE]\n\n`,
    ],
    [
      'frames of a server that ends lines with CR LF',
      `data: ${JSON.stringify(CREATED)}\r\n\r\ndata: ${JSON.stringify(DELTA)}\r\n\r\n`,
    ],
    [
      'a frame in several lines',
      `data: {"type":"response.created",\ndata: "sequence_number":0}\n\ndata: ${JSON.stringify(DELTA)}\n\n`,
    ],
    ['an array', JSON.stringify([CREATED, DELTA], null, 2)],
    ['lines after a byte order mark', `\ufeff${JSON.stringify(CREATED)}\n${JSON.stringify(DELTA)}`],
  ])('streams are read as %s', (_, text) => {
    expect(readStreams(text)).toEqual([[CREATED, DELTA]])
  })

  test('streams are read one after the other', () => {
    const line = (event: object): string => `${JSON.stringify(event)}\n`
    expect(readStreams([CREATED, DELTA, CREATED].map(line).join(''))).toEqual([[CREATED, DELTA], [CREATED]])
  })

  test('streams are read if the beginning is missing, too', () => {
    expect(readStreams(JSON.stringify(DELTA))).toEqual([[DELTA]])
  })

  test('an empty input has no streams', () => {
    for (const text of ['', '\n\n', ': keep-alive\n\n', 'data: [DONE]\n\n', '[]']) expect(readStreams(text)).toEqual([])
  })

  test('streams are read as they were written, regardless of their content', () => {
    fc.assert(
      fc.property(anyStream(), ({ chunks, setup }) => {
        const events = JSON.parse(JSON.stringify(run(chunks, setup).events)) as StreamEvent[]
        expect(readStreams(events.map(encodeSse as never).join(''))).toEqual([events])
        expect(readStreams(events.map((event) => `${JSON.stringify(event)}\n`).join(''))).toEqual([events])
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('input that is not a stream is refused, with its line', () => {
  test.each<[string, string]>([
    ['{"type":"a"}\n{"type":', 'line 2: expected an event as JSON, got "{\\"type\\":"'],
    ['data: {"type":"a"}\n\ndata: {oh}\n\n', 'line 3: expected an event as JSON, got "{oh}"'],
    ['{"a":1}', 'line 1: expected an event with a type, got JSON that is not an event: an object with a'],
    ['data: {"a":1}\n\n', 'line 1: expected an event with a type, got an object'],
    ['[1]', 'line 1: expected an event with a type, got JSON that is not an event: 1'],
    ['[\n{"type":"a"},\n{', 'line 3: expected an event as JSON, got "{"'],
    ['<html>', 'line 1: expected an event with a type, got an HTML page'],
    ['Hello', 'line 1: expected an event as JSON, got "Hello"'],
  ])('input that is not a stream is refused, with its line: %j', (text, message) => {
    expect(() => readStreams(text)).toThrow(expect.objectContaining({ code: 'bad_stream', message }))
  })
})
