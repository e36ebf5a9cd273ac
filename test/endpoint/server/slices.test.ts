import { expect, test } from 'vitest'
import { nextTurn } from '../../../src/endpoint/flow/next-turn.js'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'
import { describeSlow } from '../../support/slow-suites.js'
import { endpoint, tokenTable } from './endpoint.js'
import { connect, create, serve } from './web-socket/sockets.js'

/** An endpoint whose work stops at each pause, until it is released. */
function stepwise(options: Partial<ResponsesAppOptions> = {}, contextLength?: number) {
  const waiting: (() => void)[] = []
  const pause = (): Promise<void> => new Promise((resolve) => void waiting.push(resolve))
  const engine = scriptedEngine(() => answer('Hi'), { tokenTable, ...(contextLength && { contextLength }) })
  const served = endpoint(engine, { pause, ...options })
  let pauses = 0
  return {
    ...served,
    pauses: () => pauses,
    /** Whether work is paused, once all other work is done. */
    async isPaused(): Promise<boolean> {
      for (let turn = 0; turn < 20; turn++) await nextTurn()
      return waiting.length > 0
    },
    resume(): void {
      for (const resume of waiting.splice(0)) {
        pauses += 1
        resume()
      }
    },
  }
}

/** Releases all work. */
async function finish<Result>(server: ReturnType<typeof stepwise>, work: Promise<Result>): Promise<Result> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    server.resume()
    await nextTurn()
  }
  return await over
}

const WORDS = 'some words of a text '
const long = (size: number): string => WORDS.repeat(size / WORDS.length)
const messages = (count: number): object[] => Array.from({ length: count }, () => ({ role: 'user', content: 'Hi' }))
const calls = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => [
    { type: 'function_call', call_id: `c${at}`, name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: `c${at}`, output: 'Done' },
  ]).flat()
const strict = (count: number, name = 'f'): object => {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, at) => [`name_${at}`, { type: 'string' }]))
  return { type: 'function', name, strict: true, parameters: { type: 'object', properties } }
}
const strictTools = (count: number): object[] => Array.from({ length: count }, (_, at) => strict(10, `f_${at}`))

describeSlow('what takes long', () => {
  test.each([
    ['a long text', '/responses', { input: long(300_000) }],
    ['one long word', '/responses', { input: 'lorem'.repeat(60_000) }],
    ['long instructions', '/responses', { input: 'Hi', instructions: long(300_000) }],
    ['many messages', '/responses', { input: messages(4_000) }],
    ['many calls with their results', '/responses', { input: calls(2_000) }],
    ['a strict function of many parameters', '/responses', { input: 'Hi', tools: [strict(1_000)] }],
    ['many strict functions', '/responses', { input: 'Hi', tools: strictTools(200) }],
    ['many messages of Chat Completions', '/chat/completions', { messages: messages(4_000) }],
    ['many messages of the Messages API', '/messages', { max_tokens: 16, messages: messages(4_000) }],
    ['a long text that is counted', '/responses/input_tokens', { input: long(300_000) }],
    ['a long conversation that is compacted', '/responses/compact', { input: long(300_000) }],
    ['a long text of Chat Completions', '/chat/completions', { messages: [{ role: 'user', content: long(300_000) }] }],
  ])('another request is answered between two slices of %s', async (_, path, body) => {
    const server = stepwise()
    const first = server.ask('POST', path, { model: 'gpt-oss', ...body })
    expect(await server.isPaused()).toBe(true)
    expect((await server.create({ input: 'Hi' })).status).toBe(200)
    server.resume()
    expect(await server.isPaused()).toBe(true)
    expect((await server.create({ input: 'Hi' })).status).toBe(200)
    expect((await finish(server, first)).status).toBe(200)
    expect(server.pauses()).toBeGreaterThan(5)
    expect(server.pauses()).toBeLessThan(400)
  })

  test.each([
    ['messages', messages(8_000)],
    ['calls', calls(4_000)],
  ])('the passes over many %s that are continued are in slices of their own', async (_, input) => {
    const server = stepwise()
    const { body } = await finish(server, server.create({ input }))
    const before = server.pauses()
    const next = await finish(server, server.create({ input: 'Go on', previous_response_id: body.id }))
    expect(next.status).toBe(200)
    expect(server.pauses() - before).toBeGreaterThan(24)
  })

  test('a short request never pauses', async () => {
    const server = stepwise()
    expect((await server.create({ input: messages(20), instructions: long(2_000) })).status).toBe(200)
    expect(server.pauses()).toBe(0)
  })

  test('a large body is parsed in a piece of its own, and a small one with what comes after it', async () => {
    const server = stepwise()
    const refused = (size: number) => server.create({ input: 'Hi', temperature: long(size) })
    expect((await refused(100_000)).status).toBe(400)
    expect(server.pauses()).toBe(0)
    const first = refused(2_000_000)
    for (let pauses = 1; pauses <= 2; pauses++) {
      expect(await server.isPaused()).toBe(true)
      expect((await server.create({ input: 'Hi' })).status).toBe(200)
      server.resume()
    }
    expect((await finish(server, first)).status).toBe(400)
    expect(server.pauses()).toBe(2)
  })

  test('input that is too long for the context is refused without being read to its end', async () => {
    const server = stepwise({}, 4_096)
    const texts = [long(5_000_000), 'QWxsIHlvdXIgYmFzZTY0'.repeat(250_000), 'lorem'.repeat(1_000_000)]
    for (const input of [...texts, messages(50_000)]) {
      const before = server.pauses()
      const { status, body } = await finish(server, server.create({ input, store: false }))
      expect([status, body.error.code]).toEqual([400, 'context_length_exceeded'])
      // Items are read before their text is.
      expect(server.pauses() - before).toBeLessThan(typeof input === 'string' ? 30 : 1_000)
    }
    expect(server.engine.calls).toEqual([])
  })

  test('no more tokens are counted than the limit says', async () => {
    const server = endpoint(() => answer('Hi'), { limits: { countedTokens: 1_000 } })
    const count = (input: string) => server.ask('POST', '/responses/input_tokens', { input })
    expect((await count(WORDS.repeat(100))).body.input_tokens).toBeGreaterThan(500)
    const { status, body } = await count(WORDS.repeat(1_000))
    expect([status, body.error.code]).toEqual([400, 'context_length_exceeded'])
    expect(body.error.message).toContain('more than 1000 tokens')
  })

  test('the work for a client that has left is not done to its end', async () => {
    const server = stepwise()
    const leaving = new AbortController()
    const body = JSON.stringify({ model: 'gpt-oss', input: long(3_000_000), store: false })
    const headers = { 'content-type': 'application/json' }
    const asked = server.send('/v1/responses', { method: 'POST', headers, body, signal: leaving.signal })
    expect(await server.isPaused()).toBe(true)
    leaving.abort()
    await finish(
      server,
      Promise.resolve(asked).catch(() => {}),
    )
    expect(await server.isPaused()).toBe(false)
    expect(server.pauses()).toBeLessThan(5)
    expect(server.errors).toEqual([])
    expect(server.engine.calls).toEqual([])
  })

  test('a response that is stopped with the server before its prompt is there is an error that says so', async () => {
    const server = stepwise()
    const first = server.create({ input: long(300_000) })
    expect(await server.isPaused()).toBe(true)
    const stop = new AbortController()
    const drained = server.drain(stop.signal)
    stop.abort()
    expect((await finish(server, first)).status).toBe(503)
    await drained
  })
})

test('a socket with many requests is answered in turns with another', async () => {
  const server = await serve({ engine: scriptedEngine(() => answer('Hi')), limits: { waitingRequests: 400 } })
  const [many, one] = [await connect(server), await connect(server)]
  for (let count = 0; count < 150; count++) many.send(create('Hi', { store: false }))
  const first = many.answer()
  await first
  one.send(create('Hi', { store: false }))
  let others = 1
  const counted = (async () => {
    for (; others < 150; others++) await many.answer()
  })()
  await one.answer()
  expect(others).toBeLessThan(125)
  await counted
})

test('callers that wait for a turn get one each, in their order', async () => {
  const order: string[] = []
  const work = async (name: string): Promise<void> => {
    for (let slice = 0; slice < 3; slice++) {
      await nextTurn()
      order.push(name)
    }
  }
  const others = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    order.push('another')
  }
  await Promise.all([work('a'), work('b'), work('c'), others()])
  expect(order.filter((name) => name !== 'another').join('')).toBe('abcabcabc')
  expect(order.indexOf('another')).toBeLessThan(5)
})
