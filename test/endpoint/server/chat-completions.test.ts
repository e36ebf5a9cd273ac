import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { type ResponsesServer, serveResponses } from '../../../src/endpoint/server/node.js'
import { EngineError } from '../../../src/engines/contract/index.js'
import { loadTokenTable } from '../../../src/index.js'
import { answer, call, fail, scriptedEngine, think } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

let server: ResponsesServer
let openai: OpenAI

const tool = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
} as const

beforeAll(async () => {
  const engine = scriptedEngine(({ messages }) => {
    const { content = '', role } = messages.at(-1) ?? {}
    if (content.includes('fail'))
      return [think('Hm.'), fail(new EngineError('server_error', 'cannot open secret.gguf'))]
    if (content.includes('weather') && role === 'user') {
      return [think('I look.'), call('functions.get_weather', { city: 'Rome' })]
    }
    return [think('Hm.'), answer(`I read: ${content}`)]
  })
  const tokenTable = await loadTokenTable()
  server = await serveResponses({ engine, tokenTable, port: 0, keepAliveMs: 0, onError: () => {} })
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
})

afterAll(() => server.close())

describe('chat completions over HTTP', () => {
  test("an answer has the model's text, with its reasoning and usage", async () => {
    const { choices, usage } = await openai.chat.completions.create({
      model: 'gpt-oss',
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect(choices).toMatchObject([
      { finish_reason: 'stop', message: { role: 'assistant', content: 'I read: Hi', reasoning_content: 'Hm.' } },
    ])
    expect(usage?.completion_tokens).toBeGreaterThan(0)
  })

  test('a stream ends with the usage that was asked for, and adds up to the same answer', async () => {
    const stream = openai.chat.completions.stream({
      model: 'gpt-oss',
      messages: [{ role: 'user', content: 'Hi' }],
      stream_options: { include_usage: true },
    })
    const { choices, usage } = await stream.finalChatCompletion()
    expect(choices[0]?.message.content).toBe('I read: Hi')
    expect(usage?.completion_tokens).toBeGreaterThan(0)
  })

  test('an answer ends in front of a stop string, streamed or not, and says that it stopped', async () => {
    const request = {
      model: 'gpt-oss',
      messages: [{ role: 'user', content: 'I think.\nObservation: 5' }],
      stop: ['Observation:', 'Calling tools:'],
      seed: 7,
    } satisfies Partial<OpenAI.ChatCompletionCreateParams>
    const whole = await openai.chat.completions.create({ ...request, messages: [...request.messages] as never })
    const streamed = await openai.chat.completions.stream({ ...request, messages: [...request.messages] as never })
    for (const { choices } of [whole, await streamed.finalChatCompletion()]) {
      expect(choices).toMatchObject([{ finish_reason: 'stop', message: { content: 'I read: I think.\n' } }])
    }
  })

  test('a client runs a call and sends its result back', async () => {
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: 'How is the weather?' }]
    const first = await openai.chat.completions.create({ model: 'gpt-oss', messages, tools: [tool] })
    const [choice] = first.choices
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Rome"}' } }] },
    })
    messages.push(choice?.message as OpenAI.Chat.ChatCompletionMessageParam)
    messages.push({ role: 'tool', tool_call_id: choice?.message.tool_calls?.[0]?.id ?? '', content: '21 degrees' })
    const second = await openai.chat.completions.create({ model: 'gpt-oss', messages, tools: [tool] })
    expect(second.choices[0]?.message.content).toBe('I read: 21 degrees')
  })

  test('errors of a request use the names of the older API', async () => {
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 5 },
        ],
      },
    ] as never
    const refused = openai.chat.completions.create({ model: 'gpt-oss', messages })
    await expect(refused).rejects.toMatchObject({ status: 400, param: expect.stringMatching(/^messages\[0\]/) })
  })

  test('an engine that fails is a server error, and says nothing of the host', async () => {
    const asked = { model: 'gpt-oss', messages: [{ role: 'user' as const, content: 'fail' }] }
    const failed = openai.chat.completions.create(asked)
    await expect(failed).rejects.toMatchObject({ status: 500, message: expect.not.stringContaining('secret') })
    const read = async (): Promise<void> => {
      for await (const _ of await openai.chat.completions.create({ ...asked, stream: true }));
    }
    await expect(read()).rejects.toThrow('The server had an internal error.')
  })

  test('the reasoning is in reasoning_content alone, whole and streamed, unless the host names another field', async () => {
    const fieldsOf = async (options: Partial<ResponsesAppOptions>, asked: object = {}): Promise<string[][]> => {
      const { ask, send } = endpoint(() => [think('Hm.'), answer('Hi.')], options)
      const body = { model: 'gpt-oss', messages: [{ role: 'user', content: 'Hi' }], ...asked }
      const { message } = (await ask('POST', '/chat/completions', body)).body.choices[0]
      const init = { method: 'POST', body: JSON.stringify({ ...body, stream: true }) }
      const text = await (await send('/v1/chat/completions', init)).text()
      const deltas = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json).choices[0].delta)
      const all = ['reasoning_content', 'reasoning']
      return [message, Object.assign({}, ...deltas)].map((said) => all.filter((name) => name in said))
    }
    expect(await fieldsOf({})).toEqual([['reasoning_content'], ['reasoning_content']])
    const [both, old] = [['reasoning_content', 'reasoning'], ['reasoning']]
    expect(await fieldsOf({ chat: { reasoning: 'both' } })).toEqual([both, both])
    expect(await fieldsOf({ chat: { reasoning: 'reasoning' } })).toEqual([old, old])
    expect(await fieldsOf({ chat: { reasoning: 'hidden' } })).toEqual([[], []])
    expect(await fieldsOf({ chat: { reasoning: 'both' } }, { reasoning: { exclude: true } })).toEqual([[], []])
  })

  test('a field for the reasoning that there is not is a typed error when the app is made', () => {
    const make = (chat: unknown) => () => endpoint([], { chat: chat as never })
    expect(make({ reasoning: 'thinking' })).toThrow(
      "chat.reasoning: expected one of 'reasoning_content', 'reasoning', 'both', 'hidden'",
    )
    expect(make('both')).toThrow('chat: expected an object')
  })
})
