import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import type { Metric, ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { functionTools } from '../../../src/endpoint/tools/functions.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { EngineError } from '../../../src/engines/contract/index.js'
import { answer, call, fail, hang, preamble, type Script, think } from '../../../src/testing/index.js'
import { anthropicOf } from './anthropic-sdk.js'
import { dice } from './dice-and-weather.js'
import { type Endpoint, endpoint, readUntil } from './endpoint.js'

const WEATHER: Anthropic.Tool = {
  name: 'get_weather',
  description: 'The weather in a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const QUESTION = { model: 'gpt-oss', max_tokens: 1000, messages: [{ role: 'user', content: 'Weather?' }] } as const
const SHOWN = { thinking: { type: 'adaptive' } } as const

/** The endpoint, and the official SDK in this process. */
function messagesEndpoint(script: Script, options: Partial<ResponsesAppOptions> = {}) {
  const served = endpoint(script, options)
  return { ...served, anthropic: anthropicOf(served) }
}

/** The frames of a stream as they are sent. */
async function sent({ send }: Endpoint, body: object) {
  const response = await send('/v1/messages', { method: 'POST', body: JSON.stringify({ ...body, stream: true }) })
  const text = await response.text()
  return [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, name, json = '']) => {
    const event = JSON.parse(json)
    expect(event.type).toBe(name)
    return event
  })
}

describe('POST /v1/messages', () => {
  test("a message has the model's text, whole and streamed, with thinking that was asked for", async () => {
    const { anthropic } = messagesEndpoint(() => [think('Hm.'), answer('It rains.')])
    const whole = await anthropic.messages.create({ ...QUESTION, ...SHOWN, messages: [...QUESTION.messages] })
    expect(whole).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'gpt-oss',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: expect.stringMatching(/^0-0\.hr1\.rs\./) },
        { type: 'text', text: 'It rains.' },
      ],
      stop_reason: 'end_turn',
      stop_sequence: null,
    })
    expect(whole.id).toMatch(/^msg_/)
    const streamed = await anthropic.messages
      .stream({ ...QUESTION, ...SHOWN, messages: [...QUESTION.messages] })
      .finalMessage()
    const plain = ({ content, stop_reason, stop_sequence, usage }: Anthropic.Message) => ({
      content: content.map((block) => ({ ...block, signature: 'sealed' })),
      stop: [stop_reason, stop_sequence],
      output: usage.output_tokens,
    })
    expect(plain(streamed)).toEqual(plain(whole))
    expect(whole.usage.output_tokens).toBeGreaterThan(0)
    expect(whole.usage.input_tokens + (whole.usage.cache_read_input_tokens ?? 0)).toBeGreaterThan(0)
  })

  test('a client that did not ask for thinking finds the text first', async () => {
    const { anthropic } = messagesEndpoint(() => [think('Hm.'), answer('It rains.')])
    const { content } = await anthropic.messages.create({ ...QUESTION, messages: [...QUESTION.messages] })
    expect(content).toEqual([{ type: 'text', text: 'It rains.', citations: null }])
  })

  test('thinking whose text is omitted is a signature alone', async () => {
    const { anthropic } = messagesEndpoint(() => [think('Hm.'), answer('It rains.')])
    const thinking = { type: 'adaptive', display: 'omitted' } as const
    const { content } = await anthropic.messages.create({ ...QUESTION, thinking, messages: [...QUESTION.messages] })
    expect(content[0]).toMatchObject({ type: 'thinking', thinking: '', signature: expect.stringMatching(/^0-0\.hr1/) })
    expect(content[1]).toMatchObject({ type: 'text', text: 'It rains.' })
  })

  test('the tool runner of the SDK runs calls until the model answers', async () => {
    const script: Script = ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? [think('So.'), answer(`It is ${messages.at(-1)?.content}.`)]
        : [think('I look.'), call('functions.get_weather', '{"city": "Rome"}')]
    const { anthropic, engine } = messagesEndpoint(script)
    const ran: unknown[] = []
    const runner = anthropic.beta.messages.toolRunner({
      ...QUESTION,
      messages: [...QUESTION.messages],
      tools: [
        {
          ...WEATHER,
          input_schema: WEATHER.input_schema,
          parse: (input: unknown) => input,
          run: async (input: unknown) => {
            ran.push(input)
            return '21 degrees'
          },
        } as never,
      ],
    })
    const last = await runner
    expect(ran).toEqual([{ city: 'Rome' }])
    expect(last.content).toMatchObject([{ type: 'text', text: 'It is 21 degrees.' }])
    // The call comes back as it was sampled, with its blank, and with the reasoning before it.
    const [first, second] = engine.calls
    expect(Array.from(second?.tokens ?? []).slice(0, first?.tokens.length)).toEqual(Array.from(first?.tokens ?? []))
    expect(second?.messages.map(({ content }) => content)).toContain('{"city": "Rome"}')
    expect(second?.messages.map(({ content }) => content)).toContain('I look.')
  })

  test('a call that is cut off is not shown, and one that is no JSON is an object', async () => {
    const { anthropic } = messagesEndpoint(() => [
      call('functions.get_weather', { city: 'Rome, Oslo, Brest, Lyon, Metz' }),
    ])
    const request = { ...QUESTION, messages: [...QUESTION.messages], tools: [WEATHER] }
    const short = await anthropic.messages.create({ ...request, max_tokens: 12 })
    expect(short).toMatchObject({ content: [], stop_reason: 'max_tokens' })
    const { anthropic: odd } = messagesEndpoint(() => [call('functions.get_weather', '{"city": Rome')])
    const { content } = await odd.messages.create(request)
    expect(content).toMatchObject([{ type: 'tool_use', name: 'get_weather', input: { input: '{"city": Rome' } }])
  })

  /** A finished call, and one that the limit cuts. */
  const CUT: Script = () => [
    { ...call('functions.get_weather', { city: 'Rome' }), ends: 'end' },
    call('functions.get_weather', { city: 'Oslo, Brest, Lyon, Metz, Paris, Nice, Lille' }),
  ]
  const TWO_CALLS = { ...QUESTION, messages: [...QUESTION.messages], tools: [WEATHER], max_tokens: 30 }

  test('an answer whose limit cuts a later call ends with max_tokens, and has the finished call alone', async () => {
    const { anthropic } = messagesEndpoint(CUT)
    const whole = await anthropic.messages.create(TWO_CALLS)
    const streamed = await anthropic.messages.stream(TWO_CALLS).finalMessage()
    for (const { content, stop_reason } of [whole, streamed]) {
      expect(content.filter(({ type }) => type === 'tool_use')).toMatchObject([{ input: { city: 'Rome' } }])
      expect(stop_reason).toBe('max_tokens')
    }
  })

  test.each([false, true])(
    'the tool runner of the SDK stops at a call that the limit cut, streamed: %s',
    async (stream) => {
      const { anthropic, engine } = messagesEndpoint(CUT)
      const ran: unknown[] = []
      const run = (input: unknown) => `ran ${ran.push(input)}`
      const tools = [{ ...WEATHER, parse: (input: unknown) => input, run }]
      const runner = anthropic.beta.messages.toolRunner({ ...TWO_CALLS, tools, stream } as never)
      const last = (await runner.runUntilDone()) as Anthropic.Beta.BetaMessage
      expect([last.stop_reason, ran, engine.calls.length]).toEqual(['max_tokens', [], 1])
    },
  )

  test('the seal of a call behind a preamble is no thinking block without a text', async () => {
    const { anthropic } = messagesEndpoint(() => [
      think('I look.'),
      preamble('A moment.'),
      // The blank is lost in the input, so that a seal has to record it.
      call('functions.get_weather', '{"city": "Rome"}'),
    ])
    const request = { ...QUESTION, ...SHOWN, messages: [...QUESTION.messages], tools: [WEATHER] }
    const whole = await anthropic.messages.create(request)
    const streamed = await anthropic.messages.stream(request).finalMessage()
    for (const { content } of [whole, streamed]) {
      expect(content.map(({ type }) => type)).toEqual(['thinking', 'text', 'redacted_thinking', 'tool_use'])
    }
  })

  test('each block of a stream is closed before the next one begins, and calls come behind what seals them', async () => {
    const served = messagesEndpoint(() => [
      think('I look.'),
      preamble('A moment.'),
      call('functions.get_weather', { city: 'Rome' }),
    ])
    const events = await sent(served, { ...QUESTION, ...SHOWN, tools: [WEATHER] })
    const shown = events.map(({ type, index, content_block, delta }) =>
      [type, index, content_block?.type ?? delta?.type].filter((word) => word !== undefined).join(' '),
    )
    expect(shown.filter((line, at) => line !== shown[at - 1])).toEqual([
      'message_start',
      'content_block_start 0 thinking',
      'content_block_delta 0 thinking_delta',
      'content_block_delta 0 signature_delta',
      'content_block_stop 0',
      'content_block_start 1 text',
      'content_block_delta 1 text_delta',
      'content_block_stop 1',
      'content_block_start 2 tool_use',
      'content_block_delta 2 input_json_delta',
      'content_block_stop 2',
      'message_delta',
      'message_stop',
    ])
    expect(events.at(-2).delta).toEqual({ stop_reason: 'tool_use', stop_sequence: null })
  })

  test('the stop sequence that ended an answer is named', async () => {
    const { anthropic } = messagesEndpoint(() => [answer('One. Two. END. Three.')])
    const request = { ...QUESTION, messages: [...QUESTION.messages], stop_sequences: ['STOP', 'END'] }
    const whole = await anthropic.messages.create(request)
    expect(whole).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
      content: [{ text: 'One. Two. ' }],
    })
    const streamed = await anthropic.messages.stream(request).finalMessage()
    expect(streamed).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' })
  })

  test('any of 64 stop sequences ends an answer, and one more is refused', async () => {
    const { anthropic } = messagesEndpoint(() => [answer('One. Two. END. Three.')])
    const sequences = [...Array(63).keys()].map((number) => `STOP ${number}`)
    const ask = (stop_sequences: string[]) =>
      anthropic.messages.create({ ...QUESTION, messages: [...QUESTION.messages], stop_sequences })
    expect(await ask([...sequences, 'END'])).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' })
    await expect(ask([...sequences, 'END', 'NOW'])).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/'stop_sequences'.*maximum length 64/),
    })
  })

  test('a message begins with the token counts of its prompt and of the cached part, and ends with the same counts', async () => {
    const served = messagesEndpoint(() => [answer('Hi.')])
    await sent(served, QUESTION)
    const [first, ...rest] = await sent(served, QUESTION)
    const { output_tokens: _, ...counted } = rest.at(-2).usage
    expect(first.message.usage).toEqual({ ...counted, output_tokens: 0 })
    expect(counted.cache_read_input_tokens).toBeGreaterThan(0)
    expect(counted.input_tokens + counted.cache_read_input_tokens).toBe(served.engine.calls[1]?.tokens.length)
  })

  test('a silence is broken by ping events, behind the beginning of the message', async () => {
    const { send, engine } = messagesEndpoint([hang()], { keepAliveMs: 5 })
    const body = JSON.stringify({ ...QUESTION, stream: true })
    const reader = (await send('/v1/messages', { method: 'POST', body })).body?.getReader()
    expect(reader).toBeDefined()
    if (reader === undefined) return
    const text = await readUntil(reader, 'ping')
    expect(text).toMatch(/^event: message_start\n.*\n\nevent: ping\ndata: \{"type":"ping"\}\n\n/)
    const { message } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '')
    expect(message.usage.input_tokens).toBe(engine.calls[0]?.tokens.length)
    await reader.cancel()
  })

  test('a stream that fails ends with an error event, which says nothing of the host', async () => {
    const served = messagesEndpoint(() => [
      think('Hm.'),
      fail(new EngineError('server_error', 'cannot open secret.gguf')),
    ])
    const events = await sent(served, { ...QUESTION, ...SHOWN })
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { type: 'api_error', message: 'The server had an internal error.' },
    })
    const failed = served.anthropic.messages.create({ ...QUESTION, messages: [...QUESTION.messages] })
    await expect(failed).rejects.toMatchObject({ status: 500, type: 'api_error' })
  })

  test('tokens are counted as the prompt has them', async () => {
    const { anthropic, engine } = messagesEndpoint(() => [answer('Hi.')])
    const request = { ...QUESTION, messages: [...QUESTION.messages], tools: [WEATHER], system: 'Be brief.' }
    const { max_tokens: _, ...counted } = request
    const { input_tokens } = await anthropic.messages.countTokens(counted)
    await anthropic.messages.create(request)
    expect(input_tokens).toBe(engine.calls[0]?.tokens.length)
  })
})

describe('tools of the server', () => {
  const offering = (script: Script) =>
    messagesEndpoint(script, { tools: [dice], offered: { tools: [dice.declaration] } })
  const rolled = () => [
    [think('Roll.'), call('dice.roll', {})],
    [think('Done.'), answer('It is 4.')],
  ]

  test('an offered tool runs inside, and the client sees the answer, and behind it the content that it keeps for the model', async () => {
    const served = offering(rolled())
    const { content, stop_reason, usage } = await served.anthropic.messages.create({
      ...QUESTION,
      messages: [...QUESTION.messages],
    })
    expect(content).toMatchObject([{ type: 'text', text: 'It is 4.' }, { type: 'redacted_thinking' }])
    expect([stop_reason, served.engine.calls.length]).toEqual(['end_turn', 2])
    expect(usage.output_tokens).toBeGreaterThan(0)
  })

  test('a stream with an offered call shows the same as the whole message', async () => {
    const { anthropic } = offering(rolled())
    const streamed = await anthropic.messages.stream({ ...QUESTION, messages: [...QUESTION.messages] }).finalMessage()
    expect(streamed.content).toMatchObject([{ type: 'text', text: 'It is 4.' }, { type: 'redacted_thinking' }])
  })

  test('a round with a call of the server and one of the client ends with tool_use of the client alone', async () => {
    const { anthropic } = offering([[call('dice.roll', {}), call('functions.get_weather', { city: 'Rome' })]])
    const { content, stop_reason } = await anthropic.messages.create({
      ...QUESTION,
      messages: [...QUESTION.messages],
      tools: [WEATHER],
    })
    const calls = content.filter(({ type }) => type === 'tool_use')
    expect(calls).toMatchObject([{ name: 'get_weather', input: { city: 'Rome' } }])
    expect(stop_reason).toBe('tool_use')
  })
})

describe('tools of the server that a request declares', () => {
  const SEARCH = { type: 'web_search_20250305', name: 'web_search' } as const
  const sources = [{ url: 'https://example.com/otters' }]
  const searching: Tool = {
    answers: ({ type }) => type === 'web_search_call',
    serverLabels: [],
    run: async () => ({ output: 'Otters swim.', sources }),
  }
  const docs = functionTools('docs', {
    find: { parameters: { type: 'object', properties: {} }, run: () => 'life is 42' },
  })
  const CONNECTED = {
    mcp_servers: [{ type: 'url' as const, name: 'docs', url: 'https://nobody.example' }],
    tools: [{ type: 'mcp_toolset' as const, mcp_server_name: 'docs' }],
  }
  const SEARCHED = {
    use: {
      type: 'server_tool_use',
      id: expect.stringMatching(/^srvtoolu_\w+$/),
      name: 'web_search',
      input: { query: 'otters' },
    },
    result: {
      type: 'web_search_tool_result',
      tool_use_id: expect.stringMatching(/^srvtoolu_\w+$/),
      content: [
        {
          ...{ type: 'web_search_result', url: 'https://example.com/otters', title: 'example.com' },
          ...{ encrypted_content: '', page_age: null },
        },
      ],
    },
  }
  const searchTwice: Script[] = [
    () => [think('Search.'), call('browser.search', { query: 'otters' })],
    () => [think('Again.'), call('browser.search', { query: 'otters' })],
    () => [answer('They swim.')],
  ]
  const turns =
    (scripts: Script[]): Script =>
    (prompt) => {
      const done = prompt.messages.filter(({ role }) => role === 'tool').length
      const turn = scripts[done] as Extract<Script, (...given: never[]) => unknown>
      return turn(prompt)
    }
  const withTools = (script: Script, options: Partial<ResponsesAppOptions> = {}) =>
    messagesEndpoint(script, { tools: [searching, docs], ...options })

  test('a search is a call of the server and its result, whole and streamed, and is counted', async () => {
    const { anthropic } = withTools(turns(searchTwice))
    const request = { ...QUESTION, messages: [...QUESTION.messages], tools: [SEARCH] }
    const whole = await anthropic.messages.create(request)
    const streamed = await anthropic.messages.stream(request).finalMessage()
    for (const { content, stop_reason, usage } of [whole, streamed]) {
      expect(content.filter(({ type }) => type !== 'redacted_thinking')).toEqual([
        ...[SEARCHED.use, SEARCHED.result, SEARCHED.use, SEARCHED.result],
        { type: 'text', text: 'They swim.', citations: null },
      ])
      expect(stop_reason).toBe('end_turn')
      expect(usage.server_tool_use).toEqual({ web_search_requests: 2, web_fetch_requests: 0 })
    }
  })

  test('searches beyond the most that a client wants fail, for the client and for the model', async () => {
    const { anthropic, engine } = withTools(turns(searchTwice))
    const tools = [{ ...SEARCH, max_uses: 1 }]
    const asked = { ...QUESTION, messages: [...QUESTION.messages], tools }
    const { content, usage } = await anthropic.messages.create(asked)
    expect(usage.server_tool_use).toEqual({ web_search_requests: 1, web_fetch_requests: 0 })
    const results = content.filter(({ type }) => type === 'web_search_tool_result')
    expect(results).toEqual([
      SEARCHED.result,
      { ...SEARCHED.result, content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' } },
    ])
    expect(engine.calls.at(-1)?.messages.at(-1)?.content).toContain('limit of tool calls')
  })

  test("a call of the operator's MCP server is shown with its result, and no address of the client's is asked", async () => {
    const { anthropic, engine } = withTools([[call('docs.find', {})], [answer('It is 42.')]])
    const asked = { ...QUESTION, messages: [...QUESTION.messages], ...CONNECTED }
    const { content } = await anthropic.beta.messages.create(asked)
    const id = expect.stringMatching(/^mcptoolu_\w+$/)
    expect(content).toEqual([
      { type: 'mcp_tool_use', id, name: 'find', server_name: 'docs', input: {} },
      { type: 'mcp_tool_result', tool_use_id: id, is_error: false, content: [{ type: 'text', text: 'life is 42' }] },
      { type: 'text', text: 'It is 42.', citations: null },
    ])
    expect(JSON.stringify(engine.calls[0]?.messages)).not.toContain('nobody')
  })

  test("a server that is not the operator's is refused, also where its tokens are counted", async () => {
    const { ask } = withTools(() => [answer('Hi.')])
    const body = { ...QUESTION, mcp_servers: [{ type: 'url', name: 'theirs', url: 'https://nobody.example' }] }
    for (const path of ['/messages', '/messages/count_tokens']) {
      const { status, body: refused } = await ask('POST', path, body)
      expect([status, refused.error.type]).toEqual([400, 'invalid_request_error'])
      expect(refused.error.message).toContain("'mcp_servers[0].name': unknown MCP server 'theirs'")
    }
  })

  test('a server whose calls somebody has to approve is refused, since a client of this API cannot be asked', async () => {
    const { ask, engine } = withTools(() => [answer('Hi.')], { approval: 'always' })
    const { status, body } = await ask('POST', '/messages', { ...QUESTION, ...CONNECTED })
    expect(status).toBe(400)
    expect(body.error.message).toMatch(/tools\[0\].mcp_server_name'.*\(find\) need an approval/)
    expect(engine.calls).toHaveLength(0)
  })

  test('a round with calls of the server and of the client ends with tool_use, and shows both', async () => {
    const { anthropic } = withTools([
      [call('browser.search', { query: 'otters' }), call('functions.get_weather', { city: 'Rome' })],
    ])
    const asked = { ...QUESTION, messages: [...QUESTION.messages], tools: [SEARCH, WEATHER] }
    const { content, stop_reason } = await anthropic.messages.create(asked)
    expect(content.filter(({ type }) => type !== 'redacted_thinking')).toMatchObject([
      ...[SEARCHED.use, SEARCHED.result],
      { type: 'tool_use', name: 'get_weather' },
    ])
    expect(stop_reason).toBe('tool_use')
  })

  test('a client that did not ask for thinking lets the model continue from the results of a search', async () => {
    const { ask, engine } = withTools(turns([...searchTwice, () => [answer('Yes.')]]))
    const first = await ask('POST', '/messages', { ...QUESTION, tools: [SEARCH] })
    const messages = [
      ...QUESTION.messages,
      { role: 'assistant', content: first.body.content },
      { role: 'user', content: 'Sure?' },
    ]
    await ask('POST', '/messages', { ...QUESTION, messages, tools: [SEARCH] })
    const said = engine.calls.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? []
    expect(said.map(({ content }) => content)).toEqual(['Otters swim.', 'Otters swim.'])
  })
})

describe('what comes back in a signature', () => {
  const served = (onDiagnostic: (subject: string) => void = () => {}) =>
    messagesEndpoint(() => [think('Hm.'), call('functions.get_weather', { city: 'Rome' })], {
      response: {
        onDiagnostic: ({ code, subject = '' }) => (code === 'unopened_seal' ? onDiagnostic(subject) : undefined),
      },
    })
  const request = { ...QUESTION, ...SHOWN, tools: [WEATHER] }

  /** The status of a second request whose thinking has another signature, with the diagnostics. */
  async function sentBack(change: (signature: string) => string, owner = 'anonymous') {
    const unopened: string[] = []
    const app = served((subject) => unopened.push(subject))
    const first = await app.ask('POST', '/messages', request)
    const content = first.body.content.map((block: { signature?: string }) =>
      block.signature === undefined ? block : { ...block, signature: change(block.signature) },
    )
    const result = { type: 'tool_result', tool_use_id: content.at(-1).id, content: '21' }
    const messages = [...QUESTION.messages, { role: 'assistant', content }, { role: 'user', content: [result] }]
    const headers = owner === 'anonymous' ? {} : { 'x-api-key': owner }
    const { status, body } = await app.ask('POST', '/messages', { ...request, messages }, headers)
    return { status, body, unopened, said: app.engine.calls.at(-1)?.messages.map((each) => each.content) ?? [] }
  }

  test('a signature that comes back as it was is opened, and one of another server is left out and reported', async () => {
    expect(await sentBack((same) => same)).toMatchObject({ status: 200, unopened: [] })
    const foreign = await sentBack(() => 'EqQBCgIYAhIM')
    expect(foreign).toMatchObject({ status: 200, unopened: ['input[1].encrypted_content'] })
    // Its text is there to be read.
    expect(foreign.said).toContain('Hm.')
  })

  test('a signature that was changed, or is of another user, is refused where it stands, without a word of why', async () => {
    const message = expect.stringMatching(
      /^The encrypted content of 'messages\[1\]\.content\[0\]\.signature' could not be verified/,
    )
    const changed = await sentBack((signature) => signature.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))
    const stolen = await sentBack((same) => same, 'mallory')
    for (const { status, body } of [changed, stolen]) {
      expect(status).toBe(400)
      expect(body.error).toEqual({ type: 'invalid_request_error', message })
    }
  })
})

describe('who asks', () => {
  test("the session of Claude Code's headers is logged, cleaned and bounded, and identifies no user", async () => {
    const metrics: Metric[] = []
    const { ask } = messagesEndpoint(() => [answer('Hi.')], { onMetric: (metric) => void metrics.push(metric) })
    const name = 'x-claude-code-session-id'
    for (const headers of [
      { [name]: 'a\t\u00e9 b', 'x-claude-code-agent-id': 'main', 'x-claude-code-parent-agent-id': 'top' },
      { [name]: 'x'.repeat(5000) },
      { 'x-claude-code-agent-id': 'main' },
    ]) {
      expect((await ask('POST', '/messages', QUESTION, headers)).status).toBe(200)
    }
    const told = metrics.flatMap((metric) => (metric.type === 'request_ended' ? [[metric.session, metric.owner]] : []))
    expect(told).toEqual([
      [{ id: 'ab', agent: 'main', parentAgent: 'top' }, 'anonymous'],
      [{ id: 'x'.repeat(128), agent: null, parentAgent: null }, 'anonymous'],
      [null, 'anonymous'],
    ])
  })

  test('a key is read from x-api-key as it is from authorization', async () => {
    const authorize = (request: Request): string | undefined =>
      request.headers.get('authorization') === 'Bearer secret' ? 'alice' : undefined
    const served = endpoint(() => [answer('Hi.')], { authorize })
    const { content } = await anthropicOf(served, 'secret').messages.create({
      ...QUESTION,
      messages: [...QUESTION.messages],
    })
    expect(content).toHaveLength(1)
    const refused = anthropicOf(served, 'wrong').messages.create({ ...QUESTION, messages: [...QUESTION.messages] })
    await expect(refused).rejects.toMatchObject({
      status: 401,
      type: 'authentication_error',
      requestID: expect.stringMatching(/^req_/),
    })
  })

  test("models are listed in the shape of the client's API, with an alias that Claude Code accepts", async () => {
    const served = endpoint(() => [answer('Hi.')], { models: ['openai/gpt-oss-20b'] })
    const listed = await anthropicOf(served).models.list()
    expect(listed.data.map(({ id }) => id)).toEqual(['claude-gpt-oss-20b', 'openai/gpt-oss-20b'])
    expect((await served.ask('GET', '/models')).body.data).toMatchObject([
      { id: 'openai/gpt-oss-20b', object: 'model' },
    ])
    const request = { ...QUESTION, model: 'claude-gpt-oss-20b', messages: [...QUESTION.messages] }
    expect(await anthropicOf(served).messages.create(request)).toMatchObject({ model: 'claude-gpt-oss-20b' })
    const unknown = anthropicOf(served).messages.create({ ...request, model: 'claude-other' })
    await expect(unknown).rejects.toMatchObject({ status: 404, type: 'not_found_error' })
  })

  test('errors have the shape and the words of this API, with the path in the body', async () => {
    const { ask } = messagesEndpoint(() => [answer('Hi.')])
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 5 },
        ],
      },
    ]
    const { status, body, headers } = await ask('POST', '/messages', { ...QUESTION, messages })
    expect(status).toBe(400)
    expect(body).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('messages[0].content[1].text') },
      request_id: headers.get('request-id'),
    })
  })

  test.each([
    ['image', 'image/png', 'Could not process image. ', 'image inputs are not supported'],
    ['document', 'application/pdf', 'Could not process PDF. ', 'file inputs are not supported'],
  ])(
    'a refused %s begins with the words at which Claude Code takes it out',
    async (type, media_type, opening, ours) => {
      const { ask } = messagesEndpoint(() => [answer('Hi.')])
      const source = { type: 'base64', media_type, data: 'AAAA' }
      const messages = [{ role: 'user', content: [{ type, source }] }]
      const { status, body } = await ask('POST', '/messages', { ...QUESTION, messages })
      expect([status, body.error.type]).toEqual([400, 'invalid_request_error'])
      expect(body.error.message.startsWith(opening)).toBe(true)
      expect(body.error.message).toContain(ours)
      expect(body.error.message).toContain('messages[0].content[0]')
    },
  )

  test('a conversation that is too long is refused in words that clients compact it for', async () => {
    const served = endpoint(() => [fail(new EngineError('context_length_exceeded', 'too long'))])
    const asked = anthropicOf(served).messages.create({ ...QUESTION, messages: [...QUESTION.messages] })
    await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining('prompt is too long') })
  })
})
