import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/endpoint/stores/index.js'
import { createChatEngine } from '../../../src/engines/sources/chat.js'
import { answer, call, scriptedEngine, think as thinks } from '../../../src/testing/index.js'
import { chunk, ends, piece, say, think } from '../../engines/sources/chat/chunks.js'
import { type ChatRequest, type ChatTurn, chatEngine } from '../../support/chat-server.js'
import { frame, scriptedServer, stream } from '../../support/scripted-server.js'
import { inMemory, toolsOf } from '../tools/mcp/fixtures.js'
import { endpoint, JSON_TYPE, readUntil, tokenTable, until } from './endpoint.js'
import { connect, create as createOverSocket, faultsIn, responseOf, serve, textOf } from './web-socket/sockets.js'

const COUNTS = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } }
const said = (text: string): object[] => [say(text), ends('stop'), COUNTS]
const called = (name: string, args: string): object[] => [piece(0, args, { id: 'a', name }), ends('tool_calls'), COUNTS]
const weather = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }
/** The texts of a request, by role. */
const spoken = (asked: ChatRequest | undefined): string[] =>
  (asked?.messages ?? []).map(({ role, content }) => `${role}: ${content}`)

/** A turn whose chunks the test sends. */
function heldTurn() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let isClosed = false
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
    cancel() {
      isClosed = true
    },
  })
  return {
    turn: (() => new Response(body)) as ChatTurn,
    send: (...chunks: unknown[]) => controller?.enqueue(new TextEncoder().encode(chunks.map(frame).join(''))),
    isClosed: () => isClosed,
  }
}

describe('a response in the background, by a chat server', () => {
  test('goes on without its client, who resumes its stream where it was', async () => {
    const held = heldTurn()
    const { create, ask, stream: events } = endpoint(chatEngine([held.turn]))
    const { id, status } = (await create({ input: 'Hi', background: true })).body
    expect(status).toBe('in_progress')
    held.send(think('Hm.'), say('Hel'))
    await expect.poll(async () => JSON.stringify((await ask('GET', `/responses/${id}`)).body.output)).toContain('Hel')
    const live = events(`/responses/${id}?stream=true`)
    held.send(say('lo'), ends('stop'), COUNTS, '[DONE]')
    const all = await live
    expect(all.at(-1)).toMatchObject({ type: 'response.completed', response: { usage: { output_tokens: 4 } } })
    expect(all.flatMap((event) => ('delta' in event ? [event.delta] : []))).toEqual(['Hm.', 'Hel', 'lo'])
    for (const at of [0, 3, all.length - 2]) {
      expect(await events(`/responses/${id}?stream=true&starting_after=${at}`)).toEqual(all.slice(at + 1))
    }
    expect((await ask('GET', `/responses/${id}`)).body).toEqual(all.at(-1)?.response)
  })

  test('is cancelled in the middle of its answer, and so is the call of the server', async () => {
    const held = heldTurn()
    const { create, ask } = endpoint(chatEngine([held.turn]))
    const { id } = (await create({ input: 'Hi', background: true })).body
    held.send(say('Hel'))
    await expect.poll(async () => JSON.stringify((await ask('GET', `/responses/${id}`)).body.output)).toContain('Hel')
    const { body } = await ask('POST', `/responses/${id}/cancel`)
    expect(body).toMatchObject({ status: 'cancelled', output: [{ content: [{ text: 'Hel' }] }] })
    await until(held.isClosed)
  })
})

describe('the connection to a chat server', () => {
  const server = scriptedServer({ '/v1/models': { data: [{ id: 'qwen' }] } })

  test('is closed when a client leaves in the middle of an answer, or of reasoning that is not shown yet', async () => {
    for (const chunks of [[say('Hello')], [think('Hm.')], [chunk({ role: 'assistant' })]]) {
      const { url, backend } = server.script(stream(chunks, 'hangs'))
      const { send } = endpoint(createChatEngine({ url }))
      const leaving = new AbortController()
      const response = await send('/v1/responses', {
        ...{ method: 'POST', headers: JSON_TYPE, signal: leaving.signal },
        body: JSON.stringify({ input: 'Hi', stream: true }),
      })
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      await readUntil(reader, 'response.created')
      await reader.cancel()
      leaving.abort()
      await backend.closed
    }
  })

  test('is closed at a stop string that the server is not told', async () => {
    const { url, backend } = server.script(stream([say('one, two'), say(', three')], 'hangs'))
    const { create } = endpoint(createChatEngine({ url }))
    const { body } = await create({ input: 'Hi', stop: ', th' })
    expect(body).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'one, two' }] }] })
    await backend.closed
  })
})

describe('stop strings', () => {
  test('are sent to a server that takes them, by Responses and Chat Completions, and cut the answer here, too', async () => {
    const engine = chatEngine([said('one, two, three')], { preset: 'vllm' })
    const { create, ask } = endpoint(engine)
    const { body } = await create({ input: 'Hi', stop: [', th'] })
    expect(body.output).toMatchObject([{ content: [{ text: 'one, two' }] }])
    const messages = [{ role: 'user', content: 'Hi' }]
    const chat = await ask('POST', '/chat/completions', { messages, stop: ', t' })
    expect(chat.body.choices).toMatchObject([{ message: { content: 'one' }, finish_reason: 'stop' }])
    expect(engine.asked.map(({ stop }) => stop)).toEqual([[', th'], [', t']])
  })

  test('are not sent for Messages, whose answer names the string', async () => {
    const engine = chatEngine([said('one, two, three')], { preset: 'vllm' })
    const { ask } = endpoint(engine)
    const messages = [{ role: 'user', content: 'Hi' }]
    const { body } = await ask('POST', '/messages', { model: 'm', max_tokens: 99, messages, stop_sequences: [', t'] })
    expect(body).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: ', t', content: [{ text: 'one' }] })
    expect(engine.asked[0]).not.toHaveProperty('stop')
  })

  test('end no summary of a conversation', async () => {
    const engine = chatEngine([said('one'), said('They counted.'), said('two')], { preset: 'vllm' })
    const { create } = endpoint(engine)
    const first = (await create({ input: 'word '.repeat(1_500), stop: 'x' })).body
    const compacting = { context_management: [{ type: 'compaction', compact_threshold: 1_000 }] }
    const { body } = await create({ ...compacting, previous_response_id: first.id, input: 'Go on.', stop: 'x' })
    expect(body.output).toMatchObject([{ type: 'compaction' }, { type: 'message' }])
    expect(engine.asked.map(({ stop }) => stop)).toEqual([['x'], undefined, ['x']])
  })
})

test('truncation: auto leaves the oldest exchanges out where the server refuses them all', async () => {
  const refusal = { error: { message: 'the request exceeds the available context size', code: 400 } }
  const fits: ChatTurn = (request) =>
    request.messages.length > 5 ? Response.json(refusal, { status: 400 }) : said('Hello')
  const engine = chatEngine([fits])
  const { create } = endpoint(engine)
  const input = Array.from({ length: 8 }, (_, nth) => [
    { role: 'user', content: `Question ${nth}` },
    { role: 'assistant', content: `Answer ${nth}` },
  ]).flat()
  const asked = { instructions: 'Be brief.', input: [...input, { role: 'user', content: 'So?' }] }
  expect((await create({ ...asked, truncation: 'auto' })).body).toMatchObject({
    ...{ status: 'completed', truncation: 'auto' },
    output: [{ content: [{ text: 'Hello' }] }],
  })
  const last = spoken(engine.asked.at(-1))
  expect([last[0], last.at(-1)]).toEqual(['system: Be brief.', 'user: So?'])
  expect(last).not.toContain('user: Question 0')
  const count = engine.asked.length
  expect(await create(asked)).toMatchObject({ status: 400, body: { error: { code: 'context_length_exceeded' } } })
  expect(engine.asked).toHaveLength(count + 1)
})

test('tools of MCP servers run here, over several turns, between calls of the client’s own', async () => {
  const { tools } = toolsOf({ docs: inMemory().config })
  const engine = chatEngine([
    [think('Ask.'), ...called('docs__echo', '{"text":"one"}')],
    called('docs__echo', '{"text":"two"}'),
    called('get_weather', '{}'),
    said('Done.'),
  ])
  const { create } = endpoint(engine, { tools: [tools], store: createMemoryStore() })
  const declared = [weather, { type: 'mcp', server_label: 'docs', require_approval: 'never' }]
  const first = (await create({ input: 'Go', tools: declared })).body
  expect(first.output.map(({ type }: { type: string }) => type)).toEqual([
    ...['mcp_list_tools', 'reasoning', 'mcp_call', 'mcp_call', 'function_call'],
  ])
  expect(first.output.filter(({ type }: { type: string }) => type === 'mcp_call')).toMatchObject([
    { name: 'echo', arguments: '{"text":"one"}', error: null },
    { name: 'echo', arguments: '{"text":"two"}', error: null },
  ])
  const result = { type: 'function_call_output', call_id: first.output.at(-1).call_id, output: 'sunny' }
  const second = (await create({ previous_response_id: first.id, input: [result], tools: declared })).body
  expect(second.output.at(-1)).toMatchObject({ content: [{ text: 'Done.' }] })
  const { messages } = engine.asked.at(-1) as ChatRequest
  expect(messages.map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant', 'tool'],
  ])
  expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
    ...[expect.stringContaining('one'), expect.stringContaining('two'), 'sunny'],
  ])
})

test.each([true, false])('a WebSocket continues a conversation with store: %s', async (store) => {
  const engine = chatEngine([[think('Hm.'), ...said('Hello')], said('Again')])
  const client = await connect(await serve({ engine }))
  client.send(createOverSocket('Hi', { store }))
  const first = await client.answer()
  client.send(createOverSocket('And?', { store, previous_response_id: responseOf(first).id }))
  const second = await client.answer()
  expect([first, second].map(textOf)).toEqual(['Hello', 'Again'])
  expect([first, second].flatMap(faultsIn)).toEqual([])
  expect(spoken(engine.asked[1])).toEqual(['user: Hi', 'assistant: Hello', 'user: And?'])
})

describe('structured output', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false }
  const format = { type: 'json_schema', name: 'answer', schema, strict: true }

  test('beside tools is sent where the server takes both, and elsewhere only checked', async () => {
    const invalid: unknown[] = []
    const response = { onInvalidOutput: (output: unknown) => void invalid.push(output) }
    for (const preset of ['vllm', 'groq'] as const) {
      const engine = chatEngine([called('get_weather', '{}')], { preset })
      const { create } = endpoint(engine, { response })
      const { body } = await create({ input: 'Hi', tools: [weather], text: { format } })
      expect(body.output).toMatchObject([{ type: 'function_call' }])
      expect('response_format' in (engine.asked[0] as object)).toBe(preset === 'vllm')
    }
    const { create } = endpoint(chatEngine([said('{"a":"b"}')], { preset: 'groq' }), { response })
    await create({ input: 'Hi', tools: [weather], text: { format } })
    expect(invalid).toHaveLength(1)
  })

  test('of Chat Completions is asked of the server', async () => {
    const engine = chatEngine([said('{"a":1}')], { preset: 'openai' })
    const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } }
    const messages = [{ role: 'user', content: 'Hi' }]
    const { body } = await endpoint(engine).ask('POST', '/chat/completions', { messages, response_format })
    expect(body.choices).toMatchObject([{ message: { content: '{"a":1}' } }])
    expect(engine.asked[0]?.['response_format']).toEqual(response_format)
  })

  test('that is a JSON object is asked for as the server takes it', async () => {
    const text = { format: { type: 'json_object' } }
    for (const [preset, format] of [
      ['openai', { type: 'json_object' }],
      ['lm-studio', { type: 'json_schema', json_schema: { name: 'json_object', schema: { type: 'object' } } }],
    ] as const) {
      const engine = chatEngine([said('{}')], { preset })
      await endpoint(engine).create({ input: 'JSON, please', text })
      expect(engine.asked[0]?.['response_format']).toEqual(format)
    }
  })
})

describe('tool_choice', () => {
  const patch = { type: 'custom', name: 'apply_patch' }
  const tools = [weather, patch]
  const named = (name: string): object => ({ type: 'function', function: { name } })
  const input = '{"input":"a"}'

  test.each<[string, unknown, object[], unknown, string[]]>([
    ['auto', 'auto', said('No.'), undefined, ['get_weather', 'apply_patch']],
    ['none', 'none', said('No.'), undefined, []],
    ['required', 'required', called('get_weather', '{}'), 'required', ['get_weather', 'apply_patch']],
    [
      'a function',
      { type: 'function', name: 'get_weather' },
      called('get_weather', '{}'),
      named('get_weather'),
      ['get_weather'],
    ],
    [
      'a custom tool',
      { type: 'custom', name: 'apply_patch' },
      called('apply_patch', input),
      named('apply_patch'),
      ['apply_patch'],
    ],
    [
      'some, if it calls any',
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] },
      said('No.'),
      undefined,
      ['get_weather'],
    ],
    [
      'one of some',
      {
        ...{ type: 'allowed_tools', mode: 'required' },
        tools: [
          { type: 'function', name: 'get_weather' },
          { type: 'custom', name: 'apply_patch' },
        ],
      },
      called('apply_patch', input),
      'required',
      ['get_weather', 'apply_patch'],
    ],
  ])('%s is what the server is asked for, and offered', async (_, tool_choice, turn, sent, offered) => {
    const engine = chatEngine([turn])
    const { body } = await endpoint(engine).create({ input: 'Hi', tools, tool_choice })
    expect(body.status).toBe('completed')
    const [asked] = engine.asked
    expect([asked?.['tool_choice'], (asked?.['tools'] ?? []).map(nameOf)]).toEqual([sent, offered])
  })

  test('of a hosted tool is asked for in the first turn alone', async () => {
    const engine = chatEngine([called('python', '{"code":"1"}'), said('One.')])
    const python = { answers: () => true, run: async () => ({ output: '1' }) }
    const { body } = await endpoint(engine, { tools: [python] }).create({
      ...{ input: 'Hi', tool_choice: { type: 'code_interpreter' } },
      tools: [weather, { type: 'code_interpreter', container: { type: 'auto' } }],
    })
    expect(body.output).toMatchObject([{ type: 'code_interpreter_call' }, { type: 'message' }])
    expect(engine.asked.map(({ tool_choice }) => tool_choice)).toEqual([named('python'), undefined])
  })

  const nameOf = (tool: { function: { name: string } }): string => tool.function.name
})

describe('a conversation by previous_response_id', () => {
  const output = (body: { output: { call_id?: string }[] }): object[] => [
    { type: 'function_call_output', call_id: body.output.at(-1)?.call_id, output: 'sunny' },
  ]

  test('goes from a call of a chat server to an engine of token ids, with its reasoning', async () => {
    const store = createMemoryStore()
    const chat = chatEngine([[think('Ask.'), say('I look.'), ...called('get_weather', '{"city":"Rome"}')]])
    const ids = scriptedEngine([answer('It is sunny.')], { tokenTable })
    const first = (await endpoint(chat, { store }).create({ input: 'Weather?', tools: [weather] })).body
    const next = { previous_response_id: first.id, input: output(first), tools: [weather] }
    const { body } = await endpoint(ids, { store }).create(next)
    expect(body.output).toMatchObject([{ content: [{ text: 'It is sunny.' }] }])
    expect(ids.calls[0]?.messages.slice(-5)).toMatchObject([
      { role: 'user', content: 'Weather?' },
      { channel: 'analysis', content: 'Ask.' },
      { channel: 'commentary', content: 'I look.' },
      { channel: 'commentary', recipient: 'functions.get_weather', content: '{"city":"Rome"}' },
      { role: 'tool', name: 'functions.get_weather', content: 'sunny' },
    ])
  })

  test('goes from a call of an engine of token ids to a chat server, and back', async () => {
    const store = createMemoryStore()
    const ids = scriptedEngine(
      [[thinks('Ask.'), call('functions.get_weather', { city: 'Rome' })], answer('You are welcome.')],
      { tokenTable },
    )
    // It has shown in which field it sends reasoning.
    const chat = chatEngine([
      [think('Hm.'), ...said('Hello')],
      [think('I see.'), ...said('It is sunny.')],
    ])
    const messages = endpoint(chat, { store })
    const tokens = endpoint(ids, { store })
    await messages.create({ input: 'Hi' })
    const first = (await tokens.create({ input: 'Weather?', tools: [weather] })).body
    const second = (await messages.create({ previous_response_id: first.id, input: output(first), tools: [weather] }))
      .body
    expect(second).toMatchObject({ status: 'completed', usage: { input_tokens: 9 } })
    expect(chat.asked[1]?.messages).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        ...{ role: 'assistant', content: '', reasoning_content: 'Ask.' },
        tool_calls: [
          {
            ...{ id: 'call00001', type: 'function' },
            function: { name: 'get_weather', arguments: expect.stringContaining('Rome') },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call00001', content: 'sunny' },
    ])
    const third = (await tokens.create({ previous_response_id: second.id, input: 'Thanks' })).body
    expect(third.output).toMatchObject([{ content: [{ text: 'You are welcome.' }] }])
    expect(ids.calls.at(-1)?.messages.slice(-2)).toMatchObject([
      { channel: 'final', content: 'It is sunny.' },
      { role: 'user', content: 'Thanks' },
    ])
  })
})

test('a conversation is compacted by a request, and continues from its summary', async () => {
  const engine = chatEngine([said('Miez.'), said('A cat called Miez.'), said('Grey.')])
  const { create, ask } = endpoint(engine)
  const tools = [weather]
  const first = (await create({ input: 'Its name?', instructions: 'Be brief.', tools })).body
  const summary = await ask('POST', '/responses/compact', { model: 'm', previous_response_id: first.id })
  expect(summary.body).toMatchObject({ usage: { output_tokens: 4 } })
  const item = summary.body.output.find(({ type }: { type: string }) => type === 'compaction')
  const { body } = await create({ input: [item, { role: 'user', content: 'Its colour?' }] })
  expect(body.output).toMatchObject([{ content: [{ text: 'Grey.' }] }])
  expect(engine.asked[1]).not.toHaveProperty('tools')
  expect(spoken(engine.asked[1]).slice(0, -1).join()).toContain('user: Its name?,assistant: Miez.')
  expect(spoken(engine.asked[2]).join()).toContain('A cat called Miez.')
})

test('a limit of turns ends a loop of calls', async () => {
  const engine = chatEngine([called('python', '{"code":"1"}')])
  const python = { answers: () => true, run: async () => ({ output: '1' }) }
  const { create } = endpoint(engine, { tools: [python], limits: { turns: 3 } })
  const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
  const { body } = await create({ input: 'Go', tools })
  expect([body.status, engine.asked.length]).toEqual(['incomplete', 3])
})

test('requests are passed on to its server, with its key, which no error shows', async () => {
  const reached: unknown[] = []
  const fetch = async (url: unknown, { headers, body }: RequestInit = {}) => {
    reached.push([new URL(String(url)).pathname, new Headers(headers).get('authorization'), body])
    return Response.json({ error: { message: 'no such model for the-secret-key' } }, { status: 400 })
  }
  const engine = createChatEngine({ url: 'http://chat.invalid', apiKey: 'the-secret-key', model: 'm', fetch })
  const passing = endpoint(engine, { passOn: { server: engine.server, paths: ['/v1/embeddings'] } })
  const { status, body } = await passing.ask('POST', '/embeddings', { model: 'e', input: 'Hi' })
  expect(reached).toEqual([['/v1/embeddings', 'Bearer the-secret-key', '{"model":"e","input":"Hi"}']])
  expect([status, JSON.stringify(body)]).toEqual([400, expect.not.stringContaining('the-secret-key')])
})
