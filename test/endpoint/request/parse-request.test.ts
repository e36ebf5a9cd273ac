import { describe, expect, test } from 'vitest'
import type { ParsedRequest } from '../../../src/core/responses/parsed-request.js'
import { parseRequest } from '../../../src/endpoint/request/index.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { errorOf, fileSearch, refusal, withItem, withTools } from './errors.js'

const weather = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }

describe('accepted requests', () => {
  test('every parameter keeps its value', () => {
    const body = { model: 'gpt-oss-20b', input: 'hi', temperature: 0.5, tools: [weather], metadata: { a: 'b' } }
    expect(parseRequest(body)).toEqual(body)
  })

  test('null, an empty string and an empty object count as missing', () => {
    const body = {
      input: 'hi',
      include: null,
      instructions: '',
      metadata: {},
      previous_response_id: null,
      reasoning: {},
      text: { format: null },
      truncation: null,
      user: '',
    }
    expect(parseRequest(body)).toEqual({ input: 'hi' })
  })

  test('an empty input is an input', () => {
    expect(parseRequest({ input: '' })).toEqual({ input: '' })
    expect(parseRequest({ input: [] })).toEqual({ input: [] })
  })

  test('an item without a type is a message if it has a role, else a reference', () => {
    const input = [{ role: 'user', content: 'hi' }, { id: 'msg_1' }, { id: 'msg_2', type: null }]
    expect(parseRequest({ input }).input).toEqual([
      { type: 'message', role: 'user', content: 'hi' },
      { type: 'item_reference', id: 'msg_1' },
      { type: 'item_reference', id: 'msg_2' },
    ])
  })

  test('a null in an item or tool counts as missing where the field may be missing', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: null, status: null }
    const tool = { ...weather, strict: null, description: null }
    expect(parseRequest({ ...withItem(item), tools: [tool] })).toEqual({
      input: [{ type: 'reasoning', id: 'rs_1', summary: [] }],
      tools: [weather],
    })
  })

  test('the null of a field that has to be there stays, and is added', () => {
    const item = { type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_1', code: 'x', outputs: null }
    const { outputs: _, ...without } = item
    expect(parseRequest(withItem(item)).input).toEqual([item])
    expect(parseRequest(withItem(without)).input).toEqual([item])
  })

  test('a JSON Schema stays as it is, with its nulls', () => {
    const parameters = { type: 'object', properties: { a: { default: null, enum: [null, 'b'] } } }
    expect(parseRequest(withTools({ ...weather, parameters })).tools).toEqual([{ ...weather, parameters }])
  })

  test('the parameters of a tool that is only echoed stay as they are', () => {
    const tool = { type: 'image_generation', output_format: 'png', quality: null }
    expect(parseRequest(withTools(tool)).tools).toEqual([tool])
  })

  test('the old name of reasoning.summary is read', () => {
    expect(parseRequest({ input: 'hi', reasoning: { generate_summary: 'auto' } }).reasoning).toEqual({
      summary: 'auto',
    })
    const both = { summary: 'concise', generate_summary: 'auto' }
    expect(parseRequest({ input: 'hi', reasoning: both }).reasoning).toEqual({ summary: 'concise' })
  })

  test('a message of a WebSocket is a request', () => {
    expect(parseRequest({ type: 'response.create', input: 'hi', generate: false })).toEqual({
      input: 'hi',
      generate: false,
    })
    expect(refusal({ type: 'response.cancel', input: 'hi' })).toBe(
      "type invalid_value: Invalid value: 'response.cancel'. Supported values are: 'response.create'.",
    )
  })

  test('prompt_cache_options.prewarm generates nothing, as generate: false', () => {
    const prompt_cache_options = { prewarm: true }
    expect(parseRequest({ input: 'hi', generate: true, prompt_cache_options })).toEqual({
      input: 'hi',
      generate: false,
      prompt_cache_options,
    })
  })

  test('an image is read: whether it can be shown to the model is up to the prompt', () => {
    const content = [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }]
    const item = { type: 'message', role: 'user', content }
    expect(parseRequest(withItem(item)).input).toEqual([item])
  })
})

describe('fields that are not known', () => {
  const body = {
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi', tone: 'warm' }] }],
    top_k: 3,
    tools: [weather],
  }

  test('fields that are not known are left out', () => {
    const content = [{ type: 'input_text', text: 'hi' }]
    expect(parseRequest(body)).toEqual({ input: [{ type: 'message', role: 'user', content }], tools: [weather] })
  })

  test('fields that are not known are refused if the server wants that, wherever they are', () => {
    const refuse = { unknown: 'refuse' } as const
    expect(refusal({ ...body, input: 'hi' }, refuse)).toBe("top_k unknown_parameter: Unknown parameter: 'top_k'.")
    expect(errorOf(body, refuse).param).toBe('input[0].content[0].tone')
    expect(errorOf(withTools({ ...weather, strictJsonSchema: true }), refuse).param).toBe('tools[0].strictJsonSchema')
    const known = { ...withTools(weather), client_metadata: { a: 1 }, user: '', custom: null }
    expect(parseRequest(known, refuse)).toEqual(withTools(weather))
  })
})

describe('types that are not known', () => {
  const noticed = (body: object): [ParsedRequest, readonly string[]] => {
    const subjects: string[] = []
    const parsed = parseRequest(body, {
      onDiagnostic({ code, subject = '' }) {
        expect(code).toBe('unknown_input')
        subjects.push(subject)
      },
    })
    return [parsed, subjects]
  }
  const user = { type: 'message', role: 'user', content: 'hi' }

  test('items and tools of types that are not known are left out, and reported once', () => {
    const body = {
      input: [{ type: 'dream', id: 'd' }, user, { type: 'dream' }],
      tools: [{ type: 'telepathy' }, weather],
    }
    expect(noticed(body)).toEqual([
      { input: [user], tools: [weather] },
      ["input[] of type 'dream', tools[] of type 'telepathy'"],
    ])
  })

  test('of a part that is not known the text is read, or its type', () => {
    const parts = [{ type: 'input_text', text: 'See:' }, { type: 'text', text: 'this' }, { type: 'input_video' }]
    const content = ['See:', 'this', '[input_video]'].map((text) => ({ type: 'input_text', text }))
    const [parsed, subjects] = noticed(withItem({ role: 'user', content: parts }))
    expect(parsed.input).toEqual([{ type: 'message', role: 'user', content }])
    expect(subjects).toEqual(["input[].content[] of type 'text', input[].content[] of type 'input_video'"])
  })

  test('parts that are not known of what agents say are read as well', () => {
    const message = { type: 'agent_message', author: 'a', content: [{ type: 'voice', text: 'Go.' }] }
    expect(noticed(withItem(message))).toEqual([
      withItem({ ...message, content: [{ type: 'input_text', text: 'Go.' }] }),
      ["input[].content[] of type 'voice'"],
    ])
  })

  test('fields behind an entry that was left out are found in their own entry', () => {
    const body = {
      input: [{ type: 'dream' }, { ...user, mood: 'warm' }, { ...user, tone: 1, content: [{ type: 'x' }] }],
    }
    expect(noticed(body)[1]).toEqual([
      "input[] of type 'dream', input[].mood, input[].content[] of type 'x', input[].tone",
    ])
  })

  test('a diagnostic names eight parts, and of each no more than 64 characters', () => {
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`f${at}`, at]))
    const [, [subject = '']] = noticed({ input: 'hi', ...fields })
    expect(subject).toBe(`${Array.from({ length: 8 }, (_, at) => `f${at}`).join(', ')} and others`)
    const [, [long = '']] = noticed({ input: [user, { type: 'y'.repeat(100_000) }], ['x'.repeat(100_000)]: 1 })
    expect(long).toBe(`input[] of type '${'y'.repeat(64)}...', ${'x'.repeat(64)}...`)
  })

  test('nothing is reported of a request that has nothing unknown, nor of fields that clients keep for themselves', () => {
    const own = { ...user, internal_chat_message_metadata_passthrough: {} }
    expect(noticed({ input: [user, own], tools: [weather], client_metadata: {} })[1]).toEqual([])
  })

  test.each<[object, string]>([
    [withItem({ type: 'dream' }), 'input[0].type'],
    [withItem({ ...user, content: [{ type: 'text', text: 'hi' }] }), 'input[0].content[0].type'],
    [withTools({ type: 'telepathy' }), 'tools[0].type'],
  ])('a type that is not known is refused if the server wants that: %j', (body, param) => {
    expect(errorOf(body, { unknown: 'refuse' })).toMatchObject({ param, code: 'invalid_value' })
  })

  test('an entry that has no type, or one that is no text, is refused in any case', () => {
    for (const item of [{}, { type: 1 }]) expect(errorOf(withItem(item)).param).toBe('input[0].type')
  })
})

describe('refusals and their messages', () => {
  test.each<[body: unknown, refusal: string]>([
    [[], "null invalid_type: Invalid type for 'body': expected an object, but got an array instead."],
    [null, "null invalid_type: Invalid type for 'body': expected an object, but got null instead."],
    [
      {},
      'null missing_required_parameter: One of "input" or "previous_response_id" or \'prompt\' or ' +
        "'conversation_id' must be provided.",
    ],
    [
      { input: 7 },
      "input invalid_type: Invalid type for 'input': expected one of a string or array of objects, but got an " +
        'integer instead.',
    ],
    [
      withItem('hi'),
      "input[0] invalid_type: Invalid type for 'input[0]': expected an object, but got a string instead.",
    ],
    [
      withItem({ role: 'user', content: null }),
      "input[0].content invalid_type: Invalid type for 'input[0].content': expected one of a string or array of " +
        'objects, but got null instead.',
    ],
    [
      withItem({ role: 'user' }),
      "input[0].content missing_required_parameter: Missing required parameter: 'input[0].content'.",
    ],
    [
      withItem({ role: 'tool', content: 'hi' }),
      "input[0].role invalid_value: Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', " +
        "and 'user'.",
    ],
    [
      withItem({ type: 'shell_call', call_id: 'call_1', action: null }),
      "input[0].action invalid_type: Invalid type for 'input[0].action': expected an object, but got null instead.",
    ],
    [withItem({}), "input[0].type missing_required_parameter: Missing required parameter: 'input[0].type'."],
    [
      withItem({ type: 'function_call', name: 'f', arguments: '{}', call_id: '' }),
      "input[0].call_id empty_string: Invalid 'input[0].call_id': empty string. Expected a string with minimum " +
        'length 1, but got an empty string instead.',
    ],
    [
      { input: 'hi', temperature: 5 },
      "temperature decimal_above_max_value: Invalid 'temperature': decimal above maximum value. Expected a value <= " +
        '2, but got 5 instead.',
    ],
    [
      { input: 'hi', top_p: -0.5 },
      "top_p decimal_below_min_value: Invalid 'top_p': decimal below minimum value. Expected a value >= 0, but got " +
        '-0.5 instead.',
    ],
    [
      { input: 'hi', temperature: 'hot' },
      "temperature invalid_type: Invalid type for 'temperature': expected a decimal, but got a string instead.",
    ],
    [
      { input: 'hi', stop: Array(65).fill('a') },
      "stop array_above_max_length: Invalid 'stop': array too long. Expected an array with maximum length 64, but got " +
        'an array with length 65 instead.',
    ],
    [
      { input: 'hi', stop: ['a', ''] },
      "stop[1] empty_string: Invalid 'stop[1]': empty string. Expected a string with minimum length 1, but got an " +
        'empty string instead.',
    ],
    [
      { input: 'hi', stop: 5 },
      "stop invalid_type: Invalid type for 'stop': expected one of a string or array of strings, but got an integer " +
        'instead.',
    ],
    [
      { input: 'hi', stop: '\ud83c' },
      "stop invalid_value: Invalid 'stop': string does not match pattern. Expected a string that matches the pattern " +
        "'^\\P{Surrogate}*$'.",
    ],
    [
      { input: 'hi', seed: 2 ** 60 },
      "seed integer_above_max_value: Invalid 'seed': integer above maximum value. Expected a value <= " +
        '9007199254740991, but got 1152921504606847000 instead.',
    ],
    [
      { input: 'hi', max_output_tokens: 0 },
      "max_output_tokens integer_below_min_value: Invalid 'max_output_tokens': integer below minimum value. " +
        'Expected a value >= 1, but got 0 instead.',
    ],
    [
      { input: 'hi', max_output_tokens: 1.5 },
      "max_output_tokens invalid_type: Invalid type for 'max_output_tokens': expected an integer, but got a decimal " +
        'number instead.',
    ],
    [
      { input: 'hi', top_logprobs: 50 },
      "top_logprobs integer_above_max_value: Invalid 'top_logprobs': integer above maximum value. Expected a value " +
        '<= 20, but got 50 instead.',
    ],
    [
      { input: 'hi', truncation: 'never' },
      "truncation invalid_value: Invalid value: 'never'. Supported values are: 'auto' and 'disabled'.",
    ],
    [
      { input: 'hi', truncation: 3 },
      "truncation invalid_type: Invalid type for 'truncation': expected one of 'auto' or 'disabled', but got an " +
        'integer instead.',
    ],
    [
      { input: 'hi', text: { format: { type: 'json_schema', schema: {} } } },
      "text.format.name missing_required_parameter: Missing required parameter: 'text.format.name'.",
    ],
    [
      { input: 'hi', text: { format: { type: 'json_schema', name: 'x' } } },
      "text.format.schema missing_required_parameter: Missing required parameter: 'text.format.schema'.",
    ],
    [
      { input: 'hi', reasoning: { effort: 'huge' } },
      "reasoning.effort invalid_value: Invalid value: 'huge'. Supported values are: 'none', 'minimal', 'low', " +
        "'medium', 'high', 'xhigh', and 'max'.",
    ],
    [
      { input: 'hi', metadata: { a: 'x'.repeat(600) } },
      "metadata.a string_above_max_length: Invalid 'metadata.a': string too long. Expected a string with maximum " +
        'length 512, but got a string with length 600 instead.',
    ],
    [
      { input: 'hi', metadata: { ['k'.repeat(70)]: 'v' } },
      "metadata property_name_above_max_length: Invalid property name in 'metadata': 'kkk...kkk' is too long. " +
        'Expected a string with maximum length 64, but got a string with length 70 instead.',
    ],
    [
      { input: 'hi', metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v'])) },
      "metadata object_above_max_properties: Invalid 'metadata': too many properties. Expected an object with at " +
        'most 16 properties, but got an object with 17 properties instead.',
    ],
    [
      { input: 'hi', metadata: { a: 1 } },
      "metadata.a invalid_type: Invalid type for 'metadata.a': expected a string, but got an integer instead.",
    ],
    [
      { input: 'hi', moderation: { model: 'omni' } },
      "moderation unsupported_parameter: Unsupported parameter: 'moderation' is not supported with this model.",
    ],
    [
      { input: 'hi', prompt: { id: 'pmpt_1' } },
      "prompt unsupported_parameter: Unsupported parameter: 'prompt' is not supported with this model.",
    ],
    [
      { input: 'hi', previous_response_id: 'resp_1', conversation: 'conv_1' },
      'null mutually_exclusive_parameters: Mutually exclusive parameters. Ensure you are only providing one of: ' +
        "'previous_response_id' or 'conversation'.",
    ],
    [
      { input: 'hi', background: true, store: false },
      "background invalid_value: Background responses require 'store' to be true.",
    ],
    [
      fileSearch({ type: 'in', key: 'year', value: ['2026', true] }),
      'tools[0].filters.value[1] invalid_type: Invalid type for ' +
        "'tools[0].filters.value[1]': expected a string or decimal, but got a boolean instead.",
    ],
    [
      fileSearch({ type: 'eq', key: 'year', value: {} }),
      "tools[0].filters.value invalid_type: Invalid type for 'tools[0].filters.value': expected one of a string, " +
        'decimal, boolean, or array, but got an object instead.',
    ],
    [
      { messages: [{ role: 'user', content: 'hi' }] },
      "messages unsupported_parameter: Unsupported parameter: 'messages'. In the Responses API, this parameter has " +
        "moved to 'input'.",
    ],
  ])('the body %j is refused: %s', (body, expected) => {
    expect(refusal(body)).toBe(expected)
  })

  test('an unknown type of item is answered with all types', () => {
    const { param, code, message } = errorOf(withItem({ type: 'chat', text: 'hi' }), { unknown: 'refuse' }).body.error
    expect({ param, code }).toEqual({ param: 'input[0].type', code: 'invalid_value' })
    expect(message).toMatch(
      /^Invalid value: 'chat'. Supported values are: 'additional_tools', .+ and 'web_search_call'.$/,
    )
  })

  test('a refused request is answered with a 400 in the shape of the API', () => {
    const { status, body } = errorOf({ input: 'hi', temperature: 5 })
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error: {
          message: "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 5 instead.",
          type: 'invalid_request_error',
          param: 'temperature',
          code: 'decimal_above_max_value',
        },
      },
    })
  })
})

describe('tools', () => {
  test.each<[tool: unknown, refusal: string]>([
    [{ type: 'function' }, "tools[0].name missing_required_parameter: Missing required parameter: 'tools[0].name'."],
    [
      { type: 'function', name: '' },
      "tools[0].name empty_string: Invalid 'tools[0].name': empty string. Expected a string with minimum length 1, " +
        'but got an empty string instead.',
    ],
    [
      { type: 'function', name: 'get weather' },
      "tools[0].name invalid_value: Invalid 'tools[0].name': string does not match pattern. Expected a string that " +
        "matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ],
    [
      { type: 'custom', name: 'x'.repeat(129) },
      "tools[0].name string_above_max_length: Invalid 'tools[0].name': string too long. Expected a string with " +
        'maximum length 128, but got a string with length 129 instead.',
    ],
    [
      { type: 'function', function: { name: 'get_weather' } },
      "tools[0].name missing_required_parameter: Missing required parameter: 'tools[0].name'. In the Responses API, " +
        "the fields of 'tools[0].function' are fields of 'tools[0]'.",
    ],
    [
      { type: 'mcp', server_url: 'https://mcp.example' },
      "tools[0].server_label missing_required_parameter: Missing required parameter: 'tools[0].server_label'.",
    ],
    [
      { type: 'mcp', server_label: 'docs', require_approval: 'sometimes' },
      "tools[0].require_approval invalid_value: Invalid value: 'sometimes'. Supported values are: 'always' and " +
        "'never'.",
    ],
    [
      { type: 'namespace', name: 'crm', tools: [{ type: 'mcp', server_label: 'docs' }] },
      "tools[0].tools[0].type invalid_value: Invalid value: 'mcp'. Supported values are: 'function' and 'custom'.",
    ],
    [
      { type: 'function', name: 'f', parameters: 'none' },
      "tools[0].parameters invalid_type: Invalid type for 'tools[0].parameters': expected an object, but got a " +
        'string instead.',
    ],
  ])('the tool %j is refused: %s', (tool, expected) => {
    expect(refusal(withTools(tool))).toBe(expected)
  })

  test('an unknown type of tool is answered with all types', () => {
    const { param, message } = errorOf(withTools({ type: 'telepathy' }), { unknown: 'refuse' }).body.error
    expect(param).toBe('tools[0].type')
    expect(message).toContain("'function', 'custom', 'namespace', 'mcp', 'web_search_2025_08_26'")
  })

  test.each([
    ['two functions', [weather, weather], 'tools[1].name'],
    ['a function and a custom tool', [weather, { type: 'custom', name: 'get_weather' }], 'tools[1].name'],
    ['two of a namespace', [{ type: 'namespace', name: 'a', tools: [weather, weather] }], 'tools[0].tools[1].name'],
    [
      'one each of the same namespace, declared twice',
      [
        { type: 'namespace', name: 'a', tools: [weather] },
        { type: 'namespace', name: 'a', tools: [weather] },
      ],
      'tools[1].tools[0].name',
    ],
  ])('tools of one name are refused: %s', (_, tools, param) => {
    const error = errorOf(withTools(...tools))
    expect(error).toMatchObject({ param, code: 'invalid_value' })
    expect(error.message).toContain('get_weather')
  })

  test('tools of one name in several namespaces are not confused', () => {
    const tools = ['a', 'b'].map((name) => ({ type: 'namespace', name, tools: [weather] }))
    expect(parseRequest(withTools(weather, ...tools)).tools).toHaveLength(3)
  })

  test('a call may have a name that no tool can have: the model wrote it', () => {
    const call = { type: 'function_call', call_id: 'call_1', name: 'get weather!', arguments: '' }
    expect(parseRequest(withItem(call)).input).toEqual([call])
  })
})

describe('tool_choice', () => {
  const tools = [
    weather,
    { type: 'custom', name: 'apply_patch' },
    { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'get_customer' }] },
    { type: 'mcp', server_label: 'docs' },
    { type: 'web_search' },
    { type: 'code_interpreter', container: { type: 'auto' } },
    { type: 'computer_use_preview' },
  ]

  test.each([
    'auto',
    'none',
    'required',
    { type: 'function', name: 'get_weather' },
    { type: 'function', name: 'get_customer' },
    { type: 'custom', name: 'apply_patch' },
    { type: 'mcp', server_label: 'docs' },
    { type: 'mcp', server_label: 'docs', name: 'search' },
    { type: 'mcp' },
    { type: 'web_search' },
    { type: 'web_search_preview' },
    { type: 'code_interpreter' },
    { type: 'computer_use' },
    { type: 'allowed_tools', mode: 'auto', tools: [] },
    { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'get_weather' }, { type: 'mcp' }] },
  ])('the tool_choice %j of declared tools is read', (tool_choice) => {
    expect(parseRequest({ input: 'hi', tools, tool_choice }).tool_choice).toEqual(tool_choice)
  })

  test.each([
    [{ type: 'function', name: 'get_whether' }, "Tool choice 'function' not found in 'tools' parameter."],
    [{ type: 'custom', name: 'get_weather' }, "Tool choice 'custom' not found in 'tools' parameter."],
    [{ type: 'mcp', server_label: 'dogs' }, "Tool choice 'mcp' not found in 'tools' parameter."],
    [{ type: 'file_search' }, "Tool choice 'file_search' not found in 'tools' parameter."],
    [
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'shell' }] },
      "Tool choice 'shell' not found in 'tools' parameter.",
    ],
  ])('the tool_choice %j of no declared tool is refused', (tool_choice, message) => {
    expect(errorOf({ input: 'hi', tools, tool_choice }).body.error).toMatchObject({
      message,
      param: 'tool_choice',
      code: null,
    })
  })

  test('a tool_choice that requires a tool is refused where there is none', () => {
    expect(errorOf({ input: 'hi', tool_choice: 'required' }).body.error).toMatchObject({
      message: "Tool choice 'required' must be specified with 'tools' parameter.",
      param: 'tool_choice',
    })
  })

  test('a tool_choice may name a tool that the conversation declares', () => {
    const item = { type: 'additional_tools', role: 'developer', tools: [weather] }
    const tool_choice = { type: 'function', name: 'get_weather' }
    expect(parseRequest({ ...withItem(item), tool_choice }).tool_choice).toEqual(tool_choice)
  })

  test.each([
    [
      'maybe',
      "tool_choice invalid_value: Invalid value: 'maybe'. Supported values are: 'none', 'auto', and 'required'.",
    ],
    [
      7,
      "tool_choice invalid_type: Invalid type for 'tool_choice': expected one of an object or one of 'none', " +
        "'auto', or 'required', but got an integer instead.",
    ],
    [
      { type: 'function' },
      "tool_choice.name missing_required_parameter: Missing required parameter: 'tool_choice.name'.",
    ],
    [
      { type: 'function', function: { name: 'get_weather' } },
      "tool_choice.name missing_required_parameter: Missing required parameter: 'tool_choice.name'. In the Responses " +
        "API, the fields of 'tool_choice.function' are fields of 'tool_choice'.",
    ],
  ])('the tool_choice %j is refused: %s', (tool_choice, expected) => {
    expect(refusal({ input: 'hi', tools, tool_choice })).toBe(expected)
  })
})

describe("the calling program's own mistakes", () => {
  test.each([
    ['a promise of the body', Promise.resolve({})],
    ['a fetch Request', new Request('http://localhost')],
    ['bytes', { input: new Uint8Array(1) }],
    ['a function', { input: () => 'hi' }],
    ['a bigint', { input: 'hi', temperature: 1n }],
    ['a hole in an array', { input: [undefined] }],
  ])('a body that JSON cannot hold is refused: %s', (_, body) => {
    expect(() => parseRequest(body)).toThrow(HarmonyResponsesError)
  })

  test('a field that is undefined is missing', () => {
    expect(parseRequest({ input: 'hi', model: undefined })).toEqual({ input: 'hi' })
  })

  test.each([
    { unknown: 'drop' },
    { unknownField: 'refuse' },
    { limits: { depth: 0 } },
    { limits: { depth: 5_000 } },
    { limits: { items: 1.5 } },
    { limits: { bytes: 1 } },
    { limits: null },
  ])('the options %j are refused', (options) => {
    expect(() => parseRequest({ input: 'hi' }, options as object)).toThrow(HarmonyResponsesError)
  })
})
