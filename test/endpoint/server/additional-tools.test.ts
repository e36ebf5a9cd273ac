import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import { TOOLS } from '../../../src/endpoint/request/schemas/tools.js'
import { createSeal } from '../../../src/endpoint/seal/index.js'
import type { CallRecord } from '../../../src/endpoint/server/index.js'
import { functionTools } from '../../../src/endpoint/tools/functions.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { answer, call, type Script, think } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const WEATHER = { type: 'function', name: 'weather', parameters }
const EXEC = { type: 'custom', name: 'exec', description: 'Runs a script.' }
const CLOCK = { type: 'namespace', name: 'clock', tools: [{ type: 'function', name: 'sleep', strict: false }] }
const DICE = { type: 'mcp', server_label: 'dice', require_approval: 'never' }

/** The fields that a tool of each type has to have. */
const NEEDED: Readonly<Record<string, object>> = {
  function: WEATHER,
  custom: EXEC,
  namespace: CLOCK,
  mcp: DICE,
  file_search: { vector_store_ids: ['vs'] },
}

const declares = (...tools: readonly object[]) => ({
  type: 'additional_tools' as const,
  role: 'developer' as const,
  tools,
})
const user = (content = 'Hi') => ({ role: 'user' as const, content })

const dice = functionTools('dice', { roll: { parameters: { type: 'object', properties: {} }, run: () => '4' } })
/** Runs every built-in tool. */
const builtins: Tool = { answers: ({ type }) => type !== 'mcp_call', run: async () => ({ outputs: [] }) }

const developerTexts = ({ engine }: ReturnType<typeof endpoint<Script>>, at = 0): string[] =>
  (engine.calls[at]?.messages ?? []).flatMap(({ role, content }) => (role === 'developer' ? [content] : []))

describe('a tool that an item alone declares', () => {
  test.each<[tool: object, to: string, item: object]>([
    [WEATHER, 'functions.weather', { type: 'function_call', name: 'weather' }],
    [EXEC, 'functions.exec', { type: 'custom_tool_call', name: 'exec', input: '{"city":"Oslo"}' }],
    [CLOCK, 'clock.sleep', { type: 'function_call', name: 'sleep', namespace: 'clock' }],
    [{ type: 'shell', environment: { type: 'local' } }, 'container.exec', { type: 'shell_call' }],
    [{ type: 'local_shell' }, 'container.exec', { type: 'local_shell_call' }],
    [
      { type: 'mcp', server_label: 'dice', require_approval: 'always' },
      'dice.roll',
      { type: 'mcp_approval_request', server_label: 'dice', name: 'roll' },
    ],
  ])('%j is called, and the client gets the call: %s', async (tool, to, item) => {
    const args = to === 'container.exec' ? { cmd: ['ls'] } : { city: 'Oslo' }
    const served = endpoint([[think('Hm.'), call(to, args)]], { tools: [dice] })
    const { body } = await served.create({ input: [user(), declares(tool)] })
    expect(body.output.at(-1)).toMatchObject(item)
    expect(developerTexts(served)).toEqual([expect.stringContaining('# Tools')])
  })

  test.each<[tool: object, to: string, args: object, item: object]>([
    [{ type: 'code_interpreter', container: { type: 'auto' } }, 'python', {}, { type: 'code_interpreter_call' }],
    [{ type: 'web_search' }, 'browser.search', { query: 'x' }, { type: 'web_search_call' }],
    [
      { type: 'file_search', vector_store_ids: ['vs'] },
      'file_search.search',
      { queries: ['x'] },
      { type: 'file_search_call' },
    ],
    [
      { type: 'shell', environment: { type: 'container_auto' } },
      'container.exec',
      { cmd: ['ls'] },
      { type: 'shell_call' },
    ],
    [DICE, 'dice.roll', {}, { type: 'mcp_call', server_label: 'dice', output: '4' }],
  ])('%j is run by the host as %s', async (tool, to, args, item) => {
    const served = endpoint([[think('Hm.'), call(to, args)], answer('Done.')], { tools: [dice, builtins] })
    const { body } = await served.create({ input: [user(), declares(tool)] })
    expect(body).toMatchObject({ status: 'completed', error: null })
    expect(body.output).toContainEqual(expect.objectContaining({ ...item, status: 'completed' }))
    expect(body.output.at(-1)).toMatchObject({ type: 'message' })
  })

  test.each(Object.keys(TOOLS))('a tool of the type %s is taken, as it is in tools', async (type) => {
    const tool = { type, ...NEEDED[type] }
    const answers = await Promise.all(
      [{ tools: [tool], input: 'Hi' }, { input: [declares(tool), user()] }].map((body) =>
        endpoint([answer('Hi.')], { tools: [dice] }).create(body),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[1]?.body.tools).toEqual(answers[0]?.body.tools)
    expect(answers[1]?.body.usage).toEqual(answers[0]?.body.usage)
  })

  test('the tools of a server are listed once, by the response that first has the server', async () => {
    const served = endpoint([answer('Hi.'), [call('dice.roll', {})], answer('4.')], { tools: [dice] })
    const first = await served.create({ input: [user(), declares(DICE)] })
    expect(first.body.output[0]).toMatchObject({
      type: 'mcp_list_tools',
      server_label: 'dice',
      tools: [{ name: 'roll' }],
    })
    const second = await served.create({ input: 'Roll.', previous_response_id: first.body.id })
    expect(second.body.output.map(({ type }: { type: string }) => type)).toEqual(['mcp_call', 'message'])
  })

  test('a strict function is held to its schema, and a custom tool to its grammar', async () => {
    const digits = { ...EXEC, format: { type: 'grammar', syntax: 'regex', definition: '[0-9]+' } }
    const served = endpoint([
      [call('functions.weather', { town: 'Rome' })],
      [{ ...call('functions.exec', 'rm'), contentType: 'code' }],
    ])
    const input = [user(), declares(digits, WEATHER)]
    const { body } = await served.create({ input })
    expect(JSON.parse(body.output[0].arguments)).toHaveProperty('city')
    expect((await served.create({ input })).body.output[0].input).toMatch(/^\d+$/)
  })

  test('an invalid schema is refused at its own place, and a relaxed one reported there', async () => {
    const diagnostics: Diagnostic[] = []
    const { create } = endpoint([answer('Hi.')], {
      response: { onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic) },
    })
    const at = (schema: object) => [user(), declares(EXEC, { ...WEATHER, parameters: schema })]
    const refused = await create({ tools: [CLOCK], input: at({ type: 'dog' }) })
    expect(refused.body.error).toMatchObject({ param: 'input[1].tools[1].parameters' })
    await create({ tools: [CLOCK], input: at({ type: 'object', uniqueItems: true, not: { type: 'object' } }) })
    const subjects = diagnostics.flatMap(({ code, subject }) => (code === 'relaxed_schema' ? [subject] : []))
    expect(subjects).toContainEqual(expect.stringMatching(/^input\[1\]\.tools\[1\]\.parameters/))
  })

  test('tool_choice demands it, or allows it alone', async () => {
    const script: Script = [[call('functions.weather', { city: 'Oslo' })]]
    const input = [user(), declares(WEATHER, EXEC)]
    for (const tool_choice of ['required', { type: 'function', name: 'weather' }]) {
      const { body } = await endpoint(script).create({ input, tool_choice })
      expect(body.output.at(-1)).toMatchObject({ type: 'function_call', name: 'weather' })
    }
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'exec' }] }
    const { body } = await endpoint([...script, answer('No.')]).create({ input, tool_choice: allowed })
    expect(body.output).toMatchObject([{ type: 'mcp_call', status: 'failed' }, { type: 'message' }])
  })

  test('parallel_tool_calls applies to it', async () => {
    const script: Script = [[call('clock.sleep', { s: 1 }), call('clock.sleep', { s: 2 })]]
    const ask = (parallel_tool_calls: boolean) =>
      endpoint(script).create({ input: [user(), declares(CLOCK)], parallel_tool_calls })
    expect((await ask(true)).body.output).toHaveLength(2)
    expect((await ask(false)).body.output).toHaveLength(1)
  })

  test('the response names it among its tools, from its first event on and where it is stored', async () => {
    const served = endpoint([answer('Hi.')])
    const events = await served.stream('/responses', { tools: [EXEC], input: [user(), declares(WEATHER)] })
    const tools = [expect.objectContaining(EXEC), expect.objectContaining({ ...WEATHER, strict: true })]
    expect(events[0]?.response.tools).toEqual(tools)
    expect((await served.ask('GET', `/responses/${events[0]?.response.id}`)).body.tools).toEqual(tools)
  })

  test('it counts as input, and takes as many tokens as the response says', async () => {
    const { ask, create } = endpoint([answer('Hi.')])
    const body = { model: 'gpt-oss', input: [user(), declares(WEATHER, CLOCK)] }
    const { input_tokens } = (await ask('POST', '/responses/input_tokens', body)).body
    expect((await create(body)).body.usage.input_tokens).toBe(input_tokens)
    const without = (await ask('POST', '/responses/input_tokens', { ...body, input: 'Hi' })).body.input_tokens
    expect(input_tokens).toBeGreaterThan(without)
  })

  test('its calls are shown where those of offered tools are hidden, and are the request’s in the audit', async () => {
    const records: CallRecord[] = []
    const served = endpoint([[call('dice.roll', {})], answer('4.')], {
      tools: [dice],
      offered: { tools: [dice.declaration] },
      offeredCalls: 'hidden',
      audit: (record) => void records.push(record),
    })
    const { body } = await served.create({ input: [user(), declares(DICE)] })
    expect(body.output).toContainEqual(expect.objectContaining({ type: 'mcp_call', name: 'roll' }))
    expect(new Set(records.map(({ allowedBy }) => allowedBy))).toEqual(new Set(['request']))
  })

  test("the operator's approval applies to it", async () => {
    const served = endpoint([[call('dice.roll', {})]], { tools: [dice], approval: 'always' })
    const { body } = await served.create({ input: [user(), declares(DICE)] })
    expect(body.output.at(-1)).toMatchObject({ type: 'mcp_approval_request', name: 'roll' })
  })

  test('a name that an offered tool has is refused at its own place', async () => {
    const { create } = endpoint([answer('Hi.')], { tools: [dice], offered: { tools: [dice.declaration] } })
    const { body } = await create({ tools: [EXEC], input: [user(), declares({ ...WEATHER, name: 'roll' })] })
    expect(body.error).toMatchObject({ param: 'input[1].tools[0].name', code: 'invalid_value' })
  })

  test('its secrets are neither stored nor echoed', async () => {
    const { create, ask } = endpoint([answer('Hi.')])
    const secret = {
      ...DICE,
      server_url: 'https://key@example.com',
      authorization: 'secret',
      headers: { key: 'secret' },
    }
    const { body } = await create({ input: [user(), declares(secret)] })
    const { body: items } = await ask('GET', `/responses/${body.id}/input_items`)
    expect(items.data[0]).toMatchObject({ type: 'additional_tools', tools: [{ server_label: 'dice' }] })
    for (const shown of [body, items]) expect(JSON.stringify(shown)).not.toMatch(/secret|key@/)
  })
})

describe('a conversation with tools of its own', () => {
  const script: Script = [
    [think('Hm.'), { ...call('functions.exec', 'ls'), contentType: 'code' }],
    [think('Again.'), { ...call('functions.exec', 'pwd'), contentType: 'code' }],
    answer('Done.'),
  ]
  const start = [declares(EXEC), { role: 'developer' as const, content: 'Be brief.' }, user()]
  const output = (call_id: string) => ({ type: 'custom_tool_call_output' as const, call_id, output: 'ok' })

  test.each([
    ['stored', true],
    ['sent again as a whole', false],
  ])('a conversation that is %s keeps its tools, and each prompt begins with the one before', async (_, isStored) => {
    const served = endpoint(script, { seal: createSeal([{ id: 'a', key: new Uint8Array(32).fill(1) }]) })
    const include = ['reasoning.encrypted_content']
    let input: object[] = start
    let previous: string | undefined
    for (const name of ['exec', 'exec', undefined]) {
      const { body } = await served.create({
        ...(isStored
          ? { input, ...(previous && { previous_response_id: previous }) }
          : { input, store: false, include }),
      })
      const last = body.output.findLast(({ type }: { type: string }) => type !== 'reasoning')
      expect(last.name).toBe(name)
      previous = body.id
      input = isStored ? [output(last.call_id)] : [...input, ...body.output, output(last.call_id)]
    }
    const [first, second, third] = served.engine.calls.map(({ tokens }) => [...tokens])
    expect(second?.slice(0, first?.length)).toEqual(first)
    expect(third?.slice(0, second?.length)).toEqual(second)
  })

  test('an item that repeats them in a later turn adds nothing to the prompt', async () => {
    const served = endpoint([answer('Hi.'), answer('Ho.')])
    const { body } = await served.create({ input: start })
    const { status } = await served.create({ input: [declares(EXEC), user('Go on.')], previous_response_id: body.id })
    expect(status).toBe(200)
    expect(developerTexts(served, 1)).toEqual(developerTexts(served, 0))
  })

  test('tool_choice may name a tool of an earlier turn, and of a referenced item, but no other', async () => {
    const served = endpoint([answer('Hi.'), ...script])
    const { body } = await served.create({ input: start.map((item, at) => ({ ...item, id: `item_${at}` })) })
    const ask = (name: string, more: object) =>
      served.create({ input: 'Go on.', tool_choice: { type: 'custom', name }, ...more })
    const chosen = await ask('exec', { previous_response_id: body.id })
    expect(chosen.body.output.at(-1)).toMatchObject({ type: 'custom_tool_call', name: 'exec' })
    const referenced = await ask('exec', { input: [{ type: 'item_reference', id: 'item_0' }, user()] })
    expect(referenced.body.output.at(-1)).toMatchObject({ type: 'custom_tool_call', name: 'exec' })
    const refused = await ask('other', { previous_response_id: body.id })
    expect(refused.body.error).toMatchObject({ param: 'tool_choice', message: expect.stringContaining('not found') })
  })

  test('a conversation with calls of such tools is compacted, and continues with those that the next request declares', async () => {
    const served = endpoint([script[0] as never, answer('They listed files.'), script[1] as never], {
      seal: createSeal([{ id: 'a', key: new Uint8Array(32).fill(1) }]),
    })
    const { body } = await served.create({ input: start })
    const { call_id } = body.output.at(-1)
    const asked = { model: 'gpt-oss', input: [output(call_id)], previous_response_id: body.id }
    const compacted = await served.ask('POST', '/responses/compact', asked)
    expect(compacted.body.output).toMatchObject([{ type: 'compaction' }])
    expect(developerTexts(served, 1)).toEqual([expect.not.stringContaining('# Tools')])
    const next = await served.create({ input: [declares(EXEC), ...compacted.body.output, user('Go on.')] })
    expect(next.body.output.at(-1)).toMatchObject({ type: 'custom_tool_call', name: 'exec' })
  })

  test('it keeps its tools when it is compacted in the middle of a response', async () => {
    const rolling: Script = ({ messages }) => {
      if (messages.at(-1)?.content.startsWith('Summarize')) return answer('They rolled.')
      return messages.some(({ content }) => content.includes('They rolled.'))
        ? (script[1] as never)
        : [call('dice.roll', {})]
    }
    const served = endpoint(rolling, {
      tools: [dice],
      seal: createSeal([{ id: 'a', key: new Uint8Array(32).fill(1) }]),
    })
    const { body } = await served.create({
      input: [user('Roll. '.repeat(2000)), declares(DICE, EXEC)],
      context_management: [{ type: 'compaction', compact_threshold: 2000 }],
    })
    expect(body.output).toContainEqual(expect.objectContaining({ type: 'compaction' }))
    expect(body.output.at(-1)).toMatchObject({ type: 'custom_tool_call', name: 'exec' })
    expect(developerTexts(served, served.engine.calls.length - 1)).toEqual([expect.stringContaining('type exec = ')])
  })
})

test('a tool of a type that nobody knows is left out of an item, and reported', async () => {
  const subjects: unknown[] = []
  const served = endpoint([answer('Hi.')], { response: { onDiagnostic: ({ subject }) => subjects.push(subject) } })
  const { status } = await served.create({ input: [declares({ type: 'dance' }, EXEC), user()] })
  expect(status).toBe(200)
  expect(subjects).toEqual(["input[].tools[] of type 'dance'"])
  expect(developerTexts(served, 0)).toEqual([expect.stringContaining('type exec = ')])
})

describe('what an item of tools is refused for', () => {
  test.each<[what: string, item: object, param: string]>([
    ['a name with a blank', declares({ type: 'custom', name: 'a b' }), 'input[0].tools[0].name'],
    ['two tools of one name', declares(EXEC, { ...WEATHER, name: 'exec' }), 'input[0].tools[1].name'],
    ['another role', { ...declares(EXEC), role: 'user' }, 'input[0].role'],
    [
      'too many tools',
      declares(...Array.from({ length: 1001 }, (_, at) => ({ ...EXEC, name: `f${at}` }))),
      'input[0].tools',
    ],
  ])('an item with %s is refused', async (_, item, param) => {
    const { status, body } = await endpoint([answer('Hi.')]).create({ input: [item, user()] })
    expect([status, body.error.param]).toEqual([400, param])
  })
})
