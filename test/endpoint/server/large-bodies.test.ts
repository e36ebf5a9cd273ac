import { expect, test } from 'vitest'
import { answer } from '../../../src/testing/index.js'
import { endpoint, JSON_TYPE } from './endpoint.js'

/** A body of this unit, again and again, which counts how often it was pulled. */
function endless(unit: string): { readonly body: ReadableStream; readonly pulled: () => number } {
  const chunk = new TextEncoder().encode(unit.repeat(4_096))
  let count = 0
  const body = new ReadableStream({
    pull(controller) {
      count += 1
      if (count > 1_000) controller.close()
      else controller.enqueue(chunk)
    },
  })
  return { body, pulled: () => count }
}

test.each([
  ['of nested lists', '[', 400, null, 1],
  ['of lists side by side', '[],', 413, 'request_too_large', 70],
  ['of commas alone', ',', 413, 'request_too_large', 130],
])('a body %s is refused while it comes, and the rest of it is not read', async (_, unit, status, code, most) => {
  const { send, engine } = endpoint(() => answer('Hi'))
  for (const path of ['/v1/responses', '/v1/responses/input_tokens', '/v1/chat/completions']) {
    const { body, pulled } = endless(unit)
    const init = { method: 'POST', headers: JSON_TYPE, body, duplex: 'half' } as RequestInit
    const refused = await send(path, init)
    expect(refused.status).toBe(status)
    expect((await refused.json()).error.code).toBe(code ?? 'invalid_value')
    expect(pulled()).toBeLessThan(most + 3)
  }
  expect(engine.calls).toEqual([])
})

test('the number of values that a body may hold is an option', async () => {
  const { create } = endpoint(() => answer('Hi'), { request: { limits: { values: 6 } } })
  expect((await create({ input: 'hi', metadata: { a: 'b' } })).status).toBe(200)
  expect((await create({ input: 'hi', metadata: { a: 'b', c: 'd' }, tools: [], store: false })).status).toBe(413)
})

test('a body of one long text is read whole, since bytes have a limit of their own', async () => {
  const { create } = endpoint(() => answer('Hi'), { request: { limits: { values: 10, depth: 2 } } })
  expect((await create({ input: '[{,'.repeat(10_000), store: false })).status).toBe(200)
})
