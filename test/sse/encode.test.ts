import { expect, it } from 'vitest'
import type { ResponseStreamEvent } from '../../src/responses/events.js'
import { encodeSse, SSE_DONE } from '../../src/sse/index.js'

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

it('writes the type as the name, the event as one line of JSON, and a blank line', () => {
  expect(encodeSse(delta('Hm'))).toBe(
    'event: response.reasoning_text.delta\n' +
      'data: {"type":"response.reasoning_text.delta","sequence_number":4,"output_index":0,' +
      '"item_id":"rs_1","content_index":0,"delta":"Hm"}\n\n',
  )
})

it.each(['\n', '\r', '\r\n', '\n\ndata: [DONE]\n\n'])('keeps the text %j on the data line', (text) => {
  expect(encodeSse(delta(text))).toMatch(/^event: [^\r\n]+\ndata: [^\r\n]+\n\n$/)
})

it('escapes half a surrogate pair, which UTF-8 would replace', () => {
  expect(encodeSse(delta('\ud83d'))).toContain('\\ud83d')
})

it('ends a stream for Open Responses with [DONE]', () => {
  expect(SSE_DONE).toBe('data: [DONE]\n\n')
})
