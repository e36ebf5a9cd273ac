import { expect, test } from 'vitest'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { judgeFor, stream } from './judge.js'

const { judge, rules } = judgeFor('openai-agents')

interface Response {
  readonly output: readonly Record<string, unknown>[]
  readonly [field: string]: unknown
}

/** The stream with another terminal response. */
function ending(events: readonly StreamEvent[], change: (response: Response) => object): StreamEvent[] {
  const last = events.at(-1) as StreamEvent
  return [...events.slice(0, -1), { ...last, response: change(last['response'] as unknown as Response) }]
}

/** The stream with other fields in the items of the terminal response that have a type. */
const withItem = (events: readonly StreamEvent[], type: string, fields: object): StreamEvent[] =>
  ending(events, (response) => ({
    ...response,
    output: response.output.map((item) => (item['type'] === type ? { ...item, ...fields } : item)),
  }))

const answer = stream('plain-answer')
const calls = stream('preamble-function-call')

test('a stream with nothing wrong is not accused', () => {
  expect(rules(answer)).toEqual([])
  expect(rules(calls)).toEqual([])
})

test('the Agents SDK reads the text and the terminal response alone', () => {
  const read = answer.filter(({ type }) => /^response\.(output_text\.delta|output_item\.done|completed)$/.test(type))
  expect(rules(read)).toEqual([])
})

test('a stream without a terminal event is a run without a result', () => {
  expect(rules(answer.slice(0, -1))).toContain('openai-agents-terminal')
})

test('a field that the protocol of items wants is named, with its place', () => {
  const [violation] = judge(withItem(answer, 'message', { status: null }))
  expect(violation).toMatchObject({ rule: 'openai-agents-item', type: 'response.completed', got: 'null' })
  expect(violation?.expected).toContain('response.output[0].status')
})

test('the output of a response has to be an array', () => {
  expect(rules(ending(answer, ({ output: _, ...response }) => response))).toEqual(['openai-agents-response'])
})

test('a detail of usage that is null breaks the run', () => {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: null } }
  expect(rules(ending(answer, (response) => ({ ...response, usage })))).toEqual(['openai-agents-usage'])
})

test('a call without a call_id breaks the run', () => {
  expect(rules(withItem(calls, 'function_call', { call_id: '' }))).toEqual(['openai-agents-call'])
})

test('a status that cannot be sent back breaks only a run that continues', () => {
  const search = { id: 'ws_1', type: 'web_search_call', status: 'incomplete' }
  const searching = (events: readonly StreamEvent[]): StreamEvent[] =>
    ending(events, (response) => ({ ...response, output: [search, ...response.output] }))
  expect(rules(searching(answer))).toEqual([])
  expect(rules(searching(calls))).toEqual(['openai-agents-sends-back'])
})

test('a response that is incomplete is reported by an exception, which is no fault', () => {
  expect(rules(stream('truncated-call'))).toEqual([])
})

test('a refusal is the doing of the model', () => {
  const content = [{ type: 'refusal', refusal: 'No.' }]
  const [violation] = judge(withItem(answer, 'message', { content }))
  expect(violation).toMatchObject({ rule: 'openai-agents-refusal', fault: 'model' })
})
