import { describe, expect, it } from 'vitest'
import type { ResponseStreamEvent } from '../../../src/core/responses/events.js'
import { createSseEncoder, encodeSse, SSE_DONE } from '../../../src/core/sse/index.js'

function delta(text: string): ResponseStreamEvent {
  return {
    type: 'response.reasoning_text.delta',
    sequence_number: 4,
    output_index: 0,
    item_id: 'rs_1',
    content_index: 0,
    delta: text,
  }
}

it('encodeSse writes the type as the name, the event as one line of JSON, and a blank line', () => {
  expect(encodeSse(delta('Hm'))).toBe(
    'event: response.reasoning_text.delta\n' +
      'data: {"type":"response.reasoning_text.delta","sequence_number":4,"output_index":0,' +
      '"item_id":"rs_1","content_index":0,"delta":"Hm"}\n\n',
  )
})

it.each(['\n', '\r', '\r\n', '\n\ndata: [DONE]\n\n'])('encodeSse keeps the text %j on the data line', (text) => {
  expect(encodeSse(delta(text))).toMatch(/^event: [^\r\n]+\ndata: [^\r\n]+\n\n$/)
})

it('encodeSse escapes half a surrogate pair, which UTF-8 would replace', () => {
  expect(encodeSse(delta('\ud83d'))).toContain('\\ud83d')
})

it('encodeSse ends a stream for Open Responses with [DONE]', () => {
  expect(SSE_DONE).toBe('data: [DONE]\n\n')
})

describe.each([
  ['encodeSse', () => encodeSse],
  ['an encoder of a stream', createSseEncoder],
  [
    'an encoder of a stream that is under way',
    () => {
      const encode = createSseEncoder()
      encode(delta('a'))
      return encode
    },
  ],
])('%s', (_, encoder) => {
  it.each([
    ['nothing', undefined, 'an event, got undefined'],
    ['null', null, 'an event, got null'],
    ['text', 'data: {}', 'an event, got "data: {}"'],
    ['a batch', [delta('a')], 'an event, got an array'],
    ['a promise of an event', Promise.resolve(delta('a')), 'an event, got Promise'],
    ['an object without a type', { delta: 'a' }, 'an event, got an object'],
    ['a delta whose type is no word', { type: 1, sequence_number: 1, delta: 'a' }, 'an event, got an object'],
    ['a type of two lines', { type: 'a\ndata: {}\n\n' }, 'a type of one line, got "a\\ndata: {}\\n\\n"'],
  ])('encoding refuses %s, every time', (_, event, message) => {
    const encode = encoder()
    const error = expect.objectContaining({ code: 'bad_stream', message: `encodeSse: expected ${message}` })
    expect(() => encode(event as never)).toThrow(error)
    expect(() => encode(event as never)).toThrow(error)
    expect(encode(delta('b'))).toBe(encodeSse(delta('b')))
  })
})
