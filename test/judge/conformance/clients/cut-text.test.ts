import { expect, test } from 'vitest'
import { isCutWithin } from '../../../../src/judge/conformance/clients/agreement/cut-text.js'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { createRun, inTurn, messageOn } from '../../../core/translate/run.js'
import { judgeFor } from './judge.js'

const deltas = ['It', ' rains', ' in', ' Oslo', ',  all', ' day.']
const streamed = deltas.join('')

test('a complete text that ends within a delta was cut off', () => {
  expect(isCutWithin('It rains in Os', deltas)).toBe(true)
  expect(isCutWithin('I', deltas)).toBe(true)
})

test.each([
  ['loses one', deltas.toSpliced(2, 1)],
  ['loses the end', deltas.slice(0, 3)],
  ['doubles one', deltas.toSpliced(2, 0, ' rains')],
  ['doubles the last one', [...deltas, ' day.']],
  ['doubles each', deltas.flatMap((delta) => [delta, delta])],
  ['adds one of another text', deltas.toSpliced(3, 0, ' the old town of')],
  ['adds one behind the text', [...deltas, ' Too late.']],
  ['adds to the last one', deltas.with(-1, ' day. Too late.')],
  ['adds to each', deltas.map((delta) => `${delta}_x`)],
  ['makes each the text so far', deltas.map((_, at) => deltas.slice(0, at + 1).join(''))],
  ['makes the last one the whole text', [...deltas.slice(0, -1), streamed]],
  ['sends one delta with more', [`${streamed}_x`]],
])('a complete text was not cut off where the server %s', (_, wrong) => {
  expect(isCutWithin(streamed, wrong)).toBe(false)
})

/** A message in deltas, whose complete texts are all cut at this length. */
function cut(length: number): StreamEvent[] {
  const run = createRun()
  run.push(inTurn(messageOn('final', `${streamed}<|return|>`)))
  run.end('stop')
  const events: StreamEvent[] = JSON.parse(JSON.stringify(run.events), (key, value) =>
    key === 'text' && typeof value === 'string' ? value.slice(0, length) : value,
  )
  return events.flatMap((event) =>
    event.type === 'response.output_text.delta' ? deltas.map((delta) => ({ ...event, delta })) : [event],
  )
}

test('where all complete texts are cut, a client that shows the deltas shows all', () => {
  expect(judgeFor('ai-sdk').rules(cut(12))).toEqual([])
  expect(judgeFor('langchain').rules(cut(12))).toEqual([])
  expect(judgeFor('openai').rules(cut(12))).toEqual(['client-result'])
})
