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
