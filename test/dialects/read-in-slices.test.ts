import { expect, test } from 'vitest'
import { chatRequestInSlices } from '../../src/dialects/chat/request.js'
import { messagesRequestInSlices } from '../../src/dialects/messages/request.js'

test.each([
  ['Chat Completions', chatRequestInSlices],
  ['the Messages API', messagesRequestInSlices],
])('a conversation of many messages is read in slices of %s', (_, read) => {
  const pauses = (count: number): number => {
    const messages = Array.from({ length: count }, () => ({ role: 'user', content: 'Hi' }))
    return [...read({ model: 'gpt-oss', max_tokens: 16, messages })].length
  }
  expect(pauses(10_000)).toBeGreaterThan(8)
  expect(pauses(100)).toBe(0)
})

const many = Array.from({ length: 10_000 }, (_, at) => at)
const call = (at: number) => ({ id: `c${at}`, type: 'function', function: { name: 'f', arguments: '{}' } })
const use = (at: number) => ({ type: 'tool_use', id: `c${at}`, name: 'f', input: {} })
const result = (at: number) => ({ type: 'tool_result', tool_use_id: `c${at}`, content: 'done' })
const user = { role: 'user', content: 'Hi' }

test.each([
  [
    'calls in one message of Chat Completions',
    chatRequestInSlices,
    [{ role: 'assistant', tool_calls: many.map(call) }],
  ],
  [
    'calls in one message of the Messages API',
    messagesRequestInSlices,
    [{ role: 'assistant', content: many.map(use) }, user],
  ],
  [
    'results in one message of the Messages API',
    messagesRequestInSlices,
    [{ role: 'user', content: many.map(result) }],
  ],
  [
    'texts in one message of the Messages API',
    messagesRequestInSlices,
    [{ role: 'user', content: many.map(() => ({ type: 'text', text: 'Hi' })) }],
  ],
] as const)('many %s are read in slices', (_, read, messages) => {
  const slices = read({ model: 'gpt-oss', max_tokens: 16, messages: [user, ...messages] })
  let pauses = 0
  try {
    for (let step = slices.next(); !step.done; step = slices.next()) pauses += 1
  } catch {
    // Calls without results are refused at the end.
  }
  expect(pauses).toBeGreaterThan(8)
})
