import { expect, test } from 'vitest'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { judgeFor, stream } from './judge.js'

const { judge, rules } = judgeFor('openai')

const answer = stream('plain-answer')
const call = stream('namespace-call')

/** The stream with the first event of a type changed. */
const changed = (events: readonly StreamEvent[], type: string, fields: object): StreamEvent[] => {
  const at = events.findIndex((event) => event.type === type)
  return events.map((event, index) => (index === at ? { ...event, ...fields } : event))
}

const without = (events: readonly StreamEvent[], type: string): StreamEvent[] => {
  const at = events.findIndex((event) => event.type === type)
  return events.filter((_, index) => index !== at)
}

test('a stream with nothing wrong is not accused', () => {
  expect(rules(answer)).toEqual([])
  expect(rules(call)).toEqual([])
})

test('an event that the stream helper does not know is named', () => {
  const [violation] = judge([answer[0] as StreamEvent, { type: 'acme:trace' }, ...answer.slice(1)])
  expect(violation).toMatchObject({ rule: 'openai-known-event', position: 1, got: '"acme:trace"' })
})

test('the stream begins with response.created', () => {
  expect(rules(answer.slice(1))).toEqual(['openai-created-first'])
})

test('a part that was not added breaks at its first text', () => {
  const [violation] = judge(without(answer, 'response.content_part.added'))
  expect(violation).toMatchObject({ rule: 'openai-part-index', type: 'response.output_text.delta' })
})

test('an event of another item is reported with both ids', () => {
  const [violation] = judge(changed(answer, 'response.output_text.delta', { item_id: 'msg_other' }))
  expect(violation).toMatchObject({ rule: 'openai-item-id', got: '"msg_other"' })
})

test('numbers of events, and the events that only repeat, are not read', () => {
  const bare = answer
    .filter(({ type }) => !/^response\.(in_progress|output_text\.done|content_part\.done)$/.test(type))
    .map(({ sequence_number: _, ...event }) => event as StreamEvent)
  expect(rules(bare)).toEqual([])
})

test('a gap between the output_indexes is fine', () => {
  const moved = answer.map((event) => ('output_index' in event ? { ...event, output_index: 7 } : event))
  expect(rules(moved)).toEqual([])
})

test('an output that is missing from the terminal response is taken from the items that are done', () => {
  const last = answer.at(-1) as StreamEvent
  const { output: _, ...response } = last['response'] as { output: unknown }
  expect(rules([...answer.slice(0, -1), { ...last, response }])).toEqual([])
})

test('an output that is empty loses the result', () => {
  const last = answer.at(-1) as StreamEvent
  const response = { ...(last['response'] as object), output: [] }
  expect(rules([...answer.slice(0, -1), { ...last, response }])).toContain('client-result')
})

test('an item that is not done when the response is completed may stand in its output', () => {
  expect(rules(without(answer, 'response.output_item.done'))).toEqual([])
})

test('an error event is how a response fails, and no fault', () => {
  const error = { type: 'error', error: { type: 'server_error', code: null, message: 'Overloaded.', param: null } }
  const failed = { ...((answer[0] as StreamEvent)['response'] as object), status: 'failed', error: error.error }
  expect(rules([answer[0] as StreamEvent, error, { type: 'response.failed', response: failed }])).toEqual([])
})

test('an id of null counts as absent', () => {
  const added = call.find(({ type }) => type === 'response.output_item.added') as StreamEvent
  const item = { ...(added['item'] as object), id: null }
  expect(rules(changed(call, 'response.output_item.added', { item }))).toEqual(['openai-item-fields'])
})
