import { describe, expect, test } from 'vitest'
import { createNativeParser } from '../../../src/core/harmony/parser.js'
import { deriveId } from '../../../src/core/options/ids.js'
import type { Response, ResponseRequest } from '../../../src/index.js'
import { Translator } from '../../support/translator.js'
import { brief, callTo, createRun, FIXED, inTurn, messageOn, NOW, terminal } from '../translate/run.js'

/** The fields that Open Responses requires in every response object. */
const REQUIRED = [
  ['id', 'object', 'created_at', 'completed_at', 'status', 'incomplete_details', 'model', 'previous_response_id'],
  ['instructions', 'output', 'error', 'tools', 'tool_choice', 'truncation', 'parallel_tool_calls', 'text', 'top_p'],
  ['presence_penalty', 'frequency_penalty', 'top_logprobs', 'temperature', 'reasoning', 'usage', 'max_output_tokens'],
  ['max_tool_calls', 'store', 'background', 'service_tier', 'metadata', 'safety_identifier', 'prompt_cache_key'],
].flat()

const DEFAULTS: Response = {
  id: 'resp_test',
  object: 'response',
  created_at: NOW,
  status: 'in_progress',
  background: false,
  conversation: null,
  completed_at: null,
  error: null,
  frequency_penalty: 0,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  model: 'gpt-oss',
  output: [],
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_retention: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  usage: null,
  user: null,
  metadata: {},
  access_programs: null,
}

describe('what a response echoes of the cache and the conversation', () => {
  const echoOf = (request: object) => createRun({ request: request as ResponseRequest }).translator.response

  test('prompt_cache_retention is echoed as it is', () => {
    expect(echoOf({ prompt_cache_retention: '24h' }).prompt_cache_retention).toBe('24h')
  })

  test.each([
    [{}, { mode: 'implicit', ttl: '30m' }],
    [
      { prewarm: true, mode: null },
      { mode: 'implicit', ttl: '30m' },
    ],
    [
      { mode: 'explicit', ttl: '12h', comparison_response_id: 'resp_1' },
      { mode: 'explicit', ttl: '12h', comparison_response_id: 'resp_1' },
    ],
  ])('prompt_cache_options %j are echoed with the defaults of the API', (prompt_cache_options, echo) => {
    expect(echoOf({ prompt_cache_options }).prompt_cache_options).toEqual(echo)
  })

  test.each([null, undefined])('prompt_cache_options %j are not echoed', (prompt_cache_options) => {
    expect(echoOf({ prompt_cache_options })).not.toHaveProperty('prompt_cache_options')
  })

  test.each(['conv_1', { id: 'conv_1' }])('the conversation %j is echoed as an object', (conversation) => {
    expect(echoOf({ conversation }).conversation).toEqual({ id: 'conv_1' })
  })
})

describe('how a stream begins', () => {
  test('start gives created and in_progress, with equal responses', () => {
    expect(createRun().start()).toEqual([
      { type: 'response.created', sequence_number: 0, response: DEFAULTS },
      { type: 'response.in_progress', sequence_number: 1, response: DEFAULTS },
    ])
  })

  test('a stream begins once', () => {
    const run = createRun()
    run.start()
    expect(run.start()).toEqual([])
    expect(brief(run.push('<|channel|>final<|message|>'))).toEqual(['output_item.added 0', 'content_part.added 0'])
  })

  test.each([
    ['the first push', () => createRun().push('<|channel|>')],
    ['the first token of the host', () => createRun().push({ host: '<|start|>assistant' })],
    ['an empty push', () => createRun().push([])],
    ['the end', () => createRun().end()],
    ['a failure', () => createRun().fail({ message: 'no' })],
    ['an abort', () => createRun().abort()],
    ['a cancellation', () => createRun().cancel()],
  ])('%s begins a stream that was not started', (_, act) => {
    expect(brief(act()).slice(0, 2)).toEqual(['created', 'in_progress'])
  })

  test('beginTurn begins a stream, too, whose first events come with the next push', () => {
    const run = createRun()
    run.translator.beginTurn({ inputTokens: 3 })
    expect(brief(run.push('<|channel|>final<|message|>Hi'))).toEqual([
      'created',
      'in_progress',
      'output_item.added 0',
      'content_part.added 0',
      'output_text.delta 0 "Hi"',
    ])
  })
})

describe('a complete stream', () => {
  const run = createRun()
  run.push('<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi<|return|>')
  const response = terminal(run.end())

  test('a complete stream counts its events from 0 without a gap, and its items too', () => {
    expect(run.events.map(({ sequence_number }) => sequence_number)).toEqual(run.events.map((_, index) => index))
    const added = run.events.filter(({ type }) => type === 'response.output_item.added')
    expect(added).toMatchObject([{ output_index: 0 }, { output_index: 1 }])
  })

  test('a complete stream has one terminal event, last', () => {
    const lifecycle = run.events.filter((event) => 'response' in event)
    expect(brief(lifecycle)).toEqual(['created', 'in_progress', 'completed'])
    expect(run.events.at(-1)).toBe(lifecycle.at(-1))
  })

  test('a complete stream ends with exactly the items that were done', () => {
    const done = run.events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []))
    expect(response.output).toEqual(done)
  })

  test('a complete stream leaves the translator with the response of its last event', () => {
    expect(run.translator.response).toEqual(response)
  })

  test('a complete stream changes nothing of the response but status, output, usage and the time of completion', () => {
    const changing = { status: 'completed', output: response.output, usage: null, completed_at: NOW }
    expect(response).toEqual({ ...DEFAULTS, ...changing })
  })
})

describe('the response object', () => {
  const request: ResponseRequest = {
    model: 'gpt-oss-120b',
    input: 'What is the weather?',
    stream: true,
    instructions: 'Be brief.',
    temperature: 0.2,
    top_p: 0.9,
    presence_penalty: 0.1,
    frequency_penalty: -0.1,
    top_logprobs: 3,
    max_output_tokens: 100,
    max_tool_calls: 2,
    parallel_tool_calls: false,
    previous_response_id: 'resp_before',
    prompt_cache_key: 'key',
    safety_identifier: 'user-1',
    service_tier: 'priority',
    store: true,
    background: true,
    truncation: 'auto',
    user: 'alice',
    metadata: { a: 'b' },
    reasoning: { effort: 'high' },
    text: { verbosity: 'low' },
    tool_choice: 'required',
    include: ['reasoning.encrypted_content'],
  }

  test('the response object has every field that Open Responses requires, from created on, in every ending', () => {
    const ends = [
      (run: ReturnType<typeof createRun>) => run.end('stop'),
      (run: ReturnType<typeof createRun>) => run.end('max_output_tokens'),
      (run: ReturnType<typeof createRun>) => run.fail({ message: 'no' }),
      (run: ReturnType<typeof createRun>) => run.abort(),
      (run: ReturnType<typeof createRun>) => run.cancel(),
    ]
    for (const end of ends) {
      const run = createRun()
      end(run)
      for (const event of run.events) {
        if ('response' in event) expect(Object.keys(event.response)).toEqual(expect.arrayContaining(REQUIRED))
      }
    }
  })

  test('the response object echoes the request', () => {
    const { input: _input, stream: _stream, include: _include, ...echoed } = request
    expect(createRun({ request }).translator.response).toEqual({
      ...DEFAULTS,
      ...echoed,
      reasoning: { effort: 'high', summary: null },
      text: { format: { type: 'text' }, verbosity: 'low' },
    })
  })

  test('the response object has the defaults if the request has null', () => {
    const nulls = Object.fromEntries(Object.keys(request).map((name) => [name, null]))
    expect(createRun({ request: nulls }).translator.response).toEqual(DEFAULTS)
  })

  test('the response object never has output_text, nor fields that only a request has', () => {
    const run = createRun({ request: { ...request, ...{ output_text: 'x' } } })
    run.push('<|channel|>final<|message|>Hi<|return|>')
    run.end()
    expect(JSON.stringify(run.events)).not.toMatch(/"(output_text|input|stream|include)":/)
  })

  test('the response object has the service tier that was used, not "auto"', () => {
    expect(createRun({ request: { service_tier: 'auto' } }).translator.response.service_tier).toBe('default')
    expect(createRun({ request: { service_tier: 'flex' } }).translator.response.service_tier).toBe('flex')
  })

  test.each([
    { type: 'function', name: 'f' },
    { type: 'mcp', server_label: 'docs', name: 'search' },
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }, { type: 'image_generation' }] },
  ])('the response object keeps a structured output format and a tool choice as they are: %o', (tool_choice) => {
    const format = { type: 'json_schema', name: 'a', description: 'b', schema: { type: 'object' }, strict: true }
    expect(createRun({ request: { text: { format }, tool_choice } }).translator.response).toMatchObject({
      text: { format },
      tool_choice,
    })
  })

  test('the response object has all the fields of a structured output format that OpenAI echoes', () => {
    const format = { type: 'json_schema', name: 'a', schema: {} }
    const full = { ...format, description: null, strict: false }
    expect(createRun({ request: { text: { format } } }).translator.response.text).toEqual({ format: full })
    const nulls = { ...format, description: null, strict: null }
    expect(createRun({ request: { text: { format: nulls } } }).translator.response.text).toEqual({ format: full })
  })

  test('the response object has a text format if the request has none, or null', () => {
    const format = { type: 'text' }
    expect(createRun({ request: { text: {} } }).translator.response.text).toEqual({ format })
    expect(createRun({ request: { text: { format: null } } }).translator.response.text).toEqual({ format })
    const json = { type: 'json_object' }
    expect(createRun({ request: { text: { format: json } } }).translator.response.text).toEqual({ format: json })
  })

  test.each([
    [undefined, undefined, false],
    [undefined, null, false],
    [undefined, true, true],
    [true, undefined, true],
    [true, null, true],
    [true, false, false],
    [false, undefined, false],
  ])('the response object has the store of the host (%s) for a request with %s: %s', (store, asked, stored) => {
    const options = { request: { store: asked }, ...(store === undefined ? {} : { store }) }
    const run = createRun(options)
    expect(run.translator.response.store).toBe(stored)
    const restored = Translator.restore(run.translator.snapshot(), { ...FIXED, ...options })
    expect(restored.response.store).toBe(stored)
  })

  test('the response object echoes tools as they were declared, functions with all their fields', () => {
    const tools = [
      { type: 'function', name: 'f' },
      { type: 'function', name: 'g', description: 'd', parameters: { type: 'object' }, strict: true },
      { type: 'custom', name: 'c' },
      { type: 'web_search' },
    ]
    expect(createRun({ request: { tools } }).translator.response.tools).toEqual([
      { type: 'function', name: 'f', description: null, parameters: null, strict: null },
      { type: 'function', name: 'g', description: 'd', parameters: { type: 'object' }, strict: true },
      ...tools.slice(2),
    ])
  })

  test('the response object is a value of its own: changing it changes nothing', () => {
    const run = createRun({ request: { metadata: { a: 'b' }, tools: [{ type: 'function', ...{ name: 'f' } }] } })
    run.push('<|channel|>final<|message|>Hi')
    const before = structuredClone(run.translator.response)
    const mine = run.translator.response
    mine.metadata['a'] = 'other'
    mine.tools.pop()
    mine.output.pop()
    expect(run.translator.response).toEqual(before)
  })

  test('the response object is not affected by later changes to the request', () => {
    const mine = { metadata: { a: 'b' }, tools: [{ type: 'mcp', server_label: 'github', require_approval: 'never' }] }
    const run = createRun({ request: mine })
    mine.metadata.a = 'other'
    mine.tools.pop()
    run.push(callTo('github.search', '{}<|call|>'))
    expect(run.translator.response).toMatchObject({
      metadata: { a: 'b' },
      tools: [{ server_label: 'github' }],
      output: [{ type: 'mcp_call' }],
    })
  })
})

describe('ids', () => {
  const run = (responseId: string) => {
    const made = createRun({ responseId, ids: deriveId })
    made.push(
      inTurn(messageOn('analysis', '<|end|>'), callTo('functions.f', '<|call|>'), messageOn('final', '<|return|>')),
    )
    return terminal(made.end())
  }

  test('ids have the form of the API, and share the part that identifies their response', () => {
    const [reasoning, call, message] = run('resp_1').output
    expect(reasoning?.id).toMatch(/^rs_[0-9a-f]{50}$/)
    expect(call?.id).toMatch(/^fc_[0-9a-f]{50}$/)
    expect(message?.id).toMatch(/^msg_[0-9a-f]{50}$/)
    expect(call).toMatchObject({ call_id: expect.stringMatching(/^call_[0-9A-Za-z]{24}$/) })
    expect(new Set([reasoning, call, message].map((item) => item?.id.split('_')[1]?.slice(0, 16))).size).toBe(1)
  })

  test('ids are the same for the same response id, and others for another', () => {
    expect(run('resp_1').output).toEqual(run('resp_1').output)
    const ids = (responseId: string): string[] =>
      run(responseId).output.flatMap((item) => ('call_id' in item ? [item.id, item.call_id] : [item.id]))
    expect(new Set([...ids('resp_1'), ...ids('resp_2')]).size).toBe(8)
  })

  test('ids may be made by the caller, from prefix, ordinal and response id', () => {
    const asked: unknown[] = []
    const made = createRun({
      ids: (prefix, ordinal, responseId) => {
        asked.push([prefix, ordinal, responseId])
        return `${prefix}-${ordinal}`
      },
    })
    made.push(inTurn(callTo('functions.f', '<|call|>'), messageOn('final', '<|return|>')))
    expect(asked).toEqual([
      ['fc', 0, 'resp_test'],
      ['call', 1, 'resp_test'],
      ['msg', 2, 'resp_test'],
    ])
  })
})

test('the clock is read for the beginning and the completion, in whole seconds', () => {
  const times = [10.9, 20.9]
  const run = createRun({ clock: () => times.shift() ?? 0 })
  run.push('<|channel|>final<|message|>Hi')
  run.end('stop')
  const stamps = run.events.flatMap((event) =>
    'response' in event ? [[event.response.created_at, event.response.completed_at]] : [],
  )
  expect(stamps).toEqual([
    [10, null],
    [10, null],
    [10, 20],
  ])
})

test('two translators do not know of each other', () => {
  const one = createRun()
  const other = createRun({ ...FIXED, responseId: 'resp_other' })
  for (const char of '<|channel|>final<|message|>Hi😀<|return|>') {
    one.push(char)
    other.push(char)
  }
  const alone = createRun()
  for (const char of '<|channel|>final<|message|>Hi😀<|return|>') alone.push(char)
  for (const run of [one, other, alone]) run.end()
  expect(one.events).toEqual(alone.events)
  expect(other.events.length).toBe(alone.events.length)
})

test('a response is closed before the host hears that its parser cannot be closed', () => {
  let translator: Translator | undefined
  const late: unknown[] = []
  translator = new Translator({
    responseId: 'resp_1',
    clock: () => 1,
    parser: (handler) =>
      Object.assign(createNativeParser({}, handler), {
        close() {
          throw new Error('cannot close')
        },
      }),
    onError: () => void late.push(...(translator?.abort() ?? [])),
  })
  const events = [...translator.push('<|channel|>final<|message|>Hi<|return|>'), ...translator.end('stop')]
  expect(events.at(-1)?.type).toBe('response.completed')
  expect(late).toEqual([])
})
