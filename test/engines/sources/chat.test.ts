import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PromptFields } from '../../../src/engines/contract/prompt-fields.js'
import { type ChatEngineOptions, createChatEngine } from '../../../src/engines/sources/chat.js'
import { errorOf } from '../../support/error-of.js'
import { readTokens } from '../../support/read-tokens.js'
import { runs } from '../../support/runs.js'
import { frame, refuse, scriptedServer, stream } from '../../support/scripted-server.js'
import { cut, encodeHarmony } from '../../support/tokens.js'
import { chunk, ends, piece, say, TIME, think, USAGE, WEATHER } from './chat/chunks.js'
import { showTokens } from './chat/show.js'

const PROMPT = encodeHarmony('<|start|>user<|message|>Hi<|end|><|start|>assistant')
const MODELS = { object: 'list', data: [{ id: 'qwen' }] }
const promptFields = { tools: [WEATHER, TIME] }
const HELLO = [say('Hel'), say('lo'), ends('stop'), USAGE, '[DONE]']

describe('the chat server', () => {
  const server = scriptedServer({ '/v1/models': MODELS })
  const bare = scriptedServer()
  const noDelay = async (): Promise<void> => {}
  const open = (options: Omit<ChatEngineOptions, 'url'>, ...answers: Parameters<typeof server.script>) => {
    const script = server.script(...answers)
    return { ...script, engine: createChatEngine({ url: script.url, delay: noDelay, ...options }) }
  }
  const turn = async (engine: ReturnType<typeof createChatEngine>, options: object = {}) => {
    const { tokens, end } = await readTokens(engine.generate(PROMPT, options))
    return { text: showTokens(tokens as number[]), end }
  }

  test('a call is a request with messages, and its stream the Harmony of a turn with the server’s counts', async () => {
    const { engine, asked } = open({ apiKey: 'secret' }, stream(HELLO))
    expect(await turn(engine, { sampling: { temperature: 0 }, maxTokens: 7 })).toEqual({
      text: '[channel]final[message]Hello[return]',
      end: { reason: 'stop', usage: { inputTokens: 9, outputTokens: 4 } },
    })
    expect(asked).toMatchObject([
      { method: 'POST', path: '/v1/chat/completions', headers: { authorization: 'Bearer secret' } },
    ])
    expect(asked[0]?.body).toEqual({
      model: 'qwen',
      messages: [{ role: 'user', content: 'Hi' }],
      temperature: 0,
      max_tokens: 7,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test('any cut of the bytes gives the same turn', async () => {
    const chunks = [
      think('Hm, 😀'),
      say('Let me look.'),
      piece(0, '{"city":"Zürich"', { id: 'a', name: 'get_weather' }),
      piece(1, '{}', { id: 'b', name: 'get_time' }),
      piece(0, '}'),
      ends('tool_calls'),
      USAGE,
      '[DONE]',
    ]
    const bytes = new TextEncoder().encode(`: OPENROUTER PROCESSING\n\n${chunks.map(frame).join('')}`)
    const turnOf = async (sizes: readonly number[]) => {
      const pieces = cut(bytes, sizes)
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const next = pieces.shift()
          if (next) controller.enqueue(next)
          else controller.close()
        },
      })
      const engine = createChatEngine({
        url: 'http://server.invalid',
        model: 'm',
        fetch: async () => new Response(body),
      })
      return await turn(engine, { promptFields })
    }
    const whole = await turnOf([])
    expect(whole.text).toContain('{"city":"Zürich"}[end][start]assistant')
    for (let at = 1; at < bytes.length; at += 1) expect(await turnOf([at])).toEqual(whole)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 }), async (sizes) => {
        expect(await turnOf(sizes)).toEqual(whole)
      }),
      { numRuns: runs(100) },
    )
  })

  test('a stream that stays open after its end is closed', async () => {
    const { engine, backend } = open({}, stream(HELLO.slice(0, -1), 'hangs'))
    expect((await turn(engine)).end?.usage).toEqual({ inputTokens: 9, outputTokens: 4 })
    await backend.closed
  })

  test('a stream that is done without a reason has ended', async () => {
    const { engine } = open({}, stream([say('Hi'), '[DONE]']))
    expect(await turn(engine)).toMatchObject({ text: '[channel]final[message]Hi[return]', end: { reason: 'stop' } })
  })

  test.each([
    ['breaks off', stream([say('Hi')], 'breaks'), /the connection was lost/],
    ['ends without a reason', stream([say('Hi')]), /ended without a finish reason/],
    ['has an error', stream([say('Hi'), { error: { message: 'out of memory', code: 500 } }]), /out of memory/],
    ['ends by an error', stream([say('Hi'), ends('error')]), /ended the call: error/],
    ['is no event stream', (response) => void response.end('<!DOCTYPE html>'), /got the line "<!DOCTYPE html>"/],
  ] satisfies [string, Parameters<typeof server.script>[0], RegExp][])(
    'an answer that %s fails',
    async (_, answer, words) => {
      const { engine } = open({ retries: 0 }, answer)
      expect(await errorOf(turn(engine))).toMatchObject({ code: 'server_error', message: expect.stringMatching(words) })
    },
  )

  test.each([401, 402, 403, 404, 500])('status %i is the failure of the server, in its own words', async (status) => {
    const { engine } = open({ retries: 0 }, refuse(status, { error: { message: 'no way' } }))
    expect(await errorOf(turn(engine))).toMatchObject({
      code: 'server_error',
      status,
      message: expect.stringContaining('no way'),
    })
  })

  test('status 429 says when to come again', async () => {
    const { engine } = open({ retries: 0 }, refuse(429, { error: { message: 'slow down' } }, { 'retry-after': '7' }))
    expect(await errorOf(turn(engine))).toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: 7000 })
  })

  test('a prompt that is too long fails as such', async () => {
    const { engine } = open(
      {},
      refuse(400, { error: { message: "This model's maximum context length is 8192 tokens." } }),
    )
    expect(await errorOf(turn(engine))).toMatchObject({ code: 'context_length_exceeded' })
  })

  test('the first failed attempt is made again, and a later one is not', async () => {
    const { engine, asked } = open(
      {},
      refuse(503, 'busy'),
      stream([chunk({ role: 'assistant' })], 'breaks'),
      stream(HELLO),
    )
    expect((await turn(engine)).text).toBe('[channel]final[message]Hello[return]')
    expect(asked).toHaveLength(3)
  })

  test('without a name, the only model of the server is asked', async () => {
    const several = { data: [{ id: 'a' }, { id: 'b' }] }
    for (const [list, got] of [
      [several, 'a, b'],
      [{ data: [] }, 'none'],
    ] as const) {
      const { url } = bare.script((response) => void response.end(JSON.stringify(list)))
      const engine = createChatEngine({ url })
      const error = await errorOf(turn(engine))
      expect(error.message).toBe(`expected one model in /v1/models, got ${got}: set model`)
    }
  })

  test('a limit beyond the context is cut to it, where the server says how long that is', async () => {
    const list = { data: [{ id: 'a', max_model_len: 100 }] }
    const { url, asked } = bare.script((response, { method }) => {
      if (method === 'GET') response.end(JSON.stringify(list))
      else response.end(HELLO.map(frame).join(''))
    })
    const engine = createChatEngine({ url })
    await turn(engine, { maxTokens: 32_000 })
    await turn(engine, { maxTokens: 5 })
    await turn(engine)
    const limits = asked.flatMap(({ method, body }) => (method === 'POST' ? [Object(body).max_tokens] : []))
    expect(limits).toEqual([100 - PROMPT.length, 5, undefined])
  })

  test('reasoning is sent back in the field in which the server has sent it, and not before', async () => {
    const prompt = encodeHarmony(
      '<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>analysis<|message|>Hm.<|end|>' +
        '<|start|>assistant<|channel|>commentary to=functions.get_time <|constrain|>json<|message|>{}<|call|>' +
        '<|start|>functions.get_time to=assistant<|channel|>commentary<|message|>noon<|end|><|start|>assistant',
    )
    const { engine, asked } = open({}, stream([chunk({ reasoning: 'So.' }), ...HELLO]))
    for (let nth = 0; nth < 2; nth++) await readTokens(engine.generate(prompt, { promptFields }))
    const own = asked.map(({ body }) => Object(body).messages[1])
    expect(own[0]).not.toHaveProperty('reasoning')
    expect(own[1]).toMatchObject({ role: 'assistant', reasoning: 'Hm.', tool_calls: [{}] })
  })

  test('half an answer is continued where the server can, and fails elsewhere', async () => {
    const prompt = encodeHarmony('<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>Hel')
    const { engine, asked } = open({ preset: 'vllm' }, stream([say('lo'), ends('stop')]))
    expect(showTokens((await readTokens(engine.generate(prompt))).tokens as number[])).toBe('lo[return]')
    expect(asked[0]?.body).toMatchObject({ continue_final_message: true, messages: [{}, { content: 'Hel' }] })
    const other = open({}, stream(HELLO))
    expect(await errorOf(readTokens(other.engine.generate(prompt)))).toMatchObject({
      message: expect.stringContaining('cannot continue half an answer'),
    })
    expect(other.asked).toEqual([])
  })

  test('what a server repeats of half an answer is left out, wherever it is cut, and what only begins so is not', async () => {
    const prompt = encodeHarmony('<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>Hel')
    const answerOf = async (...pieces: string[]) => {
      const { engine } = open({ preset: 'mistral' }, stream([...pieces.map(say), ends('stop')]))
      return showTokens((await readTokens(engine.generate(prompt))).tokens as number[])
    }
    expect(await answerOf('Hello')).toBe('lo[return]')
    expect(await answerOf('H', 'el', 'lo')).toBe('lo[return]')
    expect(await answerOf('Hel')).toBe('[return]')
    expect(await answerOf('lo, Hel')).toBe('lo, Hel[return]')
    expect(await answerOf('H', 'i')).toBe('Hi[return]')
    expect(await answerOf('He')).toBe('He[return]')
  })

  describe('strings that end an answer', () => {
    const given = { promptFields: { stop: ['###'] } }

    test('are sent, until the server has reasoned: one in its reasoning would end that', async () => {
      const { engine, asked } = open({ preset: 'vllm' }, stream(HELLO), stream([think('Hm.'), ...HELLO]), stream(HELLO))
      for (let nth = 0; nth < 3; nth++) await turn(engine, given)
      expect(asked.map(({ body }) => Object(body).stop)).toEqual([['###'], ['###'], undefined])
    })

    test('do not end an answer in its reasoning: the server is asked again, once, and all is counted', async () => {
      const { engine, asked } = open(
        { preset: 'vllm', retries: 0 },
        stream([think('Is it '), ends('stop'), USAGE, '[DONE]']),
        stream([think('It is.'), say('Yes'), ends('stop'), USAGE, '[DONE]']),
      )
      expect(await turn(engine, given)).toEqual({
        text: '[channel]analysis[message]Is it It is.[end][start]assistant[channel]final[message]Yes[return]',
        end: { reason: 'stop', usage: { inputTokens: 18, outputTokens: 8 } },
      })
      expect(asked.map(({ body }) => Object(body).stop)).toEqual([['###'], undefined])
      const silent = open({ preset: 'vllm', retries: 0 }, stream([think('Hm.'), ends('stop'), '[DONE]']))
      expect((await turn(silent.engine, given)).text).toBe('[channel]analysis[message]Hm.Hm.[return]')
      expect(silent.asked).toHaveLength(2)
    })

    test('do not end an answer in its reasoning, if the server says twice that it ended', async () => {
      const { engine, asked } = open(
        { preset: 'vllm', retries: 0 },
        stream([think('Is it '), ends('stop'), { ...USAGE, ...ends('stop') }, say('?'), USAGE, '[DONE]']),
        stream([think('It is.'), say('Yes'), ends('stop'), USAGE, '[DONE]']),
      )
      expect(await turn(engine, given)).toEqual({
        text: '[channel]analysis[message]Is it It is.[end][start]assistant[channel]final[message]Yes[return]',
        end: { reason: 'stop', usage: { inputTokens: 18, outputTokens: 8 } },
      })
      expect(asked).toHaveLength(2)
    })
  })

  test('capabilities say that it takes messages, and what the server claims', async () => {
    expect(await open({}).engine.capabilities?.()).toEqual({
      ...{ takes: 'messages', continues: 'reasoning', hasSeed: true },
    })
    expect(await open({ preset: 'openai' }).engine.capabilities?.()).toMatchObject({
      passesSchemas: true,
      seesImages: true,
    })
    expect(await open({ preset: 'deepseek', contextSize: 9 }).engine.capabilities?.()).toEqual({
      ...{ takes: 'messages', continues: 'reasoning', hasSeed: false, contextLength: 9 },
    })
    expect(await open({ preset: 'openai', images: false }).engine.capabilities?.()).not.toHaveProperty('seesImages')
  })

  test.each([
    [{ preset: 'olama' }, 'preset: expected one of'],
    [{ thinkTags: true }, 'thinkTags: expected one of'],
    [{ checkModel: false }, 'no option "checkModel"'],
  ])('a wrong option is refused: %j', (options, message) => {
    expect(() => createChatEngine({ url: 'http://a', ...(options as object) })).toThrow(message)
  })

  test('log-probabilities and constraints are refused: nothing could keep them', () => {
    const { engine } = open({})
    expect(() => engine.generate(PROMPT, { logprobs: 0 })).toThrow('logprobs: expected none')
    expect(() => engine.generate(PROMPT, { constraint: { regex: 'a' } })).toThrow('cannot constrain')
  })

  test('a server is healthy that lists its models', async () => {
    await open({}).engine.health()
    const { url } = bare.script(refuse(401, { error: 'who is it?' }))
    await expect(createChatEngine({ url }).health()).rejects.toThrow('who is it?')
  })

  test('whatever chunks a server sends, a call ends or fails, and its tokens are a turn', async () => {
    const name = fc.constantFrom('get_weather', 'get_time', 'other', '', null, undefined)
    const args = fc.constantFrom('{', '}', '"a":1', '{}', '', null, { a: 1 }, undefined)
    const callPiece = fc.record(
      {
        index: fc.constantFrom(0, 1, 2, null),
        id: fc.constantFrom('a', 'b', '', null),
        function: fc.record({ name, arguments: args }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    const text = fc.constantFrom('', ' ', 'Hi', '<|end|>', '\ud83d', '\ude00', null, 'x'.repeat(401))
    const delta = fc.record(
      { content: text, reasoning_content: text, tool_calls: fc.array(callPiece, { maxLength: 3 }) },
      { requiredKeys: [] },
    )
    const event = fc.oneof(
      { weight: 8, arbitrary: delta.map((one) => chunk(one)) },
      fc.constantFrom<unknown>(
        ends('stop'),
        ends('length'),
        USAGE,
        '[DONE]',
        {},
        { choices: null },
        chunk({ content: 1 }),
      ),
      fc.jsonValue(),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 12 }), fc.boolean(), async (events, hasTools) => {
        const fetch = async () => new Response(events.map(frame).join(''))
        const engine = createChatEngine({ url: 'http://server.invalid', model: 'm', fetch, retries: 0 })
        const given: { promptFields?: PromptFields } = hasTools ? { promptFields } : {}
        try {
          const { text } = await turn(engine, given)
          expect(text).toMatch(/^(\[(return|call)\]|\[channel\].*)?$/s)
        } catch (error) {
          expect(error).toMatchObject({ name: 'EngineError' })
        }
      }),
      { numRuns: runs(300) },
    )
  })
})
