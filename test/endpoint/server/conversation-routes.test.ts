import { afterEach, describe, expect, test, vi } from 'vitest'
import { EngineError, type TokenEngine } from '../../../src/engines/contract/index.js'
import { answer, fail, think } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

describe('POST /responses/input_tokens', () => {
  const tools = [{ type: 'function', name: 'weather', description: 'The weather.', parameters: {}, strict: false }]
  test.each([
    ['a text', { input: 'How many tokens is this?' }],
    ['instructions and tools', { input: 'Hi', instructions: 'Be short.', tools }],
    ['reasoning effort', { input: 'Hi', reasoning: { effort: 'high' } }],
  ])('POST /responses/input_tokens counts the tokens that the model would read: %s', async (_, body) => {
    const { ask, create, engine } = endpoint(() => answer('Hi'))
    const counted = await ask('POST', '/responses/input_tokens', { model: 'gpt-oss', ...body })
    expect(engine.calls).toHaveLength(0)
    const { body: response } = await create(body)
    expect(counted.body).toEqual({ object: 'response.input_tokens', input_tokens: response.usage.input_tokens })
  })

  test('POST /responses/input_tokens counts the conversation before the input, too', async () => {
    const { ask, create } = endpoint(() => [think('Hm.'), answer('Hi')])
    const first = await create({ input: 'Hi' })
    const body = { model: 'gpt-oss', input: 'More', previous_response_id: first.body.id }
    const counted = await ask('POST', '/responses/input_tokens', body)
    expect(counted.body.input_tokens).toBe((await create(body)).body.usage.input_tokens)
    expect((await ask('POST', '/responses/input_tokens', { ...body, previous_response_id: 'resp_x' })).status).toBe(400)
  })
})

describe('compaction', () => {
  const summary = 'The user is called Ann and likes tea.'

  test('compaction gives one sealed item, which is taken back instead of the conversation', async () => {
    const { ask, create, engine } = endpoint([answer(summary), answer('Tea.')])
    const input = [
      { role: 'user', content: 'I am Ann. I like tea.' },
      { role: 'assistant', content: 'Noted.' },
    ]
    const compacted = (await ask('POST', '/responses/compact', { model: 'gpt-oss', input })).body
    expect(compacted).toMatchObject({ object: 'response.compaction', output: [{ type: 'compaction' }] })
    expect(compacted.usage.total_tokens).toBe(compacted.usage.input_tokens + compacted.usage.output_tokens)
    // With their blanks: sealed text is random base64, in which `Ann` alone comes up by chance.
    for (const words of ['called Ann', 'I am Ann', 'likes tea']) expect(JSON.stringify(compacted)).not.toContain(words)
    const next = await create({ input: [...compacted.output, { role: 'user', content: 'What do I like?' }] })
    expect(next.body.output[0].content[0].text).toBe('Tea.')
    expect(engine.calls[1]?.messages.map(({ content }) => content).join()).toContain(summary)
  })

  test('the SDK compacts a conversation that is stored', async () => {
    const { client, engine } = endpoint([answer('Hi Ann.'), answer(summary)])
    const { id } = await client().responses.create({ model: 'gpt-oss', input: 'I am Ann.' })
    const compacted = await client().responses.compact({ model: 'gpt-oss', previous_response_id: id })
    expect(compacted.output.map(({ type }) => type)).toEqual(['compaction'])
    expect(engine.calls[1]?.messages.map(({ content }) => content).join()).toContain('Hi Ann.')
  })

  test('compaction happens within a response where the input ends in compaction_trigger', async () => {
    const { create, engine } = endpoint([answer(summary), answer('Tea.')])
    const input = [{ role: 'user', content: 'I am Ann.' }, { type: 'compaction_trigger' }]
    const { body } = await create({ input })
    expect(body.output.map(({ type }: { type: string }) => type)).toEqual(['compaction'])
    await create({ input: 'What do I like?', previous_response_id: body.id })
    expect(engine.calls[1]?.messages.map(({ content }) => content).join()).toContain(summary)
  })

  test('a compaction of another caller cannot be opened', async () => {
    const { ask, create } = endpoint(() => answer(summary))
    const body = { model: 'gpt-oss', input: 'I am Ann.' }
    const compacted = (await ask('POST', '/responses/compact', body, { authorization: 'Bearer ann' })).body
    const stolen = await create({ input: [...compacted.output, { role: 'user', content: 'Hi' }] })
    expect([stolen.status, stolen.body.error.code]).toEqual([400, 'invalid_encrypted_content'])
  })

  test('compaction gives its place back when the engine fails, and is a 500', async () => {
    const { ask, service } = endpoint(() => fail(new Error('secret')))
    const { status, body } = await ask('POST', '/responses/compact', { model: 'gpt-oss', input: 'Hi' })
    expect([status, body.error.code, service.load.running]).toEqual([500, 'server_error', 0])
  })

  test('compaction needs a model', async () => {
    const { ask } = endpoint([])
    expect((await ask('POST', '/responses/compact', { input: 'Hi' })).body.error.param).toBe('model')
  })
})

describe('models', () => {
  const served = endpoint([], { models: ['gpt-oss-20b', 'openai/gpt-oss-120b'] })

  test('models are listed for the SDK, and found by their names, with slashes too', async () => {
    const names: string[] = []
    for await (const { id } of served.client().models.list()) names.push(id)
    expect(names).toEqual(['gpt-oss-20b', 'openai/gpt-oss-120b'])
    expect((await served.client().models.retrieve('openai/gpt-oss-120b')).id).toBe('openai/gpt-oss-120b')
    const { status, body } = await served.ask('GET', '/models/gpt-4')
    expect([status, body.error.code]).toEqual([404, 'model_not_found'])
  })
})

describe('health', () => {
  afterEach(() => void vi.useRealTimers())

  const of = async ({ send }: Pick<ReturnType<typeof endpoint>, 'send'>, path: string): Promise<unknown[]> => {
    const response = await send(path)
    return [response.status, await response.text()]
  }

  test('/healthz, /readyz and /health need no key, and say nothing but whether all is well', async () => {
    const well = endpoint([], { authorize: () => undefined })
    const sick = endpoint(
      { ...well.engine, health: () => Promise.reject(new Error('10.0.0.1 refused')) },
      { authorize: () => undefined },
    )
    expect(await of(well, '/healthz')).toEqual([200, 'ok'])
    expect(await of(well, '/readyz')).toEqual([200, 'ok'])
    expect(await of(sick, '/healthz')).toEqual([200, 'ok'])
    expect(await of(sick, '/readyz')).toEqual([503, 'not ready'])
    expect(await of(well, '/health')).toEqual([200, 'ok'])
    expect(await of(sick, '/health')).toEqual([503, 'not ready'])
  })

  test('/health answers a HEAD with the status of a GET and no body, as /readyz does', async () => {
    const well = endpoint([])
    const sick = endpoint({ ...well.engine, health: () => Promise.reject(new Error('down')) })
    for (const path of ['/health', '/readyz']) {
      const answers = await Promise.all([well, sick].map(({ send }) => send(path, { method: 'HEAD' })))
      expect(answers.map(({ status }) => status)).toEqual([200, 503])
      expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['', ''])
    }
  })

  test('/health names no reason, though /readyz does', async () => {
    const down = new EngineError('server_error', 'It serves another model.', {
      ...{ isUnavailable: true, reason: 'expected a gpt-oss model' },
    })
    const served = endpoint({ ...endpoint([]).engine, health: () => Promise.reject(down) })
    expect(await of(served, '/readyz')).toEqual([503, 'not ready: expected a gpt-oss model'])
    expect(await of(served, '/health')).toEqual([503, 'not ready'])
    expect(served.errors).toHaveLength(2)
  })

  test.each(['/healthz', '/readyz', '/health'])("a page of the host's own at %s takes precedence", async (path) => {
    const served = endpoint([], { pages: { [path]: () => new Response('mine') } })
    expect(await of(served, path)).toEqual([200, 'mine'])
  })

  test.each(['/*', '/:page'])('a pattern of pages, %s, takes over none of them', async (pattern) => {
    const authorize = (): never => {
      throw new Error('no key')
    }
    const served = endpoint([], { pages: { [pattern]: () => new Response('mine') }, authorize })
    for (const path of ['/healthz', '/readyz', '/health']) expect(await of(served, path)).toEqual([200, 'ok'])
  })

  describe('of an engine that hangs', () => {
    test.each([
      ['after 5 seconds', {}, 5000],
      ['after the seconds of limits.healthSeconds', { limits: { healthSeconds: 2 } }, 2000],
    ])('an engine that hangs makes /readyz answer with 503 and the reason %s', async (_, options, ms) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      let signal: AbortSignal | undefined
      const engine: TokenEngine = {
        ...endpoint([]).engine,
        health(given) {
          signal = given?.signal
          return new Promise(() => {})
        },
      }
      const served = endpoint(engine, options)
      const answered = of(served, '/readyz')
      await vi.advanceTimersByTimeAsync(ms - 1)
      expect([await Promise.race([answered, 'waiting']), signal?.aborted]).toEqual(['waiting', false])
      await vi.advanceTimersByTimeAsync(1)
      const reason = `The engine did not answer within ${ms / 1000} seconds.`
      expect(await answered).toEqual([503, `not ready: ${reason}`])
      expect(served.errors).toEqual([expect.objectContaining({ message: reason })])
      expect(signal?.aborted).toBe(true)
    })

    test('an engine that hangs is told to the host once, whatever it throws when it is told to stop', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const engine: TokenEngine = {
        ...endpoint([]).engine,
        health: ({ signal } = {}) =>
          new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped')))),
      }
      const { errors, ...served } = endpoint(engine)
      const answered = of(served, '/readyz')
      await vi.advanceTimersByTimeAsync(5000)
      expect((await answered)[0]).toBe(503)
      expect(errors).toHaveLength(1)
    })

    test('/readyz leaves no timer behind when the engine answers', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      expect(await of(endpoint([]), '/readyz')).toEqual([200, 'ok'])
      expect(vi.getTimerCount()).toBe(0)
    })

    test.each([0, -1, 1.5, Number.NaN, '5'])('a healthSeconds of %j is refused', (healthSeconds) => {
      expect(() => endpoint([], { limits: { healthSeconds: healthSeconds as number } })).toThrow(
        /limits\.healthSeconds/,
      )
    })
  })
})
