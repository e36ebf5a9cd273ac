import { expect, test } from 'vitest'
import { complaint } from '../../src/cli/io.js'

test('an error is one line of standard error, regardless of its message', () => {
  expect(complaint(new Error('bad\n\u001b[2Jnews\u202e'))).toBe('harmony-responses: bad [2Jnews\\u202e\n')
})

test('of a message that has the whole answer of a server, the line has the beginning', () => {
  const line = complaint(new Error(`HTTP 500: ${'\u0007x'.repeat(1_000_000)}`))
  expect(line).toMatch(/^harmony-responses: HTTP 500: x x.*…\n$/)
  expect(line.length).toBeLessThan(2_100)
})
