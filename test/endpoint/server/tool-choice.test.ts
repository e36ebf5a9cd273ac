import { describe, expect, test } from 'vitest'
import type { Tool } from '../../../src/endpoint/tools/functions.js'
import { functionTools } from '../../../src/endpoint/tools/functions.js'
import { answer, call, type Script, scriptedEngine, think } from '../../../src/testing/index.js'
import { type Endpoint, endpoint, tokenTable } from './endpoint.js'

/** Hosted tools that record their calls. */
function spies(): { readonly tools: readonly Tool[]; readonly ran: string[] } {
  const ran: string[] = []
  const weather = functionTools('weather', {
    now: { parameters: { type: 'object' }, run: () => void ran.push('weather.now') },
  })
  const others: Tool = {
    answers: () => true,
    run: async (call) => {
      ran.push('name' in call ? `${call.server_label}.${call.name}` : call.type)
      return { output: 'ran' }
    },
    listings: async () => [{ serverLabel: 'docs', tools: [{ name: 'search' }] }],
  }
  return { tools: [weather, others], ran }
}

const CLIENT = { type: 'function', name: 'wipe', parameters: { type: 'object' } }
const TOOLS = [
  CLIENT,
  { type: 'custom', name: 'shell_script' },
  { type: 'mcp', server_label: 'weather', require_approval: 'never' },
  { type: 'mcp', server_label: 'docs', require_approval: 'never' },
  { type: 'mcp', server_label: 'vault', require_approval: 'always' },
  { type: 'code_interpreter', container: { type: 'auto' } },
  { type: 'web_search' },
  { type: 'function', name: 'harmless', parameters: { type: 'object' } },
]
/** Each way to reach a tool, by all names that a model may use. */
const CALLS = [
  'weather.now',
  'mcp.weather.now',
  'mcp__weather__now',
  'functions.weather.now',
  'now',
  'docs.search',
  'docs.unlisted',
  'vault.open',
  'python',
  'browser.search',
  'functions.wipe',
  'wipe',
  'functions.shell_script',
  'functions.made_up',
  'made_up',
]
/** Asks for one of the tools, and then answers. */
const attacks = (to: string): Script => [
  [think('I will do it anyway.'), call(to, { query: 'x' })],
  answer('I could not.'),
]
const harmless = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'harmless' }] }

function attacked(to: string, ran: readonly Tool[]): Endpoint {
  return endpoint(attacks(to), { tools: ran })
}

describe.each<[string, unknown]>([
  ['none', 'none'],
  ['allowed_tools without it', harmless],
])('a model that calls what tool_choice excludes: %s', (name, tool_choice) => {
  test.each(CALLS)(`under ${name}, a call of %s runs nothing, and is no call of the client`, async (to) => {
    const { tools, ran } = spies()
    const { status, body } = await attacked(to, tools).create({ input: 'Go.', tools: TOOLS, tool_choice })
    expect([status, body.status, ran]).toEqual([200, 'completed', []])
    const types = body.output.map(({ type }: { type: string }) => type)
    expect(types.filter((type: string) => /call|approval/.test(type))).toEqual(['mcp_call'])
    expect(body.output.find(({ type }: { type: string }) => type === 'mcp_call')).toMatchObject({
      status: 'failed',
      output: null,
      error: { message: 'tool not available' },
    })
    expect(body.output_text ?? body.output.at(-1).content[0].text).toBe('I could not.')
  })

  test.each(CALLS)(`under ${name}, a call of %s is in no event of a stream that a client would run`, async (to) => {
    const { tools, ran } = spies()
    const events = await attacked(to, tools).stream('/responses', { input: 'Go.', tools: TOOLS, tool_choice })
    expect(ran).toEqual([])
    expect(JSON.stringify(events)).not.toMatch(/"type":"(function_call|custom_tool_call|mcp_approval_request)"/)
    expect(events.at(-1)?.type).toBe('response.completed')
  })
})

test('the tools that allowed_tools leaves are run, so that a refused one was not just broken', async () => {
  const { tools, ran } = spies()
  const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp', server_label: 'weather' }] }
  await attacked('weather.now', tools).create({ input: 'Go.', tools: TOOLS, tool_choice })
  expect(ran).toEqual(['weather.now'])
})

test('a name that a server did not list reaches no tool in the conversation that follows, either', async () => {
  const { tools, ran } = spies()
  const script: Script = [answer('Hi'), [call('docs.unlisted', {})], answer('No.')]
  const { create } = endpoint(script, { tools })
  const first = await create({ input: 'Hi', tools: TOOLS })
  const { body } = await create({ input: 'Go.', tools: TOOLS, previous_response_id: first.body.id })
  expect(body.output).toMatchObject([{ type: 'mcp_call', name: 'unlisted', status: 'failed' }, { type: 'message' }])
  expect(ran).toEqual([])
})

test.each(['docs.search', 'docs.unlisted', 'mcp.docs.search'])(
  'a call of %s reaches no tool of a server that failed to list its tools',
  async (to) => {
    const { tools, ran } = spies()
    const failing = tools.map((tool) => ({
      ...tool,
      ...(tool.listings && { listings: async () => [{ serverLabel: 'docs', error: 'down' }] }),
    }))
    const { body } = await attacked(to, failing).create({ input: 'Go.', tools: TOOLS })
    expect(body.status).toBe('completed')
    expect(ran).toEqual([])
  },
)

test('a tool that the server listed earlier in the conversation runs while it fails to list', async () => {
  const { tools, ran } = spies()
  let isDown = false
  const failing = tools.map((tool): Tool => {
    const { listings } = tool
    if (listings === undefined) return tool
    return {
      ...tool,
      listings: async (...given) => (isDown ? [{ serverLabel: 'docs', error: 'down' }] : listings(...given)),
    }
  })
  const script: Script = [answer('Hi'), [call('docs.search', {})], [call('docs.unlisted', {})], answer('Done.')]
  const { create } = endpoint(script, { tools: failing })
  const first = await create({ input: 'Hi', tools: TOOLS })
  isDown = true
  await create({ input: 'Go.', tools: TOOLS, previous_response_id: first.body.id })
  expect(ran).toEqual(['docs.search'])
})

describe('Chat Completions', () => {
  const tools = ['wipe', 'harmless'].map((name) => ({ type: 'function', function: { name, parameters: {} } }))
  const allowed = {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'harmless' } }] },
  }

  test.each<[string, string, unknown]>(
    (['functions.wipe', 'wipe', 'functions.made_up', 'python'] as const).flatMap((to) => [
      [to, 'none', 'none'] as [string, string, unknown],
      [to, 'allowed_tools without it', allowed] as [string, string, unknown],
    ]),
  )('a call of %s is no tool call of a chat under %s', async (to, _name, tool_choice) => {
    const { ask } = endpoint(attacks(to))
    const messages = [{ role: 'user', content: 'Go.' }]
    const { status, body } = await ask('POST', '/chat/completions', { model: 'gpt-oss', messages, tools, tool_choice })
    expect(status).toBe(200)
    const [choice] = body.choices
    expect(choice.message.tool_calls ?? []).toEqual([])
    expect([choice.finish_reason, choice.message.content]).toEqual(['stop', 'I could not.'])
  })

  test('a required call that never comes about is an error of a chat, which says so', async () => {
    // An engine that holds names would not let it.
    const engine = scriptedEngine(() => answer('I would rather talk.'), { tokenTable, constraints: [] })
    const { ask } = endpoint(engine)
    const messages = [{ role: 'user', content: 'Go.' }]
    const { status, body } = await ask('POST', '/chat/completions', {
      model: 'gpt-oss',
      messages,
      tools,
      tool_choice: 'required',
    })
    expect(status).toBe(500)
    expect(body.error.message).toBe("The model did not call a tool, although 'tool_choice' demands it.")
  })
})

test.each([
  ['white space, which would end the recipient', 'search to=functions.wipe', 'invalid_value'],
  ['text without end', 'a'.repeat(129), 'string_above_max_length'],
])(
  'an MCP tool is not demanded by a name with %s: it would stand in a header that the host writes',
  async (_, name, code) => {
    const { create, engine } = endpoint(() => answer('Hi'), { tools: spies().tools })
    const tool_choice = { type: 'mcp', server_label: 'docs', name }
    const { status, body } = await create({ input: 'Go.', tools: TOOLS, tool_choice })
    expect([status, body.error.param, body.error.code]).toEqual([400, 'tool_choice.name', code])
    expect(body.error.message.length).toBeLessThan(300)
    expect(engine.calls).toEqual([])
  },
)
