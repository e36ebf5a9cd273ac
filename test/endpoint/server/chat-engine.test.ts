import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import { createMemoryStore } from '../../../src/endpoint/stores/index.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { answer } from '../../../src/testing/index.js'
import { chunk, ends, piece, say, think } from '../../engines/sources/chat/chunks.js'
import { type ChatRequest, type ChatTurn, chatEngine } from '../../support/chat-server.js'
import { runs } from '../../support/runs.js'
import { endpoint, eventsIn, JSON_TYPE } from './endpoint.js'

const counted = (prompt_tokens: number, completion_tokens: number, more: object = {}): object => ({
  choices: [],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, ...more },
})
const weather = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}
const calls = (args: string, name = 'get_weather'): object[] => [piece(0, args, { id: 'a', name }), ends('tool_calls')]
const HELLO = [think('Hm.'), say('Hel'), say('lo'), ends('stop'), counted(9, 4)]

describe('a server of Chat Completions as the engine', () => {
  test('answers with reasoning, text and the server’s counts', async () => {
    const details = { prompt_tokens_details: { cached_tokens: 5 }, completion_tokens_details: { reasoning_tokens: 2 } }
    const engine = chatEngine([[...HELLO.slice(0, -1), counted(9, 4, details)]])
    const { create } = endpoint(engine)
    const { body } = await create({ input: 'Hi', instructions: 'Be brief.', temperature: 0 })
    expect(body).toMatchObject({
      status: 'completed',
      output: [
        { type: 'reasoning', content: [{ text: 'Hm.' }] },
        { type: 'message', phase: 'final_answer', content: [{ text: 'Hello' }] },
      ],
      usage: {
        input_tokens: 9,
        input_tokens_details: { cached_tokens: 5 },
        output_tokens: 4,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 13,
      },
    })
    expect(engine.asked).toEqual([
      {
        model: 'qwen',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
        temperature: 0,
        stream: true,
        stream_options: { include_usage: true },
      },
    ])
  })

  test('streams events that the judge accepts', async () => {
    const { stream } = endpoint(chatEngine([HELLO]))
    const events = await stream('/responses', { input: 'Hi' })
    expect(events.filter(({ type }) => type === 'response.output_text.delta')).toMatchObject([
      { delta: 'Hel' },
      { delta: 'lo' },
    ])
  })

  test('without the server’s counts, usage is an estimate, which is reported once', async () => {
    const diagnostics: Diagnostic[] = []
    const response = { onDiagnostic: (diagnostic: Diagnostic) => void diagnostics.push(diagnostic) }
    const { create } = endpoint(chatEngine([HELLO.slice(0, -1)]), { response })
    const { body } = await create({ input: 'Hi' })
    expect(body.usage.input_tokens).toBeGreaterThan(0)
    expect(body.usage.output_tokens).toBeGreaterThan(4)
    expect(diagnostics).toEqual([{ code: 'estimated_usage', subject: 'usage', index: -1 }])
  })

  test('calls tools of the client, in parallel, and continues with their results', async () => {
    const both = [
      piece(0, '{"city":', { id: 'a', name: 'get_weather' }),
      piece(1, '{"city":"Oslo"}', { id: 'b', name: 'get_weather' }),
      piece(0, '"Rome"}'),
      ends('tool_calls'),
      counted(9, 4),
    ]
    const engine = chatEngine([[think('Hm.'), say('Let me look.'), ...both], HELLO])
    const { client } = endpoint(engine, { store: createMemoryStore() })
    const { responses } = client()
    const tools = [weather] as never
    const first = await responses.create({ model: 'qwen', input: 'Weather?', tools })
    expect(first.output).toMatchObject([
      { type: 'reasoning' },
      { type: 'message', phase: 'commentary', content: [{ text: 'Let me look.' }] },
      { type: 'function_call', name: 'get_weather', arguments: '{"city":"Rome"}', status: 'completed' },
      { type: 'function_call', name: 'get_weather', arguments: '{"city":"Oslo"}', status: 'completed' },
    ])
    const input = first.output.flatMap((item) =>
      item.type === 'function_call'
        ? [
            {
              type: 'function_call_output' as const,
              call_id: item.call_id,
              output: item.arguments.length === 15 ? 'sunny' : '?',
            },
          ]
        : [],
    )
    const second = await responses.create({ model: 'qwen', previous_response_id: first.id, input, tools })
    expect(second.output_text).toBe('Hello')
    const [asked] = engine.asked.slice(1)
    expect(asked?.messages).toMatchObject([
      { role: 'user', content: 'Weather?' },
      {
        ...{ role: 'assistant', content: 'Let me look.', reasoning_content: 'Hm.' },
        tool_calls: [{ id: 'call00001', function: { arguments: '{"city":"Rome"}' } }, { id: 'call00002' }],
      },
      { role: 'tool', tool_call_id: 'call00001', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call00002', content: 'sunny' },
    ])
    expect(asked?.['tools']).toMatchObject([{ function: { name: 'get_weather', parameters: weather.parameters } }])
  })

  const python: Tool = {
    answers: ({ type }) => type === 'code_interpreter_call',
    run: async () => ({ output: '4' }),
  }
  const interpreter = { type: 'code_interpreter', container: { type: 'auto' } }

  test('runs hosted tools in a loop, whose limit counts the server’s tokens', async () => {
    const engine = chatEngine([
      [...calls('{"code":"2+2"}', 'python'), counted(20, 7)],
      [...HELLO.slice(0, -1), counted(40, 5)],
    ])
    const { create } = endpoint(engine, { tools: [python] })
    const { body } = await create({ input: 'What is 2+2?', tools: [interpreter], max_output_tokens: 40 })
    expect(body).toMatchObject({
      status: 'completed',
      output: [{ type: 'code_interpreter_call', code: '2+2' }, { type: 'reasoning' }, { type: 'message' }],
      usage: { input_tokens: 60, output_tokens: 12 },
    })
    expect(engine.asked.map(({ max_tokens }) => max_tokens)).toEqual([40, 33])
    expect(engine.asked[1]?.messages.slice(1)).toEqual([
      {
        ...{ role: 'assistant', content: '' },
        tool_calls: [{ id: 'call00001', type: 'function', function: { name: 'python', arguments: '{"code":"2+2"}' } }],
      },
      { role: 'tool', tool_call_id: 'call00001', content: '4' },
    ])
  })

  test('a limit counts the tokens of the server, and not our ids of them', async () => {
    const code = `${'1+'.repeat(40)}1`
    const engine = chatEngine([
      [...calls(JSON.stringify({ code }), 'python'), counted(20, 7)],
      [...HELLO.slice(0, -1), counted(40, 5)],
    ])
    const { create } = endpoint(engine, { tools: [python] })
    const { body } = await create({ input: 'How much?', tools: [interpreter], max_output_tokens: 20 })
    expect(body).toMatchObject({ status: 'completed', output: [{ code }, {}, {}], usage: { output_tokens: 12 } })
    expect(engine.asked.map(({ max_tokens }) => max_tokens)).toEqual([20, 13])
  })

  test('no turn follows one that has exhausted the limit', async () => {
    const engine = chatEngine([[...calls('{"code":"1"}', 'python'), counted(20, 16)], HELLO])
    const { create } = endpoint(engine, { tools: [python] })
    const { body } = await create({ input: 'How much?', tools: [interpreter], max_output_tokens: 16 })
    expect([body.status, engine.asked.length]).toEqual(['incomplete', 1])
  })

  test('a limit that the server reaches leaves the response incomplete', async () => {
    const { create } = endpoint(chatEngine([[say('Hel'), ends('length'), counted(9, 16)]]))
    expect((await create({ input: 'Hi', max_output_tokens: 16 })).body).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: 16 },
    })
  })

  test('custom tools and namespaces are functions of the server, and called as they are declared', async () => {
    const engine = chatEngine([
      [
        piece(0, '{"input":"*** Begin"}', { id: 'a', name: 'apply_patch' }),
        piece(1, '{}', { id: 'b', name: 'time__now' }),
        ends('stop'),
      ],
    ])
    const { create } = endpoint(engine)
    const tools = [
      { type: 'custom', name: 'apply_patch', description: 'Patches.' },
      {
        type: 'namespace',
        name: 'time',
        description: 'Time.',
        tools: [{ type: 'function', name: 'now', parameters: {} }],
      },
    ]
    const { body } = await create({ input: 'Hi', tools })
    expect(body.output).toMatchObject([
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin' },
      { type: 'function_call', name: 'now', namespace: 'time', arguments: '{}' },
    ])
    expect(engine.asked[0]?.['tools'].map((tool: { function: { name: string } }) => tool.function.name)).toEqual([
      'apply_patch',
      'time__now',
    ])
  })

  describe('tool_choice', () => {
    const required = { input: 'Weather?', tools: [weather], tool_choice: 'required' }

    test('is sent to the server, for the first turn', async () => {
      const engine = chatEngine([calls('{"city":"Rome"}')])
      const { create } = endpoint(engine)
      expect((await create(required)).body.output).toMatchObject([{ type: 'function_call' }])
      await create({ ...required, tool_choice: { type: 'function', name: 'get_weather' } })
      expect(engine.asked.map(({ tool_choice }) => tool_choice)).toEqual([
        { type: 'function', function: { name: 'get_weather' } },
        { type: 'function', function: { name: 'get_weather' } },
      ])
    })

    test('is asked for again, once, where the server ignores it', async () => {
      const engine = chatEngine([[say('No.'), ends('stop')], calls('{"city":"Rome"}')])
      const { create } = endpoint(engine)
      expect((await create(required)).body.output.at(-1)).toMatchObject({ type: 'function_call' })
      expect(engine.asked[1]?.messages.at(-1)).toEqual({
        role: 'user',
        content:
          'You did not call any of the tools that you were told of. You must call one now. Do not answer in words.',
      })
    })

    test('fails where the server goes on to ignore it', async () => {
      const { create } = endpoint(chatEngine([[say('No.'), ends('stop')]]))
      const { status, body } = await create(required)
      expect([status, body.error?.message ?? body.status]).toMatchObject([
        500,
        expect.stringContaining('did not call a tool'),
      ])
    })
  })

  test('structured output is asked of the server, and only checked', async () => {
    const invalid: unknown[] = []
    const engine = chatEngine([[say('{"a":'), say('1}'), ends('stop'), counted(9, 4)]], { preset: 'openai' })
    const response = {
      onUnsupportedConstraint: 'refuse' as const,
      onInvalidOutput: (output: unknown) => void invalid.push(output),
    }
    const { create } = endpoint(engine, { response })
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    }
    const text = { format: { type: 'json_schema', name: 'answer', schema, strict: true } }
    const { body } = await create({ input: 'Hi', text })
    expect(body.output).toMatchObject([{ content: [{ text: '{"a":1}' }] }])
    expect(engine.asked[0]?.['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict: true },
    })
    expect(engine.asked[0]?.messages).toEqual([{ role: 'user', content: 'Hi' }])
    expect(invalid).toHaveLength(1)
  })

  test('a strict schema is refused where it has to be enforced and the server claims nothing', async () => {
    const response = { onUnsupportedConstraint: 'refuse' as const }
    const { create } = endpoint(chatEngine([HELLO]), { response })
    const schema = { type: 'object', properties: {}, additionalProperties: false }
    const { status } = await create({
      input: 'Hi',
      text: { format: { type: 'json_schema', name: 'a', schema, strict: true } },
    })
    expect(status).toBe(400)
  })

  test('an answer ends at a stop string', async () => {
    const { create } = endpoint(chatEngine([[say('one, two'), say(', three'), ends('stop')]]))
    const { body } = await create({ input: 'Hi', stop: ', th' })
    expect(body.output).toMatchObject([{ content: [{ text: 'one, two' }] }])
  })

  test('log-probabilities have no effect, which is reported', async () => {
    const diagnostics: Diagnostic[] = []
    const response = { onDiagnostic: (diagnostic: Diagnostic) => void diagnostics.push(diagnostic) }
    const { create } = endpoint(chatEngine([HELLO]), { response })
    const { body } = await create({ input: 'Hi', include: ['message.output_text.logprobs'] })
    expect(body.status).toBe('completed')
    expect(diagnostics).toMatchObject([{ code: 'ignored_parameter', subject: 'logprobs (the engine has none)' }])
  })

  test.each([
    [401, 500, {}],
    [402, 500, {}],
    [404, 500, {}],
    [500, 500, {}],
    [429, 429, { 'retry-after': '7' }],
  ])('status %i of the server is %i for the client', async (status, told, headers) => {
    const refusal = (): Response => Response.json({ error: { message: 'no way, key 1234' } }, { status, headers })
    const { create, errors } = endpoint(chatEngine([refusal], { retries: 0 }))
    const answered = await create({ input: 'Hi' })
    expect(answered.status).toBe(told)
    if (status === 429) expect(answered.headers.get('retry-after')).toBe('7')
    else {
      expect(JSON.stringify(answered.body)).not.toContain('1234')
      expect(String(errors)).toContain('no way, key 1234')
    }
  })

  test('a stream that breaks off is response.failed', async () => {
    const { stream } = endpoint(chatEngine([[say('Hel')]], { retries: 0 }))
    const events = await stream('/responses', { input: 'Hi' })
    expect(events.at(-1)?.type).toBe('response.failed')
  })

  test('no seal records ids that the server has never seen', async () => {
    const engine = chatEngine([[think('Hm.'), ...calls('{ "city" : "Rome" }')]])
    const { create } = endpoint(engine)
    const { body } = await create({
      input: 'Hi',
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: [weather],
    })
    expect(body.output.map(({ type }: { type: string }) => type)).toEqual(['reasoning', 'function_call'])
  })

  test('a conversation goes on across engines of both kinds', async () => {
    const store = createMemoryStore()
    const chat = chatEngine([[think('Hm.'), say('Hello'), ends('stop'), counted(9, 4)]])
    const ids = endpoint([answer('Well?')], { store })
    const messages = endpoint(chat, { store })
    const first = (await messages.create({ input: 'Hi', store: true })).body
    const second = (await ids.create({ input: 'And?', previous_response_id: first.id, store: true })).body
    expect(second.output).toMatchObject([{ content: [{ text: 'Well?' }] }])
    const third = (await messages.create({ input: 'So?', previous_response_id: second.id })).body
    expect(third.status).toBe('completed')
    expect(chat.asked[1]?.messages).toMatchObject([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'And?' },
      { role: 'assistant', content: 'Well?' },
      { role: 'user', content: 'So?' },
    ])
  })

  test('answers Chat Completions and Messages, too', async () => {
    const { ask } = endpoint(chatEngine([HELLO]))
    const messages = [{ role: 'user', content: 'Hi' }]
    const chat = await ask('POST', '/chat/completions', { messages })
    expect(chat.body.choices).toMatchObject([{ message: { content: 'Hello' }, finish_reason: 'stop' }])
    const claude = await ask('POST', '/messages', { model: 'm', max_tokens: 32_000, messages })
    expect(claude.body.content.at(-1)).toMatchObject({ type: 'text', text: 'Hello' })
  })

  test('a summary of a long conversation is asked for without tools', async () => {
    const engine = chatEngine([
      [...calls('{"code":"2+2"}', 'python'), counted(20, 7)],
      [say('They asked for a sum.'), ends('stop'), counted(30, 6)],
      [say('Four.'), ends('stop'), counted(40, 5)],
    ])
    const long: Tool = { ...python, run: async () => ({ output: 'word '.repeat(2_000) }) }
    const { create } = endpoint(engine, { tools: [long] })
    const { body } = await create({
      ...{ input: 'What is 2+2?', instructions: 'Be brief.', tools: [interpreter, weather] },
      context_management: [{ type: 'compaction', compact_threshold: 1_000 }],
    })
    expect(body).toMatchObject({ status: 'completed', output: [{}, { type: 'compaction' }, { type: 'message' }] })
    expect(engine.asked[1]).not.toHaveProperty('tools')
    for (const { messages } of engine.asked) expect(messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
  })

  describe('images', () => {
    const PNG = 'data:image/png;base64,AAAA'
    const picture = { type: 'image_url', image_url: { url: PNG } }
    const contentOf = (body: ChatRequest | undefined) => body?.messages.findLast(({ role }) => role === 'user').content
    const sees = () => chatEngine([HELLO], { images: true })

    test('are seen in messages of the user, by every API', async () => {
      const engine = sees()
      const { ask, create } = endpoint(engine)
      const text = { type: 'text', text: 'What is it?' }
      const input = [
        { type: 'input_text', text: 'What is it?' },
        { type: 'input_image', image_url: PNG, detail: 'low' },
      ]
      await create({ input: [{ role: 'user', content: input }] })
      await ask('POST', '/chat/completions', { messages: [{ role: 'user', content: [text, picture] }] })
      const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
      const messages = [{ role: 'user', content: [text, { type: 'image', source }] }]
      await ask('POST', '/messages', { model: 'm', max_tokens: 9, messages })
      expect(engine.asked.map(contentOf)).toEqual([
        [text, { type: 'image_url', image_url: { url: PNG, detail: 'low' } }],
        [text, picture],
        [text, picture],
      ])
    })

    test('of tools follow their results, and those of earlier turns are seen again', async () => {
      const engine = chatEngine([calls('{}'), HELLO], { images: true })
      const { create } = endpoint(engine, { store: createMemoryStore() })
      const first = (await create({ input: 'Look', tools: [weather] })).body
      const output = [{ type: 'input_image', image_url: PNG }]
      const result = { type: 'function_call_output', call_id: first.output[0].call_id, output }
      const second = (await create({ previous_response_id: first.id, input: [result], tools: [weather] })).body
      await create({ previous_response_id: second.id, input: 'And now?' })
      expect(engine.asked.slice(1).map(({ messages }) => messages.slice(2, 4))).toEqual(
        Array.from({ length: 2 }, () => [
          { role: 'tool', tool_call_id: 'call00001', content: expect.stringMatching(/^\[image \w+\]$/) },
          { role: 'user', content: [picture] },
        ]),
      )
    })

    test('are refused where the model sees none, or the operator says so', async () => {
      const input = [{ role: 'user', content: [{ type: 'input_image', image_url: PNG }] }]
      expect((await endpoint(chatEngine([HELLO])).create({ input })).status).toBe(400)
      expect((await endpoint(sees(), { response: { images: 'refuse' } }).create({ input })).status).toBe(400)
      const engine = sees()
      await endpoint(engine, { response: { images: 'placeholder' } }).create({ input })
      expect(contentOf(engine.asked[0])).toBe('[image]')
    })

    test('a text that spells an image is one only where the conversation has that image', async () => {
      const engine = sees()
      await endpoint(engine).create({ input: '[image abc]' })
      expect(contentOf(engine.asked[0])).toBe('[image abc]')
    })
  })

  test('whatever the server streams, the events are valid, and the response ends', async () => {
    const name = fc.constantFrom('get_weather', 'python', 'other', '', null)
    const args = fc.constantFrom('{', '}', '"a":1', '{}', '', null, { a: 1 })
    const call = fc.record(
      {
        index: fc.constantFrom(0, 1),
        id: fc.constantFrom('a', 'b', ''),
        function: fc.record({ name, arguments: args }),
      },
      { requiredKeys: [] },
    )
    const text = fc.constantFrom('', ' ', 'Hi', '<|end|>', '\ud83d', '\ude00', 'x'.repeat(401))
    const delta = fc.record(
      { content: text, reasoning_content: text, tool_calls: fc.array(call, { maxLength: 2 }) },
      { requiredKeys: [] },
    )
    const event = fc.oneof(
      { weight: 6, arbitrary: delta.map((one) => chunk(one)) },
      fc.constantFrom<unknown>(ends('stop'), ends('length'), counted(9, 4), counted(0, 0), '[DONE]', {}, null),
    )
    const turns = fc.array(fc.array(event, { maxLength: 8 }), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(turns, async (script) => {
        const { send } = endpoint(chatEngine(script as readonly ChatTurn[], { retries: 0 }), { tools: [python] })
        const body = JSON.stringify({ input: 'Hi', stream: true, tools: [weather, interpreter] })
        const response = await send('/v1/responses', { method: 'POST', headers: JSON_TYPE, body })
        const text = await response.text()
        // Before its first event, a failure is a status.
        if (response.status !== 200)
          expect([response.status, JSON.parse(text).error.type]).toEqual([500, 'server_error'])
        else expect(eventsIn(text).at(-1)?.type).toMatch(/^response\.(completed|incomplete|failed)$/)
      }),
      { numRuns: runs(150) },
    )
  })
})
