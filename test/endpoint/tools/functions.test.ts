import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { CallResult } from '../../../src/core/responses/call-result.js'
import { renderPrompt } from '../../../src/endpoint/prompt/index.js'
import { parseRequest } from '../../../src/endpoint/request/index.js'
import {
  functionTools,
  type HostedCall,
  type StandardSchema,
  type Tool,
  ToolError,
  type ToolProgress,
} from '../../../src/endpoint/tools/functions.js'
import { loadTokenTable, Translator } from '../../../src/index.js'
import { namedBlock } from '../../docs/pages.js'
import { RUNS } from '../../support/runs.js'
import { decodeTokens, encodeHarmony, m } from '../../support/tokens.js'

const signal = new AbortController().signal
const callOf = (name: string, text: string, label = 'weather'): HostedCall => ({
  type: 'mcp_call',
  id: 'mcp_1',
  status: 'in_progress',
  approval_request_id: null,
  arguments: text,
  error: null,
  name,
  output: null,
  server_label: label,
})
const run = (tool: Tool, name: string, args: unknown): Promise<CallResult> =>
  tool.run(callOf(name, typeof args === 'string' ? args : JSON.stringify(args)), {
    request: {},
    signal,
    text: '',
    earlierResults: () => [],
    before: [],
    report() {},
    insert: () => false,
  })

const city = z.object({ city: z.string() })
const weather = functionTools('weather', {
  get_weather: {
    description: 'The weather of a city.',
    annotations: { readOnlyHint: true },
    input: city,
    run: ({ city }) => `22 degrees in ${city}`,
  },
  echo: { parameters: { type: 'object', properties: { n: { type: 'integer' } } }, run: (args) => args },
})
/** A schema of a library without JSON Schema, whose answer is given. */
const schema = (
  validate: StandardSchema['~standard']['validate'],
): StandardSchema & { '~standard': { jsonSchema: never } } =>
  ({ '~standard': { version: 1, vendor: 'test', validate } }) as never

describe('the declarations for the model', () => {
  test('functions are listed for a request that declares their label', async () => {
    const listings = await weather.listings({ tools: [weather.declaration] }, { signal })
    expect(listings).toEqual([
      {
        serverLabel: 'weather',
        tools: [
          {
            name: 'get_weather',
            description: 'The weather of a city.',
            annotations: { readOnlyHint: true },
            inputSchema: {
              $schema: 'https://json-schema.org/draft/2020-12/schema',
              type: 'object',
              properties: { city: { type: 'string' } },
              required: ['city'],
            },
          },
          { name: 'echo', inputSchema: { type: 'object', properties: { n: { type: 'integer' } } } },
        ],
      },
    ])
  })

  test.each([
    ['declares nothing', {}],
    ['has null for tools', { tools: null }],
    ['declares another label', { tools: [{ type: 'mcp', server_label: 'other' }] }],
    ['declares a function of this name', { tools: [{ type: 'function', name: 'weather', server_label: 'weather' }] }],
  ])('functions are not listed for a request that %s', async (_, request) => {
    expect(await weather.listings(request as never, { signal })).toEqual([])
  })

  test('functions are listed alike, wherever a request says that the server is', async () => {
    const tool = {
      type: 'mcp' as const,
      server_label: 'weather',
      server_url: 'https://evil.example',
      headers: { a: 'b' },
    }
    const listings = await weather.listings({ tools: [tool] }, { signal })
    expect(listings).toEqual(await weather.listings({ tools: [weather.declaration] }, { signal }))
  })

  test('functions are declared in words that a request may have, and taught in the prompt', async () => {
    const request = parseRequest({ model: 'gpt-oss', input: 'Weather?', tools: [weather.declaration] })
    const mcpListings = await weather.listings(request, { signal })
    const tokenTable = await loadTokenTable()
    const { tokens, omitted } = renderPrompt(request, { tokenTable, date: '2026-01-31', listings: mcpListings })
    const text = decodeTokens([...tokens].filter((id) => id < 199998))
    expect(omitted).toEqual([])
    expect(text).toContain('namespace weather')
    expect(text).toContain('// The weather of a city.\ntype get_weather = (_: {\ncity: string,\n}) => any;')
  })

  test('a schema of Zod as parameters is taught as the JSON Schema that it says', async () => {
    const parameters = z.object({ city: z.string() })
    const tools = functionTools('t', { f: { parameters, run: (args) => args } })
    const [listing] = await tools.listings({ tools: [tools.declaration] }, { signal: new AbortController().signal })
    expect(listing?.tools?.[0]?.inputSchema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    })
  })

  test('a schema that the host changes later is taught as it was', async () => {
    const parameters = { type: 'object', properties: {} as Record<string, unknown> }
    const tools = functionTools('t', { f: { parameters, run: (args) => args } })
    parameters.properties['late'] = { type: 'string' }
    const [listing] = await tools.listings({ tools: [tools.declaration] }, { signal: new AbortController().signal })
    expect(listing?.tools?.[0]?.inputSchema).toEqual({ type: 'object', properties: {} })
  })

  test('a schema that is given beside input is the one that the model is taught', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string', description: 'In English.' } } }
    const tools = functionTools('weather', { get_weather: { input: city, parameters, run: ({ city }) => city } })
    const [listing] = await tools.listings({ tools: [tools.declaration] }, { signal })
    expect(listing?.tools?.[0]?.inputSchema).toEqual(parameters)
  })
})

describe('a call', () => {
  test('functions answer the calls for their own server alone', () => {
    expect(weather.answers(callOf('get_weather', '{}'))).toBe(true)
    expect(weather.answers(callOf('unknown', '{}'))).toBe(true)
    expect(weather.answers(callOf('get_weather', '{}', 'other'))).toBe(false)
    const code = {
      type: 'code_interpreter_call',
      id: 'ci_1',
      status: 'in_progress',
      code: '',
      container_id: 'c',
      outputs: null,
    }
    expect(weather.answers(code as HostedCall)).toBe(false)
  })

  test('a function gets what its schema makes of the arguments', async () => {
    const tools = functionTools('t', {
      f: { input: z.object({ n: z.string().transform(Number), unit: z.string().default('C') }), run: (args) => args },
    })
    const { output } = await tools.run(callOf('f', '{"n":"7","x":1}', 't'), { signal, report() {} } as never)
    expect(JSON.parse(output ?? '')).toEqual({ n: 7, unit: 'C' })
  })

  test('a function without a schema of its own gets the object that the model wrote, whatever is in it', async () => {
    const objects = fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(objects, async (args) => {
        const text = JSON.stringify(args)
        expect(await run(weather, 'echo', text)).toEqual({ output: text })
      }),
      { numRuns: RUNS },
    )
  })

  test('a function gets an empty object if the model wrote no arguments', async () => {
    expect(await run(weather, 'echo', ' \n')).toEqual({ output: '{}' })
  })

  test.each([
    ['a text', 'done', 'done'],
    ['an empty text', '', ''],
    ['an object', { a: [1] }, '{"a":[1]}'],
    [
      'an object that looks like a result',
      { output: 'x', error: { message: 'y' } },
      '{"output":"x","error":{"message":"y"}}',
    ],
    ['null', null, 'null'],
    ['nothing', undefined, ''],
  ])("the model gets a function's result as text: %s", async (_, returned, output) => {
    const tools = functionTools('weather', { f: { parameters: {}, run: async () => returned } })
    expect(await run(tools, 'f', {})).toEqual({ output })
  })

  test('a function can report its progress, and stop when its call is aborted', async () => {
    const seen: ToolProgress[] = []
    const call = new AbortController()
    const tools = functionTools('weather', {
      f: {
        parameters: {},
        run: (_, { signal, report }) => {
          report({ progress: 1, total: 2 })
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
      },
    })
    const running = tools.run(callOf('f', '{}'), {
      signal: call.signal,
      report: (progress: ToolProgress) => void seen.push(progress),
    } as never)
    await Promise.resolve()
    const reason = new Error('left')
    call.abort(reason)
    await expect(running).rejects.toBe(reason)
    expect(seen).toEqual([{ progress: 1, total: 2 }])
  })
})

test('a function can put an item into the output', async () => {
  const items: unknown[] = []
  const tools = functionTools('weather', {
    f: { parameters: {}, run: (_, { insert }) => insert({ type: 'image_generation_call', result: 'iVBO' }) },
  })
  const insert = (item: unknown): boolean => items.push(item) > 0
  expect(await tools.run(callOf('f', '{}'), { signal, insert } as never)).toEqual({ output: 'true' })
  expect(items).toEqual([{ type: 'image_generation_call', result: 'iVBO' }])
})

describe('a call that fails', () => {
  test.each([
    ['no JSON', '{"city":', /^The arguments are not valid JSON: ./],
    ['a list', '[]', /^The arguments are not a JSON object\.$/],
    ['null', 'null', /^The arguments are not a JSON object\.$/],
  ])('the model is told if its arguments are %s', async (_, text, message) => {
    expect(await run(weather, 'echo', text)).toEqual({ error: { message: expect.stringMatching(message) } })
  })

  test('the model is told where a schema does not accept its arguments', async () => {
    const tools = functionTools('weather', {
      f: {
        input: z.object({ days: z.array(z.object({ name: z.string() })), n: z.number() }),
        run: () => expect.unreachable('invalid arguments'),
      },
    })
    expect(await run(tools, 'f', { days: [{ name: 'a' }, { name: 1 }] })).toEqual({
      error: {
        message:
          'The arguments are invalid:\n' +
          'days[1].name: Invalid input: expected string, received number\n' +
          'n: Invalid input: expected number, received undefined',
      },
    })
  })

  test('docs/function-tools.md shows what the model is told of arguments that a schema does not accept', async () => {
    const input = z.object({ days: z.array(z.object({ name: z.string() })) })
    const tools = functionTools('weather', { f: { input, run: () => expect.unreachable('invalid arguments') } })
    const { code } = namedBlock('docs/function-tools.md', 'invalid arguments')
    const { error } = await run(tools, 'f', { days: [{ name: 'a' }, { name: 1 }] })
    expect(`${error?.message}\n`).toBe(code)
  })

  test('the problems of arguments are named by paths of any form, ten at most', async () => {
    const issue = (message: string, path?: readonly (PropertyKey | { key: PropertyKey })[]) => ({
      message,
      ...(path && { path }),
    })
    const many = Array.from({ length: 20 }, (_, at) => issue(`bad ${at}`, [at]))
    const input = schema(async () => ({ issues: [issue('bad'), issue('odd', [{ key: 'a' }, 0]), ...many] }))
    const tools = functionTools('weather', { f: { input, parameters: {}, run: () => 1 } })
    const { error } = await run(tools, 'f', {})
    expect(error?.message.split('\n').slice(0, 4)).toEqual([
      'The arguments are invalid:',
      'bad',
      'a[0]: odd',
      '[0]: bad 0',
    ])
    expect(error?.message.split('\n')).toHaveLength(11)
  })

  test.each(['unknown', 'toString', '__proto__', 'constructor'])(
    'a call of %s, which the server does not have, fails as at an MCP server',
    async (name) => {
      expect(await run(weather, name, {})).toEqual({ error: { code: -32602, message: 'tool not available' } })
    },
  )

  test('a ToolError tells the model its message, and the item its code', async () => {
    const failing = (error: Error) =>
      functionTools('weather', {
        f: {
          parameters: {},
          run: () => {
            throw error
          },
        },
      })
    expect(await run(failing(new ToolError('No such city.')), 'f', {})).toEqual({ error: { message: 'No such city.' } })
    const coded = new ToolError('Too many calls.', { code: 429, cause: new Error('secret') })
    expect(await run(failing(coded), 'f', {})).toEqual({ error: { message: 'Too many calls.', code: 429 } })
  })

  test('an error that is no ToolError is told to the host alone', async () => {
    const error = new Error('postgres://user:secret@db')
    const input = schema(() => {
      throw error
    })
    const tools = functionTools('weather', {
      sync: {
        parameters: {},
        run: () => {
          throw error
        },
      },
      async: { parameters: {}, run: () => Promise.reject(error) },
      invalid: { parameters: {}, input, run: () => 1 },
    })
    for (const name of ['sync', 'async', 'invalid']) await expect(run(tools, name, {})).rejects.toBe(error)
  })

  test('an output that JSON cannot say is an error of the host', async () => {
    const tools = functionTools('weather', { f: { parameters: {}, run: () => 1n } })
    await expect(run(tools, 'f', {})).rejects.toBeInstanceOf(TypeError)
  })
})

test('a call goes from the model to the function and back', async () => {
  const tokenTable = await loadTokenTable()
  const request = { tools: [weather.declaration] }
  const mcpListings = await weather.listings(request, { signal })
  const translator = new Translator({ request, tokenTable, mcpListings })
  const written = '<|channel|>commentary to=weather.get_weather <|constrain|>json<|message|>{"city":"Paris"}<|call|>'
  const waiting = translator
    .push(encodeHarmony(written))
    .find((event) => event.type === 'response.mcp_call_arguments.done')
  const itemId = waiting && 'item_id' in waiting ? waiting.item_id : ''
  const result = await run(weather, 'get_weather', '{"city":"Paris"}')
  const events = translator.toolResult({ itemId, ...(result as { output: string }) })
  expect(events.at(-1)).toMatchObject({
    type: 'response.output_item.done',
    item: { type: 'mcp_call', status: 'completed', output: '22 degrees in Paris', server_label: 'weather' },
  })
  translator.push([m.return])
})

describe('mistakes of the host', () => {
  test.each<[string, unknown, string]>([
    ['bad label', {}, 'functionTools: expected a label of letters, digits, _, . and -, got "bad label"'],
    ['t', null, 't: expected an object of functions, got null'],
    ['t', { 'get weather': {} }, 'functionTools: expected names of letters, digits, _ and -, got "get weather"'],
    ['t', { f: null }, 'f: expected a function: { parameters or input, run }, got null'],
    ['t', { f: { parameters: {} } }, 'f.run: expected a function, got undefined'],
    ['t', { f: { run() {} } }, 'f.parameters: expected a JSON Schema, got undefined'],
    ['t', { f: { parameters: [], run() {} } }, 'f.parameters: expected a JSON Schema, got an array'],
    ['t', { f: { input: { city: 'string' }, run() {} } }, 'f.input: expected a Standard Schema, got an object'],
    [
      't',
      { f: { input: schema((value) => ({ value })), run() {} } },
      'f.parameters: expected a JSON Schema, as input cannot describe what it accepts, got undefined',
    ],
    [
      't',
      { f: { input: z.object({ at: z.date() }), run() {} } },
      'f.input: expected a schema that JSON Schema can express; give parameters beside it',
    ],
    ['t', { f: { description: 1, parameters: {}, run() {} } }, 'f.description: expected a string, got 1'],
    ['t', { f: { parameter: {}, run() {} } }, 'f: there is no option "f.parameter", did you mean f.parameters?'],
    [
      't',
      { f: { parameters: { type: 'objekt' }, run() {} } },
      "f.parameters/type: The keyword 'type' has to be a type of JSON, or a list of such.",
    ],
    [
      't',
      { f: { parameters: { a: () => 1 }, run() {} } },
      'f.parameters: expected plain JSON data, at most 500 levels deep, got an object',
    ],
    [
      't',
      { f: { parameters: schema((value) => ({ value })), run() {} } },
      'f.parameters: expected a JSON Schema, got a schema of test that does not convert to one: give it as input, and a JSON Schema as parameters',
    ],
  ])('functions that are declared wrongly are refused: %s %j', (label, functions, message) => {
    expect(() => functionTools(label, functions as never)).toThrow(
      expect.objectContaining({ code: 'bad_option', message }),
    )
  })

  test('a ToolError without a message is refused', () => {
    expect(() => new ToolError('')).toThrow('ToolError: expected a message for the model, got ""')
  })
})
