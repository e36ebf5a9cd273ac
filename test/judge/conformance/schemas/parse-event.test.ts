import { expect, test } from 'vitest'
import { parseEvent } from '../../../../src/judge/conformance/schemas/index.js'
import { eventSpecimens, itemSpecimens, responseSpecimen } from './specimens.js'

const problemOf = (event: unknown): string | undefined => {
  const { problem } = parseEvent(event)
  return problem && `${problem.path}: expected ${problem.expected}, got ${problem.got}`
}
const withItem = (item: object): object => ({ ...eventSpecimens['response.output_item.done'], item })
const { message, function_call_output: result, web_search_call: search, mcp_call: mcp } = itemSpecimens
const inCompleted = (fields: object): object => ({
  ...eventSpecimens['response.completed'],
  response: { ...responseSpecimen, ...fields },
})

test.each([
  ['nothing', undefined, 'event: expected an object, got nothing'],
  ['null', null, 'event: expected an object, got null'],
  ['a text', 'data: {}', 'event: expected an object, got "data: {}"'],
  ['a list', [], 'event: expected an object, got []'],
  ['an object without a type', {}, 'type: expected the type of a stream event, got nothing'],
  ['a type that is not a string', { type: 5 }, 'type: expected the type of a stream event, got 5'],
  [
    'a type of another protocol',
    { type: 'chat.completion.chunk' },
    'type: expected the type of a stream event, got "chat.completion.chunk"',
  ],
])('%s is no event', (_name, value, problem) => {
  expect(problemOf(value)).toBe(problem)
})

test('a number that is no count is reported as it came', () => {
  const event = { ...eventSpecimens['response.output_text.delta'], content_index: -1 }
  expect(problemOf(event)).toBe('content_index: expected a whole number from 0, got -1')
})

test('a problem deep in an item is reported where it is', () => {
  const content = [{ type: 'output_text', text: 'T', annotations: [{ type: 'url_citation', url: 'U' }] }]
  expect(problemOf(withItem({ ...message, content }))).toBe(
    'item.content[0].annotations[0].title: expected a string, got nothing',
  )
})

test('a part of another kind of item is reported by its type', () => {
  const content = [{ type: 'reasoning_text', text: 'R' }]
  expect(problemOf(withItem({ ...message, content }))).toBe(
    'item.content[0].type: expected output_text or refusal, got "reasoning_text"',
  )
})

test('a word that is not one of a few is reported with all of them', () => {
  expect(problemOf(withItem({ ...message, status: 'done' }))).toBe(
    'item.status: expected "in_progress", "completed" or "incomplete", got "done"',
  )
})

test('of a union the branch that got further is reported', () => {
  const output = [{ type: 'input_text', text: 'T' }, { type: 'input_text' }]
  expect(problemOf(withItem({ ...result, output }))).toBe('item.output[1].text: expected a string, got nothing')
})

test('of a union that fits nowhere all of it is reported', () => {
  expect(problemOf(withItem({ ...result, output: 5 }))).toBe(
    'item.output: expected a string or an array of parts, got 5',
  )
})

test('what may be null is reported with that', () => {
  expect(problemOf(inCompleted({ usage: [] }))).toBe('response.usage: expected an object or null, got []')
  expect(problemOf(withItem({ ...mcp, error: 'no' }))).toBe('item.error: expected an object or null, got "no"')
  expect(problemOf(withItem({ ...mcp, output: {} }))).toBe('item.output: expected a string or null, got {}')
})

test('faults within a nullable value are reported at their place', () => {
  expect(problemOf(withItem({ ...mcp, error: { type: 'http_error', code: '404', message: 'M' } }))).toBe(
    'item.error.code: expected a number, got "404"',
  )
})

test('an unknown key within something that may be null is reported', () => {
  expect(problemOf(inCompleted({ usage: { ...responseSpecimen.usage, cost: 1 } }))).toBe(
    'response.usage.cost: expected no such key, got 1',
  )
})

test('an action of a made-up type is reported by its type', () => {
  expect(problemOf(withItem({ ...search, action: { type: 'scroll' } }))).toBe(
    'item.action.type: expected search, open_page or find_in_page, got "scroll"',
  )
})

test('a problem is one line, however long and broken the value is', () => {
  const event = { ...eventSpecimens['response.output_text.delta'], logprobs: `${'long\n'.repeat(100)}` }
  const problem = problemOf(event)
  expect(problem).toMatch(/^logprobs: expected an array, got "long\\nlong/)
  expect(problem).not.toContain('\n')
  expect(problem?.length).toBeLessThan(100)
})
