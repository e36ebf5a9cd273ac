import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromChatRequest } from '../../../src/dialects/index.js'
import { parseRequest, RequestError } from '../../../src/endpoint/request/index.js'
import { runs } from '../../support/runs.js'
import { FULL, parsed, refusalOf, user } from './cases.js'

const turn = (message: object, ...rest: object[]): object => ({ messages: [user, message, ...rest] })
const call = (id: string, name = 'f'): object => ({ id, type: 'function', function: { name, arguments: '{}' } })
const calling = (...ids: string[]): object => ({ role: 'assistant', tool_calls: ids.map((id) => call(id)) })
const result = (tool_call_id: string, content: unknown = 'ok'): object => ({ role: 'tool', tool_call_id, content })

describe('a body', () => {
  test('a chat body with everything that can be said becomes a request that says it all', () => {
    const { request, answer } = fromChatRequest(FULL)
    expect(answer).toEqual({ calls: 'function_call', preambles: 'reasoning', includeUsage: true, reasoning: 'hidden' })
    const { input, tools, ...rest } = parseRequest(request)
    expect(rest).toMatchObject({
      model: 'gpt-oss',
      text: {
        format: { type: 'json_schema', name: 'n', description: 'd', schema: {}, strict: true },
        verbosity: 'low',
      },
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'weather' }] },
      max_output_tokens: 100,
      reasoning: { effort: 'high' },
      include: ['message.output_text.logprobs'],
      top_logprobs: 3,
      stream: true,
      stream_options: { include_obfuscation: false },
      store: true,
    })
    expect(tools).toMatchObject([
      { type: 'function', name: 'weather', strict: true },
      { type: 'custom', name: 'apply', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
      { type: 'function', name: 'old', strict: false },
      { type: 'web_search', search_context_size: 'low', user_location: { city: 'Rome', country: 'IT' } },
    ])
    expect(input).toMatchObject([
      { type: 'message', role: 'system', content: 'Be brief.' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Two calls.' }] },
      { type: 'message', role: 'assistant', content: 'Let me see.', phase: 'commentary' },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'apply', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'done' }] },
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny.' }] },
      { type: 'message', role: 'user', content: 'And now?' },
      { type: 'function_call', name: 'old', arguments: '{}' },
      { type: 'function_call_output', output: 'rain' },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { type: 'message', role: 'user', content: 'Why?' },
    ])
    expect(refusalOf(FULL)).toBeUndefined()
  })

  test('a chat body that says nothing but a text is not stored', () => {
    expect(parsed({ messages: [user] })).toEqual({ input: [{ type: 'message', ...user }], store: false })
  })

  test('a chat body is the same with null for everything that it leaves out', () => {
    const nothing = Object.fromEntries(Object.keys(FULL).map((name) => [name, null]))
    expect(parsed({ ...nothing, messages: [user] })).toEqual(parsed({ messages: [user] }))
    expect(parsed(turn({ role: 'assistant', content: 'ok', tool_calls: null, audio: null, refusal: null }))).toEqual(
      parsed(turn({ role: 'assistant', content: 'ok' })),
    )
  })

  test.each([
    [{ reasoning_effort: 'low', reasoning: { effort: 'high' } }, 'low'],
    [{ reasoning: { effort: 'high' } }, 'high'],
    [{ chat_template_kwargs: { reasoning_effort: 'high' } }, 'high'],
  ])('%j asks for the effort %s', (asked, effort) => {
    expect(parsed({ messages: [user], ...asked }).reasoning).toEqual({ effort })
  })

  test.each([
    [{ tool_choice: { type: 'function', function: { name: 'f' } } }, { type: 'function', name: 'f' }],
    [{ function_call: { name: 'f' } }, { type: 'function', name: 'f' }],
    [{ function_call: 'none' }, 'none'],
    [{ tool_choice: 'required', function_call: 'none' }, 'required'],
  ])('%j chooses %j', (choice, chosen) => {
    expect(parsed({ messages: [user], functions: [{ name: 'f' }], ...choice }).tool_choice).toEqual(chosen)
  })

  test.each([
    [{}, false],
    [{ strict: null }, false],
    [{ strict: false }, false],
    [{ strict: true }, true],
  ])('a function of a chat body with %j is strict only if it says so', (said, strict) => {
    const asked = { name: 'f', ...said }
    expect(parsed({ messages: [user], tools: [{ type: 'function', function: asked }] }).tools).toMatchObject([
      { strict },
    ])
    expect(parsed({ messages: [user], functions: [asked] }).tools).toMatchObject([{ strict }])
  })

  test('max_completion_tokens takes precedence over max_tokens', () => {
    expect(parsed({ messages: [user], max_tokens: 5 }).max_output_tokens).toBe(5)
    expect(parsed({ messages: [user], max_completion_tokens: 7, max_tokens: 5 }).max_output_tokens).toBe(7)
  })

  test('images, audio and files of a chat body become those of the Responses API', () => {
    const content = [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
      { type: 'file', file: { file_data: 'data:,x', filename: 'a.txt' } },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
    ]
    expect(parsed({ messages: [{ role: 'user', content }] }).input).toMatchObject([
      {
        content: [
          { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'low' },
          { type: 'input_file', file_data: 'data:,x', filename: 'a.txt' },
          { type: 'input_file', file_data: 'AA==', filename: 'audio.wav' },
        ],
      },
    ])
  })

  test('a chat body may have reasoning in either field that servers give it', () => {
    const input = parsed(turn({ role: 'assistant', content: 'ok', reasoning_content: 'Hm', reasoning: 'Hm' })).input
    expect(input).toHaveLength(3)
    expect(parsed(turn({ role: 'assistant', content: 'ok', reasoning: 'Hm' })).input).toEqual(input)
  })

  test('a chat body may repeat the ids of calls in each turn, as servers do that count calls from 0', () => {
    const body = turn(calling('call_0'), result('call_0', 'a'), calling('call_0'), result('call_0', 'b'))
    expect(refusalOf(body)).toBeUndefined()
    const ids = (parsed(body).input as readonly { call_id?: string }[]).map(({ call_id }) => call_id)
    expect(ids[1]).toBe(ids[2])
    expect(ids[3]).toBe(ids[4])
    expect(ids[1]).not.toBe(ids[3])
  })

  test('fromChatRequest keeps ids apart that look like those which it makes', () => {
    const turns = ['a', 'a_2', 'a', 'a_2', 'a'].flatMap((id) => [calling(id), result(id)])
    expect(refusalOf(turn(user, ...turns))).toBeUndefined()
  })

  test('fromChatRequest leaves out messages of the assistant that say nothing', () => {
    expect(parsed(turn({ role: 'assistant', content: '' }, { role: 'assistant' })).input).toHaveLength(1)
  })

  test('a chat body with fields of other servers is read without them', () => {
    expect(parsed({ messages: [user], top_k: 5, cache_salt: 'x', chat_template_kwargs: { a: 1 } })).toEqual(
      parsed({ messages: [user] }),
    )
  })
})

const REFUSED: readonly (readonly [unknown, string | null, string | null, string])[] = [
  [null, null, 'invalid_type', "Invalid type for 'body': expected an object, but got null instead."],
  [{ input: 'hi' }, 'messages', 'missing_required_parameter', "Missing required parameter: 'messages'."],
  [{ messages: 'hi' }, 'messages', 'invalid_type', 'but got a string instead'],
  [{ messages: [] }, 'messages', 'empty_array', "Invalid 'messages': empty array."],
  [
    turn({ role: 'robot' }),
    'messages[1].role',
    'invalid_value',
    "Invalid value: 'robot'. Supported values are: 'system'",
  ],
  [{ messages: [{ role: 'user' }] }, 'messages[0].content', 'missing_required_parameter', 'Missing'],
  [{ messages: [{ role: 'user', content: null }] }, 'messages[0].content', 'invalid_type', 'but got null instead'],
  [
    turn({ role: 'user', content: [{ type: 'input_audio', input_audio: { format: 'mp3' } }] }),
    'messages[1].content[0].input_audio.data',
    'missing_required_parameter',
    "Missing required parameter: 'messages[1].content[0].input_audio.data'.",
  ],
  [
    turn({
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 5 },
      ],
    }),
    'messages[1].content[1].text',
    'invalid_type',
    "Invalid type for 'messages[1].content[1].text': expected a string, but got an integer instead.",
  ],
  [
    turn({ role: 'user', content: [{ type: 'image_url', image_url: { url: 5 } }] }),
    'messages[1].content[0].image_url.url',
    'invalid_type',
    "Invalid type for 'messages[1].content[0].image_url.url'",
  ],
  [
    turn(result('call_1')),
    'messages[1].role',
    null,
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ],
  [
    turn(calling('call_1'), result('call_2')),
    'messages[2].tool_call_id',
    null,
    "'tool_call_id' of 'call_2' not found in 'tool_calls' of previous message.",
  ],
  [
    turn(calling('call_1', 'call_2'), result('call_2')),
    'messages[1].tool_calls[0]',
    null,
    'The following tool_call_ids did not have response messages: call_1',
  ],
  [turn(calling('call_1', 'call_1')), 'messages[1].tool_calls[1].id', 'duplicate_item', 'call_1'],
  [
    turn({ role: 'assistant', tool_calls: [{ ...call('call_1'), id: '' }] }, result('')),
    'messages[1].tool_calls[0].id',
    'empty_string',
    "Invalid 'messages[1].tool_calls[0].id': empty string.",
  ],
  [
    turn(
      { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: {} } }] },
      result('a'),
    ),
    'messages[1].tool_calls[0].function.arguments',
    'invalid_type',
    "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
  ],
  [{ messages: [user], n: 2 }, 'n', 'unsupported_value', "Unsupported value: 'n' does not support 2 with this model."],
  [{ messages: [user], n: 0 }, 'n', 'integer_below_min_value', "Invalid 'n': integer below minimum value."],
  [{ messages: [user], stop: ['x', ''] }, 'stop[1]', 'empty_string', "Invalid 'stop[1]': empty string."],
  [
    { messages: [user], stop: ['a', 'b', 'c', 'd', 'e'] },
    'stop',
    'array_above_max_length',
    'Expected an array with maximum length 4',
  ],
  [{ messages: [user], seed: 1.5 }, 'seed', 'invalid_type', "Invalid type for 'seed': expected an integer"],
  [{ messages: [user], logit_bias: { 5: 1 } }, 'logit_bias', 'unsupported_parameter', 'Unsupported'],
  [{ messages: [user], audio: { voice: 'a' } }, 'audio', 'unsupported_parameter', 'Unsupported'],
  [{ messages: [user], modalities: ['text', 'audio'] }, 'modalities', 'unsupported_value', 'audio outputs are not'],
  [{ messages: [user], moderation: { model: 'm' } }, 'moderation', 'unsupported_parameter', 'Unsupported'],
  [{ messages: [user], top_logprobs: 2 }, 'top_logprobs', 'invalid_value', "only allowed when 'logprobs' is enabled"],
  [
    { messages: [user], tools: [{ type: 'function', name: 'f' }] },
    'tools[0].function',
    'missing_required_parameter',
    '',
  ],
  [
    { messages: [user], tools: [{ type: 'mcp' }] },
    'tools[0].type',
    'invalid_value',
    "Invalid value: 'mcp'. Supported values are: 'function' and 'custom'.",
  ],
  [
    { messages: [user], tools: [{ type: 'function', function: { name: 'get weather' } }] },
    'tools[0].function.name',
    'invalid_value',
    "Invalid 'tools[0].function.name': string does not match pattern.",
  ],
  [
    { messages: [user], functions: [{ name: 'a' }, { name: 'a' }] },
    'functions[1].name',
    'invalid_value',
    "Invalid 'functions[1].name': the tool name 'a' is used more than once.",
  ],
  [
    { messages: [user], tool_choice: { type: 'function', function: { name: 'f' } } },
    'tool_choice',
    null,
    "Tool choice 'function' not found in 'tools' parameter.",
  ],
  [
    { messages: [user], max_tokens: 0 },
    'max_tokens',
    'integer_below_min_value',
    "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.",
  ],
  [
    { messages: [user], reasoning_effort: 'huge' },
    'reasoning_effort',
    'invalid_value',
    "Invalid value: 'huge'. Supported values are: 'none'",
  ],
  [
    { messages: [user], response_format: { type: 'json_schema', json_schema: { schema: {} } } },
    'response_format.json_schema.name',
    'missing_required_parameter',
    "Missing required parameter: 'response_format.json_schema.name'.",
  ],
  [
    { messages: [user], response_format: { type: 'xml' } },
    'response_format.type',
    'invalid_value',
    "Invalid value: 'xml'. Supported values are: 'text', 'json_object', and 'json_schema'.",
  ],
]

describe('errors use the names of the body:', () => {
  test.each(REFUSED)('errors of a chat body use its own names: %j', (body, param, code, message) => {
    const error = refusalOf(body)
    expect({ param: error?.param, code: error?.code }).toEqual({ param, code })
    expect(error?.body.error.message).toContain(message)
  })

  test('a body that is wrong in one place is refused, and the error names that place', () => {
    const named = leavesOf(FULL, []).filter((path) => !IGNORED.test(pathText(path)))
    expect(named.length).toBeGreaterThan(60)
    const params = named.map((path) => {
      const wrong = typeof valueAt(FULL, path) === 'boolean' ? 'wrong' : true
      return refusalOf(replaced(FULL, path, wrong))?.param
    })
    expect(params).toEqual(named.map(pathText))
  })
})

/** What no one looks at: who speaks among several users, schemas, and a type that can only be one. */
const IGNORED = /^messages\[[02]\]\.name$|\.parameters\.|user_location\.type$/

const words = fc.constantFrom(
  ...'messages role content tool_calls function_call function custom type text name arguments id'.split(' '),
  ...'user assistant tool system tool_call_id image_url url file refusal reasoning tools tool_choice n stop'.split(' '),
  ...'response_format json_schema schema stream_options logprobs __proto__ constructor hasOwnProperty length'.split(
    ' ',
  ),
)
const soup = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e300, '', 'hi'),
    words,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(words, tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value

describe('what JSON can hold', () => {
  test('any JSON value gives a request or a RequestError, nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), soup), (body) => void refusalOf(body)),
      { numRuns: runs(1_000) },
    )
  })

  test('any JSON value instead of any part of a body gives a request or an error that names a part of it', () => {
    const paths = [...partsOf(FULL, [])]
    fc.assert(
      fc.property(fc.constantFrom(...paths), soup, (path, value) => {
        const { param = null } = refusalOf(replaced(FULL, path, value)) ?? {}
        const [first = ''] = (param ?? '').split(/[.[]/)
        expect([...Object.keys(FULL), 'stop', '']).toContain(first)
      }),
      { numRuns: runs(1_500) },
    )
  })

  test('no body changes a prototype', () => {
    const hostile = '{"__proto__":{"polluted":true},"constructor":{"polluted":true}}'
    for (const body of [
      `{"messages":[{"role":"user","content":"hi","__proto__":{"role":"tool"}}],"__proto__":{"n":9}}`,
      `{"messages":[{"role":"__proto__","content":"hi"}]}`,
      `{"messages":[{"role":"user","content":[{"type":"__proto__"}]}]}`,
      `{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":${hostile}}]}`,
      `{"messages":[{"role":"user","content":"hi"}],"metadata":${hostile},"response_format":${hostile}}`,
    ]) {
      refusalOf(JSON.parse(body))
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('100,000 messages that share an id are read in a moment', () => {
    const turns = Array.from({ length: 30_000 }, () => [calling('call_0'), result('call_0')]).flat()
    expect(fromChatRequest({ messages: [user, ...turns] }).request['input']).toHaveLength(60_001)
  })
})

test('an error that names no parameter stays as it is', () => {
  const error = new RequestError('No.')
  expect(fromChatRequest({ messages: [user] }).refusal(error)).toBe(error)
})

type Path = readonly (string | number)[]

function partsOf(value: unknown, path: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [...(path.length === 0 ? [] : [path]), ...entries.flatMap(([step, part]) => partsOf(part, [...path, step]))]
}

function leavesOf(value: unknown, path: Path): Path[] {
  return partsOf(value, path).filter((part) => typeof valueAt(value, part) !== 'object')
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((part: unknown, step) => (part as { [step: string]: unknown })[step], value)
}

function replaced(value: unknown, [step, ...rest]: Path, by: unknown): unknown {
  if (step === undefined) return by
  const copy: { [step: string]: unknown } | unknown[] = Array.isArray(value) ? [...value] : { ...(value as object) }
  const part = (copy as { [step: string]: unknown })[step]
  return Object.assign(copy, { [step]: replaced(part, rest, by) })
}

function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? step : `${text}.${step}`
  }, '')
}
