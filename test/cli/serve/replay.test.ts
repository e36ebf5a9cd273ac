import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createPlayable } from '../../../src/cli/serve/replay/playable.js'
import { readFixtures } from '../../../src/cli/serve/replay/read-fixtures.js'
import { createReplayEngine } from '../../../src/cli/serve/replay/replay-engine.js'
import {
  createReplayTool,
  declaredServers,
  recordedServers,
  recordedTools,
} from '../../../src/cli/serve/replay/replay-tool.js'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import type { ResponseObject } from '../../../src/core/responses/response.js'
import { type RespondOptions, respond } from '../../../src/endpoint/respond/index.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import type { TokenFixture } from '../../../src/engines/sources/replay.js'
import { loadTokenTable } from '../../../src/index.js'
import { realFolder } from '../io.js'

const io = realFolder()
const fixtures = await readFixtures(io.fixtures, io)
const tokenTable = await loadTokenTable()
const recorded = await recordedTools(fixtures, tokenTable)

function engineOf(played: readonly TokenFixture[]) {
  const playables = played.map((fixture) => {
    const listings = declaredServers(fixture.request ?? {}).flatMap((label) => recorded.listings.get(label) ?? [])
    return createPlayable(fixture, async () => listings, tokenTable)
  })
  return createReplayEngine(playables, tokenTable)
}

const engine = engineOf(fixtures)

async function responseTo(request: object, options: Partial<RespondOptions> = {}): Promise<ResponseObject> {
  let response: ResponseObject | undefined
  const tools = [createReplayTool(recordedServers(fixtures), async () => recorded)]
  for await (const events of respond(request as ResponseRequest, { engine, tools, tokenTable, ...options })) {
    const last = events.at(-1)
    if (last !== undefined && 'response' in last) response = last.response
  }
  return response as ResponseObject
}

/** An item's content, without the ids that differ between any two responses. */
function said(item: OutputItem): object {
  const {
    type,
    name,
    arguments: text,
    code,
    output,
    content,
    action,
    error,
  } = item as unknown as Record<string, unknown>
  const words = Array.isArray(content) ? content.map(({ text }) => text) : content
  return { type, name, text, code, output, words, action, error }
}

/** The items of a fixture's own translation. */
function expectedOutput(name: string): readonly OutputItem[] {
  const lines = readFileSync(`${io.fixtures}/${name}.events.jsonl`, 'utf8').trimEnd().split('\n')
  return JSON.parse(lines.at(-1) ?? '').response.output
}

/** A request without strict functions: under a constraint, a malformed fixture would no longer be malformed. */
function withoutStrict(request: ResponseRequest): ResponseRequest {
  const { tools } = request
  return tools ? { ...request, tools: tools.map((tool) => ({ ...tool, strict: false })) } : request
}

function fixtureOf(name: string): TokenFixture {
  return fixtures.find((fixture) => fixture.name === name) as TokenFixture
}

/**
 * The fixtures whose streams no engine produces: a call ends the model's turn, and an approved call was requested in an
 * earlier response.
 */
const OTHERS = ['two-calls', 'mcp-approved', 'namespace-call', 'host-message', 'mcp-approval']

describe('a request of a fixture', () => {
  const names = fixtures.map(({ name }) => name).filter((name) => !OTHERS.includes(name))

  test.each(names)(
    'the request of the fixture %s is answered as the fixture is translated, with its tools played',
    async (name) => {
      const { request, setup } = fixtureOf(name)
      const { citations: _, responseMessages: __, ...options } = setup ?? {}
      const response = await responseTo(withoutStrict(request ?? {}), options)
      const isListing = ({ type }: OutputItem): boolean => type === 'mcp_list_tools'
      const got = response.output.filter((item) => !isListing(item)).map(said)
      const wanted = expectedOutput(name).map(said)
      expect(got).toHaveLength(wanted.length)
      // Citations are a setting of the server's, and sources of the tool's own.
      if (name !== 'web-search') expect(got).toEqual(wanted)
    },
  )

  test('the request of a fixture is found regardless of its instructions, effort and model', async () => {
    const request = { ...fixtureOf('plain-answer').request, instructions: '# Tools\n\nBe nice.', model: 'gpt-5.4' }
    const response = await responseTo({ ...request, reasoning: { effort: 'high' } })
    expect(response.output.map(said)).toEqual(expectedOutput('plain-answer').map(said))
  })

  test('the request of a fixture is another one with other tools', async () => {
    const tools = fixtureOf('two-calls').request?.tools
    const response = await responseTo({ ...fixtureOf('plain-answer').request, tools })
    expect(JSON.stringify(response.output)).toContain('no recording contains this request')
  })

  test('a replayed fixture continues after an approval, with the recorded result of the call', async () => {
    const asked = await responseTo(fixtureOf('mcp-approval').request ?? {})
    expect(asked.output.at(-1)?.type).toBe('mcp_approval_request')
    const { request, setup } = fixtureOf('mcp-approved')
    const response = await responseTo(request ?? {}, { approvedCalls: setup?.approvedCalls ?? [] })
    expect(response.output.at(-1)).toMatchObject({ content: [{ text: 'Your short link is **b2**.' }] })
  })

  test('a replayed fixture continues where the host has begun the message that it has next', async () => {
    const { request } = fixtureOf('two-calls')
    const response = await responseTo({ ...request, tool_choice: { type: 'function', name: 'get_weather' } })
    expect(response.output.at(-1)).toMatchObject({ type: 'function_call', arguments: '{"city":"Oslo"}' })
  })

  test('a replayed fixture is cut where the limit of its request says', async () => {
    const response = await responseTo({ ...fixtureOf('reasoning-answer').request, max_output_tokens: 5 })
    expect([response.status, response.usage?.output_tokens]).toEqual(['incomplete', 5])
  })
})

test('a recording without input answers any request with its tools', async () => {
  const { request: _, ...recording } = fixtureOf('plain-answer')
  const response = await responseTo({ input: 'Anything' }, { engine: engineOf([recording]) })
  expect(response.output.map(said)).toEqual(expectedOutput('plain-answer').map(said))
})

describe('a request that no fixture has', () => {
  const WEATHER = {
    type: 'function',
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'number' }, unit: { enum: ['C', 'F'] } },
      required: ['city', 'unit'],
    },
  }
  const OTHER = { type: 'function', name: 'get_time' }

  test('a request without a fixture is answered with reasoning and an echo of the input', async () => {
    const response = await responseTo({ input: 'Hello there' })
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    expect(JSON.stringify(response.output)).toContain('You said: Hello there')
  })

  test('a request that no fixture has gets an answer without a call where nothing in it asks for one', async () => {
    const { output } = await responseTo({ input: 'Hello', tools: [WEATHER, OTHER] })
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
  })

  test('a request that no fixture has gets a call of the tool that its words name, with arguments that fit', async () => {
    const { output } = await responseTo({ input: 'How is the weather?', tools: [OTHER, WEATHER] })
    expect(output.at(-1)).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris","unit":"C"}' })
  })

  test('a request that no fixture has gets a call of the tool that the user names', async () => {
    const { output } = await responseTo({ input: 'Call get_time, please', tools: [WEATHER, OTHER] })
    expect(output.at(-1)).toMatchObject({ type: 'function_call', name: 'get_time', arguments: '{}' })
  })

  test('a request that no fixture has gets a call of the tool that it demands', async () => {
    const tool_choice = { type: 'function', name: 'get_time' }
    const { output } = await responseTo({ input: 'Hello', tools: [WEATHER, OTHER], tool_choice })
    expect(output.at(-1)).toMatchObject({ type: 'function_call', name: 'get_time', arguments: '{}' })
  })

  test('a request that no fixture has gets a call of any tool where it requires one', async () => {
    const { output } = await responseTo({ input: 'Hello', tools: [WEATHER], tool_choice: 'required' })
    expect(output.at(-1)).toMatchObject({ type: 'function_call', name: 'get_weather' })
  })

  test('a request that no fixture has gets a call of a custom tool with text', async () => {
    const { output } = await responseTo({ input: 'Write it down', tools: [{ type: 'custom', name: 'write' }] })
    expect(output.at(-1)).toMatchObject({ type: 'custom_tool_call', name: 'write', input: 'Write it down' })
  })

  test('a request that no fixture has gets its answer after the result of a tool', async () => {
    const input = [
      { type: 'message', role: 'user', content: 'Hello' },
      { type: 'function_call', call_id: 'c', name: 'get_weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: '22 degrees' },
    ]
    const { output } = await responseTo({ input, tools: [WEATHER] })
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    expect(JSON.stringify(output)).toContain('22 degrees')
  })

  test('a request that no fixture has gets its hosted tools played, too', async () => {
    const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
    const { output } = await responseTo({ input: 'Run some code', tools })
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'code_interpreter_call', 'reasoning', 'message'])
  })

  test('a request that no fixture has gets a call of the MCP server whose label is a word of it', async () => {
    const listing = { serverLabel: 'weather', tools: [{ name: 'now', inputSchema: { type: 'object' } }] }
    const weather: Tool = {
      answers: ({ type }) => type === 'mcp_call',
      listings: async () => [listing],
      run: async () => ({ output: '9 degrees' }),
    }
    const tools = [{ type: 'mcp', server_label: 'weather', require_approval: 'never' }]
    const { output } = await responseTo({ input: 'How is the weather in Oslo?', tools }, { tools: [weather] })
    expect(output).toContainEqual(expect.objectContaining({ type: 'mcp_call', name: 'now', output: '9 degrees' }))
    const unasked = await responseTo({ input: 'Which functions are there?', tools: [WEATHER, OTHER] })
    expect(unasked.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
  })

  test('a request without a fixture gets no call of an MCP server that was not recorded', async () => {
    const tools = [{ type: 'mcp', server_label: 'constructor', require_approval: 'never' }]
    const { output } = await responseTo({ input: 'Hello', tools })
    expect(output.map(({ type }) => type)).toEqual(['mcp_list_tools', 'reasoning', 'message'])
  })
})

describe('strict output', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { enum: ['C', 'F'] } },
    required: ['city', 'unit'],
    additionalProperties: false,
  }

  test('the script and a recording keep to the schema of a strict function', async () => {
    const tool = { type: 'function', name: 'get_weather', strict: true, parameters: schema }
    const { output } = await responseTo({ input: 'How is the weather?', tools: [tool] })
    expect(output.at(-1)).toMatchObject({ type: 'function_call', arguments: '{"city":"Paris","unit":"C"}' })
    const recorded = await responseTo(fixtureOf('preamble-function-call').request ?? {})
    expect(recorded.output.at(-1)).toMatchObject({ type: 'function_call', arguments: '{"city":"Oslo"}' })
  })

  test('the script keeps to the schema of a strict text format', async () => {
    const text = { format: { type: 'json_schema', name: 'place', strict: true, schema } }
    const { output } = await responseTo({ input: 'Hello', text })
    const [part] = (output.at(-1) as { content: { text: string }[] }).content
    expect(Object.keys(JSON.parse(part?.text ?? ''))).toEqual(['city', 'unit'])
  })
})
