import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import { parseMessages } from '../../../src/core/harmony/index.js'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { promptMessages } from '../../../src/endpoint/prompt/index.js'
import { respond } from '../../../src/endpoint/respond/index.js'
import type { HostedCall, Tool } from '../../../src/endpoint/tools/tool.js'
import type { TokenEngine } from '../../../src/engines/contract/engine.js'
import { EngineError } from '../../../src/engines/contract/engine-error.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { encodeHarmony, encodeText } from '../../support/tokens.js'
import { ANSWER, type Asked, GITHUB, modelOf, optionsOf, run, SEARCH } from './scripted.js'

const tokenTable = await loadTokenTable()
const REQUEST: ResponseRequest = { input: 'Go.', tools: [GITHUB] }

/** A tool with a behaviour that the test sets. */
const toolThat = (run: Tool['run']): Tool => ({ answers: () => true, run })
const answering = (output: string): Tool => toolThat(async () => ({ output }))
const callIn = (output: readonly OutputItem[]): OutputItem | undefined => output.find(({ type }) => type === 'mcp_call')
const typesIn = (output: readonly OutputItem[]): string[] => output.map(({ type }) => type)

/** The text of the tool's message in the context of the last call. */
function toldTo({ context }: Asked): string[] {
  const { messages } = parseMessages(context, { tokenTable, role: null, origin: 'host' })
  return messages.filter(({ role }) => role === 'tool').map(({ name, content }) => `${name}: ${content}`)
}

describe('the turns of a response', () => {
  test('an answer ends the response', async () => {
    const { output, response } = await run({ input: 'Hi' }, { turns: [ANSWER] })
    expect(typesIn(output)).toEqual(['message'])
    expect(response).toMatchObject({ status: 'completed', usage: { output_tokens: 5 } })
  })

  test('the model is called again with the result of its call, and the context is never rendered anew', async () => {
    const asked: Asked[] = []
    const { output, transcript } = await run(REQUEST, { turns: [SEARCH, ANSWER], asked, tools: [answering('3 hits')] })
    expect(typesIn(output)).toEqual(['mcp_call', 'message'])
    expect(callIn(output)).toMatchObject({ status: 'completed', output: '3 hits' })
    const [first, second] = asked as [Asked, Asked]
    expect(second.context.slice(0, first.context.length)).toEqual(first.context)
    expect(toldTo(second)).toEqual(['github.search: 3 hits'])
    expect(second.context.slice(-transcript.length + encodeHarmony(ANSWER).length)).toEqual(
      transcript.slice(0, -encodeHarmony(ANSWER).length),
    )
  })

  test('usage counts every turn', async () => {
    const asked: Asked[] = []
    const { response } = await run(REQUEST, { turns: [SEARCH, ANSWER], asked })
    const inputs = asked.map(({ context }) => context.length)
    expect(response.usage?.input_tokens).toBe(inputs.reduce((sum, count) => sum + count, 0))
    expect(response.usage?.output_tokens).toBe(encodeHarmony(SEARCH).length + encodeHarmony(ANSWER).length)
  })

  test('a call of the client ends the response, and the next request continues from there', async () => {
    const call = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":1}<|call|>'
    const request: ResponseRequest = { input: 'Go.', tools: [{ type: 'function', name: 'f' }] }
    const first = await run(request, { turns: [call] })
    expect(first.response.status).toBe('completed')
    const { call_id } = first.output[0] as { call_id: string }
    const asked: Asked[] = []
    const input = [
      { role: 'user', content: 'Go.' },
      ...first.output,
      { type: 'function_call_output', call_id, output: 'done' },
    ]
    const options = { turns: [call, ANSWER], asked, history: [{ tokens: first.transcript }] }
    const second = await run({ ...request, input }, options)
    expect(typesIn(second.output)).toEqual(['message'])
    expect(toldTo(asked[0] as Asked)).toEqual(['functions.f: done'])
  })

  test('a call that needs an approval ends the response', async () => {
    const request: ResponseRequest = { input: 'Go.', tools: [{ ...GITHUB, require_approval: 'always' }] }
    const { output } = await run(request, { turns: [SEARCH], tools: [answering('never')] })
    expect(typesIn(output)).toEqual(['mcp_approval_request'])
  })

  test('an approved call runs before the model does, once', async () => {
    const asked: Asked[] = []
    let times = 0
    const tool = toolThat(async () => ({ output: `run ${++times}` }))
    const approved = { approvalRequestId: 'mcpr_1', serverLabel: 'github', name: 'search', arguments: '{}' }
    const request: ResponseRequest = {
      tools: [{ ...GITHUB, require_approval: 'always' }],
      input: [
        { role: 'user', content: 'Go.' },
        { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'github', name: 'search', arguments: '{}' },
        { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      ],
    }
    // The prompt ends in the call, and the context begins with it.
    const engine = modelOf([ANSWER])
    const generate: typeof engine.generate = (context, options) => {
      asked.push({ context: [...context], maxTokens: undefined })
      return engine.generate(encodeHarmony('<|start|>assistant'), options)
    }
    const options = { engine: { ...engine, generate }, tools: [tool], approvedCalls: [approved] }
    const { output } = await run(request, options)
    expect(typesIn(output)).toEqual(['mcp_call', 'message'])
    expect(callIn(output)).toMatchObject({ approval_request_id: 'mcpr_1', output: 'run 1' })
    expect(toldTo(asked[0] as Asked)).toEqual(['github.search: run 1'])
  })

  test('an approved call whose result was lost is not run again', async () => {
    const approved = { approvalRequestId: 'mcpr_1', serverLabel: 'github', name: 'search', arguments: '{}' }
    const engine = modelOf([ANSWER])
    const generate: typeof engine.generate = (_, options) =>
      engine.generate(encodeHarmony('<|start|>assistant'), options)
    const options = { engine: { ...engine, generate }, approvedCalls: [approved], tools: [answering('done')] }
    const whole = await run(REQUEST, options)
    const started = whole.entries.findIndex(({ type }) => type === 'tool_started')
    const rest = await run(REQUEST, {
      ...options,
      entries: whole.entries.slice(0, started + 1),
      tools: [toolThat(async () => expect.unreachable('the call ran twice'))],
    })
    expect(callIn(rest.output)).toMatchObject({ status: 'failed' })
  })

  test.each([
    ['does not say that it may', {}],
    ['says that it may not', { isRepeatable: () => false }],
    ['cannot say it', { isRepeatable: async () => Promise.reject(new Error('the server is down')) }],
  ])('a call whose result was lost is not run again if its tool %s', async (_what, says) => {
    const whole = await run(REQUEST, { turns: [SEARCH, ANSWER], tools: [answering('done')] })
    const started = whole.entries.findIndex(({ type }) => type === 'tool_started')
    const rest = await run(REQUEST, {
      turns: [SEARCH, ANSWER],
      entries: whole.entries.slice(0, started + 1),
      tools: [{ ...toolThat(async () => expect.unreachable('the call ran twice')), ...says }],
      onError: () => {},
    })
    expect(callIn(rest.output)).toMatchObject({ status: 'failed' })
    expect(JSON.stringify(callIn(rest.output))).toContain('It may have run, or may not.')
    expect(rest.response.status).toBe('completed')
  })

  test('several waiting calls run side by side, and their results come in the order of the calls', async () => {
    const two = SEARCH.replace('<|call|>', `<|end|><|start|>assistant${SEARCH.replace('1}', '2}')}`)
    const asked: Asked[] = []
    let waiting: (() => void)[] = []
    // The first call ends only when the second has.
    const tool = toolThat(async (call) => {
      const { arguments: given } = call as HostedCall & { arguments: string }
      if (given === '{"q":1}') await new Promise<void>((resolve) => waiting.push(resolve))
      else for (const resolve of waiting.splice(0)) resolve()
      return { output: given }
    })
    waiting = []
    const { output } = await run(REQUEST, { turns: [two, ANSWER], asked, tools: [tool] })
    expect(typesIn(output)).toEqual(['mcp_call', 'mcp_call', 'message'])
    expect(toldTo(asked[1] as Asked)).toEqual(['github.search: {"q":1}', 'github.search: {"q":2}'])
  })
})

test.each<[string, object, string]>([
  [
    'a call of python',
    { type: 'code_interpreter', container: { type: 'auto' } },
    'analysis to=python code<|message|>1',
  ],
  ['a search', { type: 'web_search' }, 'analysis to=browser.search code<|message|>{"query":"x"}'],
  ['a call of an MCP server', GITHUB, 'commentary to=github.search<|message|>{"q":1}'],
])('%s whose end the engine swallows is run before the model continues', async (_, hosted, call) => {
  const contexts: number[][] = []
  const generate: ReturnType<typeof modelOf>['generate'] = (context) => {
    contexts.push([...context])
    const text = contexts.length === 1 ? `<|channel|>${call}` : ANSWER
    return tokenStream(async function* () {
      yield encodeHarmony(text)
      return { reason: 'stop' as const }
    })
  }
  const request = { input: 'Go.', tools: [hosted] } as ResponseRequest
  const { output } = await run(request, { engine: { ...modelOf([]), generate }, tools: [answering('2')] })
  expect(output.at(-1)?.type).toBe('message')
  expect(contexts).toHaveLength(2)
  const [first, second] = contexts as [number[], number[]]
  const said = encodeHarmony(`<|channel|>${call}<|call|><|start|>`)
  expect(second.slice(first.length, first.length + said.length)).toEqual(said)
  expect(toldTo({ context: second, maxTokens: undefined })).toHaveLength(1)
})

test('without parallel_tool_calls, a turn ends with its first call', async () => {
  const two = SEARCH.replace('<|call|>', `<|end|><|start|>assistant${SEARCH}`)
  const asked: Asked[] = []
  // A chunk of several tokens is cut there, too.
  const model = modelOf([two.slice(0, two.indexOf('<|start|>')), ANSWER], asked)
  const whole = encodeHarmony(two)
  let calls = 0
  const generate: typeof model.generate = (context, options) => {
    calls += 1
    if (calls > 1) return model.generate(context, options)
    return tokenStream(async function* () {
      yield whole
      return { reason: 'stop' as const }
    })
  }
  const request = { ...REQUEST, parallel_tool_calls: false }
  const { output } = await run(request, { engine: { ...model, generate } })
  expect(typesIn(output)).toEqual(['mcp_call', 'message'])
})

describe('tool_choice', () => {
  const tools = [
    { type: 'function', name: 'f' },
    { type: 'function', name: 'g' },
    { type: 'custom', name: 'patch' },
    { type: 'namespace', name: 'docs', tools: [{ type: 'function', name: 'lookup' }] },
    GITHUB,
    { type: 'code_interpreter' },
    { type: 'web_search' },
  ] as const
  const THINK = '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant'

  test.each<[what: string, choice: unknown, header: string, rest: string, item: object]>([
    [
      'a named function',
      { type: 'function', name: 'f' },
      '<|channel|>commentary to=functions.f <|constrain|>json<|message|>',
      '{"a":1}<|call|>',
      { type: 'function_call', name: 'f', arguments: '{"a":1}' },
    ],
    [
      'a named custom tool',
      { type: 'custom', name: 'patch' },
      '<|channel|>commentary to=functions.patch<|message|>',
      'x<|call|>',
      { type: 'custom_tool_call', name: 'patch', input: 'x' },
    ],
    [
      'a named MCP tool',
      { type: 'mcp', server_label: 'github', name: 'search' },
      '<|channel|>commentary to=github.search <|constrain|>json<|message|>',
      '{}<|call|>',
      { type: 'mcp_call', name: 'search', server_label: 'github' },
    ],
    [
      'an MCP server',
      { type: 'mcp', server_label: 'github' },
      '<|channel|>commentary to=github',
      '.read <|constrain|>json<|message|>{}<|call|>',
      { type: 'mcp_call', name: 'read', server_label: 'github' },
    ],
    [
      'the code interpreter',
      { type: 'code_interpreter' },
      '<|channel|>analysis to=python code<|message|>',
      '1+1<|call|>',
      { type: 'code_interpreter_call', code: '1+1' },
    ],
    [
      'a web search',
      { type: 'web_search_preview' },
      '<|channel|>analysis to=browser',
      '.search code<|message|>{"query":"x"}<|call|>',
      { type: 'web_search_call' },
    ],
    [
      'any tool',
      'required',
      '<|channel|>commentary to=',
      'functions.g <|constrain|>json<|message|>{}<|call|>',
      { type: 'function_call', name: 'g' },
    ],
    [
      'any of some tools',
      { type: 'allowed_tools', mode: 'required', tools: ['f', 'g'].map((name) => ({ type: 'function', name })) },
      '<|channel|>commentary to=',
      'functions.g <|constrain|>json<|message|>{}<|call|>',
      { type: 'function_call', name: 'g' },
    ],
    [
      'any of some tools that are one',
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'g' }] },
      '<|channel|>commentary to=functions.g <|constrain|>json<|message|>',
      '{}<|call|>',
      { type: 'function_call', name: 'g' },
    ],
  ])('tool_choice makes the model call %s after it has thought', async (_what, choice, header, rest, item) => {
    const asked: Asked[] = []
    const request = { input: 'Go.', tools, tool_choice: choice } as ResponseRequest
    const { output, entries } = await run(request, { turns: [THINK + header + rest, ANSWER], asked })
    expect(output[0]).toMatchObject({ type: 'reasoning', content: [{ text: 'Hm.' }] })
    expect(output[1]).toMatchObject(item)
    const written = entries.flatMap((entry) => (entry.type === 'host' ? [entry.tokens] : []))
    expect(written).toEqual([
      encodeHarmony('<|channel|>analysis<|message|>'),
      encodeHarmony(`<|start|>assistant${header}`),
    ])
  })

  test('tool_choice demands its call in the first turn alone', async () => {
    const turn = `${THINK}<|channel|>commentary to=github.search <|constrain|>json<|message|>{}<|call|>`
    const request: ResponseRequest = { ...REQUEST, tool_choice: 'required' }
    const { output } = await run(request, { turns: [turn, ANSWER] })
    expect(typesIn(output)).toEqual(['reasoning', 'mcp_call', 'message'])
  })

  test.each<[string, unknown]>([
    ['auto', 'auto'],
    ['none', 'none'],
    [
      'allowed_tools without a demand',
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'g' }] },
    ],
  ])('a tool_choice of %s writes no header', async (_what, choice) => {
    const request = { input: 'Go.', tools, tool_choice: choice } as ResponseRequest
    const { entries } = await run(request, { turns: [ANSWER] })
    expect(entries.some(({ type }) => type === 'host')).toBe(false)
  })

  test('a tool_choice of "required" without a tool writes no header', async () => {
    const { output } = await run({ input: 'Go.', tool_choice: 'required' }, { turns: [ANSWER] })
    expect(typesIn(output)).toEqual(['message'])
  })
})

describe('the limits of a response', () => {
  test('max_output_tokens is shared by all turns', async () => {
    const asked: Asked[] = []
    const first = encodeHarmony(SEARCH).length
    const request = { ...REQUEST, max_output_tokens: first + 2 }
    const { response } = await run(request, { turns: [SEARCH, ANSWER], asked })
    expect(asked.map(({ maxTokens }) => maxTokens)).toEqual([first + 2, 2])
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: first + 2 },
    })
  })

  test('an engine that knows no limit is stopped after exactly the tokens that are left, one or two in a step', async () => {
    const text = [...encodeHarmony('<|channel|>final<|message|>'), ...encodeText(' and'.repeat(20))]
    let room = 0
    let prompt = 0
    const engineOf = (size: number, isSmall: boolean): TokenEngine => ({
      ...modelOf([]),
      capabilities: async () => (isSmall ? { contextLength: prompt + room } : {}),
      generate(context) {
        prompt = context.length
        return tokenStream(async function* () {
          for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
          return { reason: 'stop' }
        })
      },
    })
    for (const size of [1, 2]) {
      for (room = 4; room < 9; room++) {
        const expected = { status: 'incomplete', usage: { output_tokens: Math.ceil(room / size) * size } }
        const limited = await run({ ...REQUEST, max_output_tokens: room }, { engine: engineOf(size, false) })
        expect(limited.response).toMatchObject(expected)
        expect((await run(REQUEST, { engine: engineOf(size, true) })).response).toMatchObject(expected)
      }
    }
  })

  test('no turn begins without a token to spend', async () => {
    const asked: Asked[] = []
    const request = { ...REQUEST, max_output_tokens: encodeHarmony(SEARCH).length }
    const { response, output } = await run(request, { turns: [SEARCH, ANSWER], asked })
    expect(asked).toHaveLength(1)
    expect(response.status).toBe('incomplete')
    expect(callIn(output)).toMatchObject({ status: 'completed' })
  })

  test('an answer whose end is the last token that it may have is complete, whatever the engine says of its limit', async () => {
    const tokens = encodeHarmony(ANSWER)
    const engine = {
      ...modelOf([]),
      generate: () =>
        tokenStream(async function* () {
          yield tokens
          return { reason: 'max_output_tokens' }
        }),
    }
    const whole = await run({ ...REQUEST, max_output_tokens: tokens.length }, { engine })
    expect(whole.response.status).toBe('completed')
    for (const [at, shown] of whole.before.entries()) {
      const rest = await run(
        { ...REQUEST, max_output_tokens: tokens.length },
        { engine, entries: whole.entries.slice(0, at) },
      )
      expect(rest.events).toEqual(whole.events.slice(shown))
    }
  })

  test('the host limits the turns', async () => {
    const asked: Asked[] = []
    const turns = Array.from({ length: 9 }, () => SEARCH)
    const { response } = await run(REQUEST, { turns, asked, limits: { turns: 3 } })
    expect(asked).toHaveLength(3)
    expect(response.status).toBe('incomplete')
  })

  test('a response has 10,000 items at most, and its engine is not asked for more', async () => {
    const item = [...encodeHarmony('<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant')]
    let given = 0
    const engine: TokenEngine = {
      generate: (_, { signal } = {}) =>
        tokenStream(async function* () {
          for (; given < 20_000; given++) yield item
          return undefined
        }, signal),
      health: async () => {},
    }
    const { response } = await run({ input: 'Go.' }, { engine })
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    expect(response.output).toHaveLength(10_000)
    expect(given).toBeLessThanOrEqual(10_001)
  })

  test('calls beyond max_tool_calls are not run, and the model is told so', async () => {
    const asked: Asked[] = []
    let times = 0
    const tool = toolThat(async () => ({ output: `run ${++times}` }))
    const request = { ...REQUEST, max_tool_calls: 1 }
    const { output } = await run(request, { turns: [SEARCH, SEARCH, ANSWER], asked, tools: [tool] })
    expect(times).toBe(1)
    expect(output.map((item) => ('status' in item ? item.status : ''))).toEqual(['completed', 'failed', 'completed'])
    expect(toldTo(asked[2] as Asked)[1]).toMatch(/limit of tool calls/)
  })
})

describe('tools that fail', () => {
  test.each<[what: string, tools: Tool[], told: RegExp, reported: RegExp | undefined]>([
    [
      'a tool that throws',
      [toolThat(async () => Promise.reject(new Error('db password')))],
      /The tool failed/,
      /db pass/,
    ],
    [
      'a tool that throws at once',
      [
        {
          answers: () => true,
          run: () => {
            throw new Error('oops')
          },
        },
      ],
      /The tool failed/,
      /oops/,
    ],
    ['a tool that returns garbage', [toolThat(async () => 7 as never)], /The tool failed/, /no result/],
    ['a tool that returns nothing', [toolThat(async () => ({}))], /The tool failed/, /no result/],
    ['no tool at all', [], /tool not available/, undefined],
    ['a tool that says why', [toolThat(async () => ({ error: { message: 'rate limit' } }))], /rate limit/, undefined],
  ])('%s gives a failed item, and the model sees why', async (_what, tools, told, reported) => {
    const asked: Asked[] = []
    const errors: unknown[] = []
    const onError = (error: unknown): void => void errors.push(error)
    const { output, response } = await run(REQUEST, { turns: [SEARCH, ANSWER], asked, tools, onError })
    expect(callIn(output)).toMatchObject({ status: 'failed', output: null })
    expect(response.status).toBe('completed')
    expect(toldTo(asked[1] as Asked)[0]).toMatch(told)
    expect(errors.map(String).join()).toMatch(reported ?? /^$/)
    expect(JSON.stringify(output)).not.toContain('password')
  })

  test('a call that the request does not allow is not run, and the model is told so', async () => {
    const asked: Asked[] = []
    const request: ResponseRequest = { input: 'Go.', tools: [{ ...GITHUB, allowed_tools: ['read'] }] }
    const tools = [toolThat(async () => expect.unreachable('it ran'))]
    const { output } = await run(request, { turns: [SEARCH, ANSWER], asked, tools })
    expect(callIn(output)).toMatchObject({ status: 'failed' })
    expect(toldTo(asked[1] as Asked)[0]).toMatch(/not available/)
  })

  test('a server that cannot be asked for its tools has none, and the host is told', async () => {
    const errors: unknown[] = []
    const tool: Tool = { ...answering(''), listings: () => Promise.reject(new Error('down')) }
    const { response } = await run(REQUEST, {
      turns: [ANSWER],
      tools: [tool],
      onError: (error) => void errors.push(error),
    })
    expect(response.status).toBe('completed')
    expect(errors.map(String)).toEqual(['Error: down'])
  })
})

describe("the model's instructions about MCP servers", () => {
  const listing = { serverLabel: 'github', tools: [{ name: 'search', inputSchema: {} }] }
  const listed: Tool = { ...answering(''), listings: async () => [listing, { serverLabel: 'other', tools: [] }] }

  test('the model is told the tools of the MCP servers that the request declares, in the prompt and as items', async () => {
    const asked: Asked[] = []
    const { output } = await run(REQUEST, { turns: [ANSWER], asked, tools: [listed] })
    expect(output[0]).toMatchObject({ type: 'mcp_list_tools', server_label: 'github' })
    expect(typesIn(output)).toEqual(['mcp_list_tools', 'message'])
    const { messages } = parseMessages(asked[0]?.context ?? [], { tokenTable, role: null, origin: 'host' })
    expect(messages[1]?.content).toContain('namespace github')
  })

  test('an MCP server that no tool of the host knows is listed as not available', async () => {
    const request: ResponseRequest = { input: 'Go.', tools: [{ ...GITHUB, server_label: 'elsewhere' }] }
    const { output } = await run(request, { turns: [ANSWER], tools: [listed] })
    expect(output[0]).toMatchObject({
      type: 'mcp_list_tools',
      server_label: 'elsewhere',
      error: 'The server is not available.',
    })
  })

  test('the host is told which MCP servers it has where a request names another, and the client is not', async () => {
    const request: ResponseRequest = { input: 'Go.', tools: [{ ...GITHUB, server_label: 'githup' }] }
    const diagnostics: Diagnostic[] = []
    const tools = [{ ...listed, serverLabels: ['github', 'docs'] }]
    const { output } = await run(request, {
      turns: [ANSWER],
      tools,
      onDiagnostic: (each) => void diagnostics.push(each),
    })
    expect(diagnostics).toEqual([
      { code: 'unknown_mcp_server', subject: '"githup"; there are github, docs', index: -1 },
    ])
    expect(JSON.stringify(output)).not.toContain('docs')
  })

  test('of many MCP servers that there are not the host is told a few', async () => {
    const declared = Array.from({ length: 200 }, (_, at) => ({
      ...GITHUB,
      server_label: `none${at}${'x'.repeat(500)}`,
    }))
    const diagnostics: Diagnostic[] = []
    const onDiagnostic = (each: Diagnostic): void => void diagnostics.push(each)
    await run({ input: 'Go.', tools: declared }, { turns: [ANSWER], tools: [listed], onDiagnostic })
    const [{ subject = '' } = {}] = diagnostics.filter(({ code }) => code === 'unknown_mcp_server')
    expect(subject).toContain(' and 195 more; ')
    expect(subject.length).toBeLessThan(700)
  })

  test('no item repeats a listing that the client sends back', async () => {
    const input = [
      { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'github', tools: [] },
      { role: 'user', content: 'Go.' },
    ]
    const { output } = await run({ ...REQUEST, input }, { turns: [ANSWER], tools: [listed] })
    expect(typesIn(output)).toEqual(['message'])
  })
})

describe('endings', () => {
  test('a request that cannot be rendered is an error before the first event', async () => {
    const stream = respond({ input: [{ type: 'dance' }] }, optionsOf({ turns: [ANSWER] }))
    await expect(stream.next()).rejects.toBeInstanceOf(RequestError)
  })

  test('an engine that fails ends the response, and says to the client only what is for it', async () => {
    const errors: unknown[] = []
    const engine = {
      ...modelOf([]),
      generate: () =>
        tokenStream(async function* () {
          yield 200005
          throw new EngineError('context_length_exceeded', 'too long')
        }),
    }
    const { events, response } = await run(REQUEST, { engine, onError: (error) => void errors.push(error) })
    expect(response).toMatchObject({
      status: 'failed',
      error: { code: 'context_length_exceeded', message: 'too long' },
    })
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed'])
    expect(errors).toHaveLength(1)
  })

  test('an engine that gives text instead of ids fails the response', async () => {
    const engine = {
      ...modelOf([]),
      generate: () =>
        tokenStream(async function* () {
          yield 'Hi'
          return undefined
        }),
    }
    const { response } = await run(REQUEST, { engine, onError() {} })
    expect(response.status).toBe('failed')
  })

  test('an abort stops a running tool, and the response fails', async () => {
    const controller = new AbortController()
    const seen: boolean[] = []
    const tool = toolThat(async (_call, { signal }) => {
      controller.abort()
      seen.push(signal.aborted)
      return new Promise(() => {})
    })
    const { events, response } = await run(REQUEST, { turns: [SEARCH], tools: [tool], signal: controller.signal })
    expect(seen).toEqual([true])
    expect(response.status).toBe('failed')
    expect(events.at(-1)?.type).toBe('response.failed')
  })

  test('an abort stops an engine that hangs', async () => {
    const controller = new AbortController()
    let isStopped = false
    const generate = () =>
      tokenStream(async function* (signal) {
        yield 200005
        controller.abort()
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        isStopped = true
        yield 200005
        return undefined
      })
    const { response } = await run(REQUEST, { engine: { ...modelOf([]), generate }, signal: controller.signal })
    expect(response.status).toBe('failed')
    expect(isStopped).toBe(true)
  })

  test('a reader that leaves stops the engine, and no further entry is written', async () => {
    let isStopped = false
    const entries: string[] = []
    const generate = () =>
      tokenStream(async function* (signal) {
        signal.addEventListener('abort', () => {
          isStopped = true
        })
        yield* encodeHarmony('<|channel|>final<|message|>Hi')
        await new Promise(() => {})
        return undefined
      })
    const options = {
      ...optionsOf({ engine: { ...modelOf([]), generate } }),
      append: (added: readonly { type: string }[]) => void entries.push(...added.map(({ type }) => type)),
    }
    for await (const batch of respond(REQUEST, options)) {
      if (batch.some(({ type }) => type === 'response.output_text.delta')) break
    }
    expect(isStopped).toBe(true)
    expect(entries.at(-1)).toBe('chunk')
  })

  test.each<[what: string, options: object, message: RegExp]>([
    ['no engine', { engine: undefined }, /engine: expected a TokenEngine/],
    ['no token table', { tokenTable: undefined }, /tokenTable: expected/],
    ['no turns', { limits: { turns: 0 } }, /limits.turns: expected/],
  ])('%s is an error of the caller, from the call itself', (_what, options, message) => {
    expect(() => respond(REQUEST, { ...optionsOf({}), ...options } as never)).toThrow(message)
  })
})

test('the transcript of a response is what the next prompt has for the same items', async () => {
  const { output, transcript } = await run(REQUEST, { turns: [SEARCH, ANSWER] })
  const asked: Asked[] = []
  const input = [{ role: 'user', content: 'Go.' }, ...output, { role: 'user', content: 'And now?' }]
  await run({ ...REQUEST, input }, { turns: [SEARCH, ANSWER, ANSWER], asked, history: [{ tokens: transcript }] })
  expect(promptMessages({ ...REQUEST, input }, { date: '2026-01-01' }).map(({ role }) => role)).toContain('tool')
  const said = transcript.slice(0, -1)
  const { context } = asked[0] as Asked
  const at = context.findIndex((_, index) => said.every((id, offset) => context[index + offset] === id))
  expect(at).toBeGreaterThan(0)
})

test('generate: false is a response without output, whose model was not called', async () => {
  const asked: Asked[] = []
  const { output, response } = await run({ ...REQUEST, generate: false } as typeof REQUEST, { turns: [], asked })
  expect({ output, status: response.status, asked }).toEqual({ output: [], status: 'completed', asked: [] })
})
