import { expect, test } from 'vitest'
import { briefItem, createRun, inTurn, messageOn, terminal } from '../run.js'

const TEXT = { item_id: 'rs_0', output_index: 0, content_index: 0 }

test('a chain of thought, in order and whole', () => {
  const run = createRun()
  run.start()
  expect(run.push('<|channel|>analysis<|message|>Hm', 'm.<|end|>')).toEqual([
    {
      type: 'response.output_item.added',
      sequence_number: 2,
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_0', status: 'in_progress', summary: [], content: [] },
    },
    {
      type: 'response.content_part.added',
      sequence_number: 3,
      ...TEXT,
      part: { type: 'reasoning_text', text: '' },
    },
    { type: 'response.reasoning_text.delta', sequence_number: 4, ...TEXT, delta: 'Hm' },
    { type: 'response.reasoning_text.delta', sequence_number: 5, ...TEXT, delta: 'm.' },
    { type: 'response.reasoning_text.done', sequence_number: 6, ...TEXT, text: 'Hmm.' },
    {
      type: 'response.content_part.done',
      sequence_number: 7,
      ...TEXT,
      part: { type: 'reasoning_text', text: 'Hmm.' },
    },
    {
      type: 'response.output_item.done',
      sequence_number: 8,
      output_index: 0,
      item: {
        type: 'reasoning',
        id: 'rs_0',
        status: 'completed',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'Hmm.' }],
      },
    },
  ])
  expect(run.diagnostics).toEqual([])
})

test('an empty one has its part and no delta', () => {
  const run = createRun()
  run.start()
  expect(run.push('<|channel|>analysis<|message|><|end|>').map(({ type }) => type)).toEqual([
    'response.output_item.added',
    'response.content_part.added',
    'response.reasoning_text.done',
    'response.content_part.done',
    'response.output_item.done',
  ])
})

test('each message is an item of its own, even side by side', () => {
  const run = createRun()
  run.push(inTurn(messageOn('analysis', 'a<|end|>'), messageOn('analysis', 'b<|end|>')))
  expect(terminal(run.end('stop')).output).toMatchObject([
    { id: 'rs_0', content: [{ text: 'a' }] },
    { id: 'rs_1', content: [{ text: 'b' }] },
  ])
})

test('cut off, it is closed incomplete with what it has', () => {
  const run = createRun()
  run.push('<|channel|>analysis<|message|>Half')
  const events = run.end()
  expect(events.map(({ type }) => type)).toEqual([
    'response.reasoning_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.incomplete',
  ])
  expect(terminal(events).output.map(briefItem)).toEqual(['reasoning incomplete "Half"'])
})

test('reasoning alone is a whole answer: nothing is invented', () => {
  const run = createRun()
  run.push('<|channel|>analysis<|message|>Hm.<|end|>')
  const response = terminal(run.end())
  expect(response.status).toBe('completed')
  expect(response.output.map(briefItem)).toEqual(['reasoning completed "Hm."'])
})

test('on the analysis channel but to a tool, it is a call', () => {
  const run = createRun()
  run.push('<|channel|>analysis to=functions.f<|message|>{}<|call|>')
  expect(terminal(run.end()).output.map(briefItem)).toEqual(['function_call f completed "{}"'])
})
