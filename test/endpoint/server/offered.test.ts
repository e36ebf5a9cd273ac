import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import type { CallRecord, OperatorOffer, ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { functionTools } from '../../../src/endpoint/tools/functions.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { answer, call, type Script, think } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

const dice = functionTools('dice', {
  roll: { description: 'Rolls a die.', parameters: { type: 'object', properties: {} }, run: () => '4' },
  cheat: { description: 'Sets a die.', parameters: { type: 'object', properties: {} }, run: () => 'set' },
  look: {
    description: 'Looks at a die.',
    parameters: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    run: () => 'seen',
  },
})
const OFFERED: OperatorOffer = { tools: [dice.declaration] }
const CLIENTS = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } } as const

/** An endpoint that offers dice, and how its model goes on. */
function offering(script: Script, options: Partial<ResponsesAppOptions> = {}) {
  return endpoint(script, { tools: [dice], offered: OFFERED, ...options })
}

const rolling = (): Extract<Script, readonly unknown[]> => [
  [think('Roll.'), call('dice.roll', {})],
  [think('Again.'), call('dice.roll', {})],
  [think('Done.'), answer('It is 4.')],
]
const typesOf = (body: { output: { type: string }[] }): string[] => body.output.map(({ type }) => type)
/** The text of the developer message of a model call. */
interface Served {
  readonly engine: { readonly calls: readonly { readonly messages: readonly { role: string; content: string }[] }[] }
}
const told = (by: string, { engine }: Served, at: number): string =>
  engine.calls[at]?.messages.find(({ role }) => role === by)?.content ?? ''
const developerOf = (served: Served, at = 0): string => told('developer', served, at)
const systemOf = (served: Served, at = 0): string => told('system', served, at)

describe('offered tools in the Responses API', () => {
  test('an offered function runs inside over several turns of a plain request, and is shown as an mcp_call', async () => {
    const served = offering(rolling())
    const { body } = await served.create({ input: 'Roll twice' })
    expect(typesOf(body)).toEqual(['reasoning', 'mcp_call', 'reasoning', 'mcp_call', 'reasoning', 'message'])
    expect(body.output[1]).toMatchObject({ server_label: 'dice', name: 'roll', output: '4', status: 'completed' })
    expect(developerOf(served)).toContain('// Rolls a die.\ntype roll = ')
  })

  test('the response echoes the request as it was, without the offered tools', async () => {
    const { create } = offering(rolling(), { offered: { ...OFFERED, instructions: 'Be fair.' } })
    const { body } = await create({ input: 'Roll', instructions: 'Be brief.', tools: [CLIENTS] })
    expect([body.instructions, body.tools.length, body.tool_choice]).toEqual(['Be brief.', 1, 'auto'])
  })

  test('the instructions of the operator come before those of the client', async () => {
    const served = offering([answer('Hi.'), answer('Hi.')], { offered: { instructions: 'Be fair.' } })
    await served.create({ input: 'Hi', instructions: 'Be brief.' })
    await served.create({ input: 'Hi' })
    expect(developerOf(served)).toContain('# Instructions\n\nBe fair.\n\nBe brief.')
    expect(developerOf(served, 1)).toContain('# Instructions\n\nBe fair.')
  })

  test('the effort of the operator is that of a request which names none, and the response echoes the request', async () => {
    const served = offering([answer('Hi.'), answer('Hi.'), answer('Hi.')], { offered: { effort: 'high' } })
    const { body } = await served.create({ input: 'Hi' })
    expect(systemOf(served)).toContain('Reasoning: high')
    expect(body.reasoning.effort).toBe(null)
    await served.create({ input: 'Hi', reasoning: { effort: 'low' } })
    expect(systemOf(served, 1)).toContain('Reasoning: low')
    await served.create({ input: 'Hi', reasoning: { summary: 'auto' } })
    expect(systemOf(served, 2)).toContain('Reasoning: high')
  })

  test('a call of the client beside an offered one is a function_call, and the offered one has run', async () => {
    const served = offering([[call('dice.roll', {}), call('functions.get_weather', {})]])
    const { body } = await served.create({ input: 'Both', tools: [CLIENTS] })
    expect(body.output).toMatchObject([
      { type: 'mcp_call', output: '4' },
      { type: 'function_call', name: 'get_weather' },
    ])
  })

  test('an offered tool is never a function_call, whatever spelling the model uses for it', async () => {
    const spellings = ['dice__roll', 'mcp__dice__roll', 'functions.dice.roll', 'functions.roll', 'roll']
    for (const recipient of spellings) {
      const { create } = offering([call(recipient, {}), answer('4')])
      const { body } = await create({ input: 'Roll', tools: [CLIENTS] })
      expect([recipient, body.output[0].type, body.output[0].output]).toEqual([recipient, 'mcp_call', '4'])
    }
  })

  test('a stream with offered calls is one that the judge has nothing against', async () => {
    const { stream } = offering(rolling())
    const events = await stream('/responses', { model: 'gpt-oss', input: 'Roll' })
    expect(events.filter(({ type }) => type === 'response.mcp_call.completed')).toHaveLength(2)
    expect(events.some(({ type }) => type.startsWith('response.mcp_list_tools'))).toBe(false)
  })

  test('offered tools are counted by /responses/input_tokens as they are by the response', async () => {
    const { ask, create } = offering([answer('Hi.')])
    const { body } = await ask('POST', '/responses/input_tokens', { model: 'gpt-oss', input: 'Hi' })
    expect((await create({ input: 'Hi' })).body.usage.input_tokens).toBe(body.input_tokens)
  })

  test('an offered built-in tool runs though the request does not declare it', async () => {
    const searching: Tool = {
      answers: ({ type }) => type === 'web_search_call',
      run: async () => ({ output: 'found' }),
    }
    const offered = { tools: [{ type: 'web_search' as const }] }
    const script = [call('browser.search', { query: 'x' }), answer('Found.')]
    const { create } = endpoint(script, { tools: [searching], offered })
    const { body } = await create({ input: 'Search' })
    expect(typesOf(body)).toEqual(['web_search_call', 'message'])
    expect(body.tools).toEqual([])
  })

  test('only the tools that the offer allows are taught and run', async () => {
    const offered = { tools: [{ ...dice.declaration, allowed_tools: ['roll'] }] }
    const served = offering([call('dice.cheat', {}), answer('No.')], { offered })
    const { body } = await served.create({ input: 'Cheat' })
    expect(body.output[0]).toMatchObject({ type: 'mcp_call', status: 'failed' })
    expect(developerOf(served)).not.toContain('type cheat')
  })

  test('turns are bounded, regardless of who declared the tools', async () => {
    const { create } = offering(() => call('dice.roll', {}), { limits: { turns: 3 } })
    const { body } = await create({ input: 'Roll for ever' })
    expect([body.status, body.output.length]).toEqual(['incomplete', 3])
  })
})

describe('offered calls that are hidden', () => {
  const hiding = (script: Script, options: Partial<ResponsesAppOptions> = {}) =>
    offering(script, { offeredCalls: 'hidden', ...options })
  const shown = ['reasoning', 'message']
  // The judge warns about adjacent reasoning items that remain.
  const thinkingOnce = (): Extract<Script, readonly unknown[]> => [
    [think('I roll twice.'), call('dice.roll', {})],
    call('dice.roll', {}),
    answer('It is 4 and 4.'),
  ]

  test('hidden calls are in no event and no item, whole, streamed and retrieved, and the judge has nothing against it', async () => {
    const served = hiding([...thinkingOnce(), ...thinkingOnce()])
    const { body } = await served.create({ input: 'Roll' })
    const { body: kept } = await served.ask('GET', `/responses/${body.id}`)
    const events = await served.stream('/responses', { model: 'gpt-oss', input: 'Roll' })
    const last = events.at(-1)?.response
    expect([body, kept, last].map(typesOf)).toEqual([shown, shown, shown])
    expect(JSON.stringify([body, kept, events])).not.toContain('dice')
    const again = await served.stream(`/responses/${last.id}?stream=true`)
    expect(again).toEqual(events)
    const rest = await served.stream(`/responses/${last.id}?stream=true&starting_after=10`)
    expect(rest).toEqual(events.slice(11))
  })

  test('the model continues by previous_response_id with the hidden items, and the list of its input has none of them', async () => {
    const served = hiding([call('dice.roll', {}), answer('4.'), answer('Bye.')])
    const { body } = await served.create({ input: 'Roll' })
    const next = await served.create({ input: 'Thanks', previous_response_id: body.id })
    const [, second = [], third = []] = served.engine.calls.map(({ tokens }) => Array.from(tokens))
    expect(third.slice(0, second.length)).toEqual(second)
    const { body: list } = await served.ask('GET', `/responses/${next.body.id}/input_items`)
    expect(list.data.map(({ type }: { type: string }) => type)).toEqual(['message', 'message', 'message'])
  })

  test('a stateless client continues with the items that it was shown', async () => {
    const served = hiding([[think('Roll.'), call('dice.roll', {})], answer('4.'), answer('Bye.')])
    const asked = { store: false, include: ['reasoning.encrypted_content'] }
    const user = { role: 'user', content: 'Roll' }
    const { body } = await served.create({ input: [user], ...asked })
    const next = await served.create({ input: [user, ...body.output, { role: 'user', content: 'Thanks' }], ...asked })
    expect([next.status, next.body.output.at(-1).content[0].text]).toEqual([200, 'Bye.'])
  })

  test('calls that the request declares, that it asks to approve, and those of the client are shown', async () => {
    const declared = hiding([call('dice.roll', {}), answer('4.')])
    const first = await declared.create({ input: 'Roll', tools: [dice.declaration] })
    expect(typesOf(first.body)).toEqual(['mcp_list_tools', 'mcp_call', 'message'])
    const asking = hiding([call('dice.roll', {}), answer('4.')], { approval: 'always' })
    const { body } = await asking.create({ input: 'Roll' })
    const request = body.output.at(-1)
    const approval = { type: 'mcp_approval_response', approval_request_id: request.id, approve: true }
    const next = await asking.create({ input: [approval], previous_response_id: body.id })
    expect([request.type, typesOf(next.body)]).toEqual(['mcp_approval_request', ['mcp_call', 'message']])
    const clients = hiding([[call('dice.roll', {}), call('functions.get_weather', {})]])
    const events = await clients.stream('/responses', { model: 'gpt-oss', input: 'Both', tools: [CLIENTS] })
    expect(typesOf(events.at(-1)?.response)).toEqual(['function_call'])
  })

  test('a client that leaves while a hidden call runs stops it at once', async () => {
    let begun = (): void => {}
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    const stopped = new Promise<void>((resolve) => {
      const slow = functionTools('dice', {
        roll: {
          parameters: {},
          run: (_, { signal }) => {
            begun()
            return new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => {
                resolve()
                reject(signal.reason)
              }),
            )
          },
        },
      })
      const served = hiding([call('dice.roll', {})], { tools: [slow] })
      const body = JSON.stringify({ input: 'Roll', stream: true })
      served.send('/v1/responses', { method: 'POST', body }).then(async (response) => {
        const reader = (response.body as ReadableStream<Uint8Array>).getReader()
        const reading = (async () => {
          while (!(await reader.read()).done);
        })()
        await isBegun
        await reader.cancel()
        await reading
      })
    })
    await stopped
  })
})

describe('tools offered by a function', () => {
  test('a function decides for each owner and request which tools are offered', async () => {
    const offered: ResponsesAppOptions['offered'] = ({ owner, request }) =>
      owner === 'ann' && request.metadata?.['plain'] === undefined ? OFFERED : undefined
    const served = offering(({ messages }) => (messages.length > 2 ? answer('Hi.') : answer('Hi.')), { offered })
    const ask = (owner: string, more = {}) =>
      served.create({ input: 'Hi', ...more }, { authorization: `Bearer ${owner}` })
    await ask('ann')
    await ask('ben')
    await ask('ann', { metadata: { plain: 'yes' } })
    const isTaught = served.engine.calls.map((_, at) => developerOf(served, at).includes('namespace dice'))
    expect(isTaught).toEqual([true, false, false])
  })

  test('a function that fails, or gives an invalid offer, is an error of the host and starts nothing', async () => {
    for (const offered of [() => Promise.reject(new Error('secret')), () => ({ tool: [] }) as never]) {
      const served = offering([answer('Hi.')], { offered })
      const { status, body } = await served.create({ input: 'Hi' })
      expect([status, JSON.stringify(body).includes('secret')]).toEqual([500, false])
      expect([served.errors.length, served.engine.calls.length]).toEqual([1, 0])
    }
  })
})

describe('tool_choice', () => {
  test.each<[string, object]>([
    ['none', { tool_choice: 'none' }],
    ['a named function', { tool_choice: { type: 'function', name: 'get_weather' } }],
    ['required', { tool_choice: 'required' }],
    [
      'allowed_tools',
      { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] } },
    ],
    [
      'allowed_tools that demands a call',
      { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'get_weather' }] } },
    ],
  ])('%s excludes offered tools: they are not taught, and a call of one runs nothing', async (_, choice) => {
    const records: CallRecord[] = []
    const served = offering([call('dice.roll', {}), call('functions.get_weather', {}), answer('Hi.')], {
      audit: (record) => void records.push(record),
    })
    await served.create({ input: 'Hi', tools: [CLIENTS], ...choice })
    expect(developerOf(served)).not.toContain('namespace dice')
    expect(records).toEqual([])
  })

  test('allowed_tools of a request is about its own tools alone where the operator says so', async () => {
    const served = offering([call('dice.roll', {}), answer('4')], { offered: { ...OFFERED, allowedTools: 'ignore' } })
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] }
    const tools = [CLIENTS, { ...CLIENTS, name: 'other' }]
    const { body } = await served.create({ input: 'Roll', tools, tool_choice })
    expect(body.output[0]).toMatchObject({ type: 'mcp_call', output: '4' })
    expect(developerOf(served)).not.toContain('type other')
    expect(body.tool_choice).toEqual(tool_choice)
  })

  test('a request cannot name an offered tool that it does not declare', async () => {
    const served = offering(rolling())
    const { status, body } = await served.create({ input: 'Roll', tool_choice: { type: 'mcp', server_label: 'dice' } })
    expect([status, body.error.param]).toEqual([400, 'tool_choice'])
  })
})

describe('a tool of the request with the name of an offered one', () => {
  test.each<[string, object[], string]>([
    ['a function', [{ ...CLIENTS, name: 'roll' }], 'tools[0].name'],
    ['a custom tool', [CLIENTS, { type: 'custom', name: 'roll' }], 'tools[1].name'],
    ['a function that spells the server', [{ ...CLIENTS, name: 'mcp__dice__roll' }], 'tools[0].name'],
    [
      'a namespace',
      [{ type: 'namespace', name: 'mcp__dice', tools: [{ ...CLIENTS, name: 'roll' }] }],
      'tools[0].tools[0].name',
    ],
  ])('%s is refused before anything is sampled, with words that say why', async (_, tools, param) => {
    const served = offering(rolling())
    const { status, body } = await served.create({ input: 'Roll', tools })
    expect([status, body.error.param, served.engine.calls.length]).toEqual([400, param, 0])
    expect(body.error.message).toContain("a tool of the same name, 'dice.roll'")
  })

  test('the client wins where the operator says so: its tool is taught, and the offered one is not', async () => {
    const served = offering([call('functions.roll', {})], { offered: { ...OFFERED, onClash: 'client' } })
    const { body } = await served.create({ input: 'Roll', tools: [{ ...CLIENTS, name: 'roll' }] })
    expect(body.output).toMatchObject([{ type: 'function_call', name: 'roll' }])
    const [, inDice = ''] = /namespace dice \{(.*)\} \/\/ namespace dice/s.exec(developerOf(served)) ?? []
    expect([inDice.includes('type look'), inDice.includes('type roll')]).toEqual([true, false])
  })

  test('a request that declares the server itself has it once, as it declares it', async () => {
    const served = offering([call('dice.roll', {})])
    const tools = [{ type: 'mcp', server_label: 'dice', allowed_tools: ['roll'], require_approval: 'always' }]
    const { body } = await served.create({ input: 'Roll', tools })
    expect(typesOf(body)).toEqual(['mcp_list_tools', 'mcp_approval_request'])
    expect(developerOf(served)).not.toContain('type cheat')
  })
})

describe('conversations with offered tools', () => {
  test('a conversation continues by previous_response_id with the very tokens that the model read before', async () => {
    const served = offering([call('dice.roll', {}), answer('4.'), answer('Bye.')])
    const first = await served.create({ input: 'Roll' })
    await served.create({ input: 'Thanks', previous_response_id: first.body.id })
    const [, second = [], third = []] = served.engine.calls.map(({ tokens }) => Array.from(tokens))
    expect(third.slice(0, second.length)).toEqual(second)
  })

  test.each([true, false])(
    'items that the client sends back are read, also those of offered tools (store: %s)',
    async (store) => {
      const served = offering([call('dice.roll', {}), answer('4.'), answer('Bye.')])
      const user = { role: 'user', content: 'Roll' }
      const { body } = await served.create({ input: [user], store })
      const next = await served.create({ input: [user, ...body.output, { role: 'user', content: 'Thanks' }], store })
      expect(next.status).toBe(200)
      const said = served.engine.calls.at(-1)?.messages.map(({ role, content }) => `${role}: ${content}`)
      expect(said).toContainEqual('tool: 4')
      expect(said?.at(-1)).toBe('user: Thanks')
    },
  )

  test('a tool that is no longer offered is read as it was', async () => {
    let offered: OperatorOffer | undefined = OFFERED
    const served = offering([call('dice.roll', {}), answer('4.'), answer('Bye.')], { offered: () => offered })
    const { body } = await served.create({ input: 'Roll' })
    offered = undefined
    const next = await served.create({ input: 'Thanks', previous_response_id: body.id })
    expect(typesOf(next.body)).toEqual(['message'])
    expect(served.engine.calls.at(-1)?.messages.map(({ role }) => role)).toContain('tool')
  })

  test('the events of a stored response can be read again, with its offered calls', async () => {
    const { create, stream } = offering(rolling())
    const { body } = await create({ input: 'Roll', background: true })
    await expect
      .poll(async () => (await stream(`/responses/${body.id}?stream=true`)).at(-1)?.type)
      .toBe('response.completed')
    const events = await stream(`/responses/${body.id}?stream=true`)
    expect(typesOf(events.at(-1)?.response)).toContain('mcp_call')
    expect(events.at(-1)?.response.tools).toEqual([])
  })
})

describe('approval as policy', () => {
  test('an offered tool needs no approval, and the audit says that the operator allowed it', async () => {
    const records: CallRecord[] = []
    const { create } = offering(rolling(), { audit: (record) => void records.push(record) })
    await create({ input: 'Roll' })
    expect(records.map(({ name, allowedBy }) => [name, allowedBy])).toEqual([
      ['roll', 'operator'],
      ['roll', 'operator'],
    ])
  })

  const NEEDED = {
    always: ['roll', 'cheat', 'look'],
    never: [],
    'by tool': ['cheat'],
    'by the hint': ['roll', 'cheat'],
    'by a function': ['roll'],
    'by a function that fails': ['roll', 'cheat', 'look'],
  }
  const POLICIES: { readonly [Name in keyof typeof NEEDED]: NonNullable<ResponsesAppOptions['approval']> } = {
    always: 'always',
    never: 'never',
    'by tool': { always: { tool_names: ['cheat'] } },
    'by the hint': { never: { read_only: true } },
    'by a function': async ({ serverLabel, name }, { owner }) =>
      `${serverLabel}.${name} ${owner}` === 'dice.roll anonymous' ? 'always' : 'never',
    'by a function that fails': () => {
      throw new Error('down')
    },
  }
  const names = ['roll', 'cheat', 'look']

  test.each(Object.keys(NEEDED) as (keyof typeof NEEDED)[])(
    '%s: the policy decides of offered tools, and of those that a request declares with `never`',
    async (policy) => {
      for (const isOffered of [true, false]) {
        const asked: string[] = []
        for (const name of names) {
          const served = offering([call(`dice.${name}`, {}), answer('Done.')], {
            approval: POLICIES[policy],
            ...(!isOffered && { offered: {} }),
          })
          const tools = isOffered ? [] : [{ ...dice.declaration, require_approval: 'never' }]
          const { body } = await served.create({ input: 'Go', tools })
          const last = body.output.at(-1)
          if (last.type === 'mcp_approval_request') asked.push(last.name)
          else expect(typesOf(body)).toContain('mcp_call')
        }
        expect([isOffered, asked]).toEqual([isOffered, NEEDED[policy]])
      }
    },
  )

  test.each([
    [
      'throws',
      () => {
        throw new Error('no answer')
      },
    ],
    ['answers what is no decision', () => 'ask' as never],
    ['answers what is no decision, later', async () => true as never],
  ])('a policy that %s has the user asked, and is reported', async (_, approval) => {
    const errors: unknown[] = []
    const onError = (error: unknown): void => void errors.push(error)
    const served = offering([call('dice.roll', {}), answer('Done.')], { offered: {}, approval, onError })
    const tools = [{ type: 'mcp', server_label: 'dice', require_approval: 'never' }]
    const { body } = await served.create({ input: 'Roll', tools })
    expect(body.output.at(-1).type).toBe('mcp_approval_request')
    expect(errors).not.toEqual([])
  })

  test('a request may ask for more approvals than the policy, and never for fewer', async () => {
    const asks = async (rule: unknown, approval: ResponsesAppOptions['approval']) => {
      const served = offering([call('dice.roll', {}), answer('Done.')], { offered: {}, ...(approval && { approval }) })
      const { body } = await served.create({
        input: 'Go',
        tools: [{ type: 'mcp', server_label: 'dice', ...(rule !== undefined && { require_approval: rule }) }],
      })
      return body.output.at(-1).type === 'mcp_approval_request'
    }
    expect(await asks('always', 'never')).toBe(true)
    expect(await asks('never', 'always')).toBe(true)
    expect(await asks(undefined, 'never')).toBe(false)
    expect(await asks(undefined, () => undefined)).toBe(true)
  })

  test.each<[string, Partial<Tool>]>([
    ['lists nothing', {}],
    ['fails to list', { listings: async () => [{ serverLabel: 'any', error: 'down' }] }],
  ])('the policy holds for a server that %s, also where the client sends a list of its own', async (_, more) => {
    const ran: unknown[] = []
    const tool: Tool = {
      answers: ({ type }) => type === 'mcp_call',
      run: async (called) => {
        ran.push(called)
        return { output: 'ran' }
      },
      ...more,
    }
    const policies = [
      'always',
      { never: { read_only: true } },
      { always: { tool_names: ['other'] } },
      (): 'never' => 'never',
    ] as const
    for (const approval of policies) {
      const served = endpoint([call('any.pay', {}), answer('Done.')], { tools: [tool], approval })
      const listed = [{ name: 'pay', input_schema: {}, annotations: { readOnlyHint: true } }]
      const list = { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'any', tools: listed }
      const tools = [{ type: 'mcp', server_label: 'any', require_approval: 'never' }]
      const { body } = await served.create({ input: [list, { role: 'user', content: 'Pay' }], tools })
      expect(body.output.at(-1).type).toBe('mcp_approval_request')
    }
    expect(ran).toEqual([])
  })

  test('an approval that the offer requires also holds for a request that declares the server with `never`', async () => {
    const offered = { tools: [{ ...dice.declaration, require_approval: 'always' as const }] }
    const { create } = offering([call('dice.roll', {})], { offered })
    const { body } = await create({ input: 'Roll', tools: [{ ...dice.declaration, require_approval: 'never' }] })
    expect(body.output.at(-1).type).toBe('mcp_approval_request')
  })

  test.each([true, false])(
    'an approval of an offered call runs it once, though no request declares it (store: %s)',
    async (store) => {
      const records: CallRecord[] = []
      const script: Script = ({ messages }) => (messages.at(-1)?.role === 'user' ? call('dice.roll', {}) : answer('4.'))
      const options = { approval: 'always' as const, audit: (record: CallRecord) => void records.push(record) }
      const { create } = offering(script, options)
      const user = { role: 'user', content: 'Roll' }
      const { body } = await create({ input: [user], store })
      const request = body.output.at(-1)
      expect([request.type, records]).toEqual(['mcp_approval_request', []])
      const approval = { type: 'mcp_approval_response', approval_request_id: request.id, approve: true }
      const next = store
        ? await create({ input: [approval], previous_response_id: body.id })
        : await create({ input: [user, ...body.output, approval], store })
      expect(next.body.output).toMatchObject([{ type: 'mcp_call', output: '4' }, { type: 'message' }])
      expect(records).toMatchObject([{ name: 'roll', allowedBy: 'approval' }])
    },
  )
})

describe('offered tools in Chat Completions', () => {
  const chat = (served: ReturnType<typeof offering>, more: object = {}) =>
    served.ask('POST', '/chat/completions', {
      model: 'gpt-oss',
      messages: [{ role: 'user', content: 'Roll' }],
      ...more,
    })

  test('offered calls are hidden: one answer, without tool_calls, and the tokens of all turns', async () => {
    const served = offering(rolling())
    const { body } = await chat(served)
    const [{ message, finish_reason }] = body.choices
    expect([message.content, message.tool_calls, finish_reason]).toEqual(['It is 4.', undefined, 'stop'])
    expect(served.engine.calls).toHaveLength(3)
    const { body: same } = await offering(rolling()).create({ input: 'Roll' })
    expect(body.usage.total_tokens).toBe(same.usage.total_tokens)
  })

  test('a stream is one answer in order, with comments while an offered tool runs, and the tokens of all turns', async () => {
    let finish = (): void => {}
    const slow = functionTools('dice', {
      roll: { parameters: {}, run: () => new Promise((resolve) => (finish = () => resolve('4'))) },
    })
    const served = offering(rolling().slice(1), { tools: [slow], keepAliveMs: 5, chat: { hostedCalls: 'reasoning' } })
    const asked = {
      messages: [{ role: 'user', content: 'Roll' }],
      stream: true,
      stream_options: { include_usage: true },
    }
    const response = await served.send('/v1/chat/completions', { method: 'POST', body: JSON.stringify(asked) })
    let text = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true })
      // The tool ends once the client has received a comment.
      if (text.includes('Calls dice.roll.') && /\n:[^\n]*\n/.test(text.slice(text.indexOf('Calls dice.roll.'))))
        finish()
    }
    const chunks = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json as string))
    const said = (field: string) => chunks.map(({ choices: [choice] }) => choice?.delta[field] ?? '').join('')
    expect([said('reasoning_content'), said('content')]).toEqual(['Again.\n\nCalls dice.roll.\n\nDone.', 'It is 4.'])
    expect(chunks.at(-1).usage.total_tokens).toBeGreaterThan(100)
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
  })

  // According to the sources of both: the parameters that each sends, its background requests, and what it sends back.
  test.each<[string, object[]]>([
    [
      'Open WebUI',
      [
        { stream: true, stream_options: { include_usage: true }, messages: [{ role: 'user', content: 'Roll' }] },
        { stream: false, messages: [{ role: 'user', content: '### Task:\nSuggest 3-5 relevant follow-up questions' }] },
        {
          ...{
            stream: true,
            temperature: 0.7,
            tools: [{ type: 'function', function: { name: 'fetch_url', parameters: {} } }],
          },
          messages: [
            { role: 'system', content: 'You are helpful.' },
            { role: 'user', content: [{ type: 'text', text: 'Roll' }] },
            { role: 'assistant', content: 'It is 4.' },
            { role: 'user', content: [{ type: 'text', text: 'Roll again' }] },
          ],
        },
      ],
    ],
    [
      'LibreChat',
      [
        {
          ...{ stream: true, stream_options: { include_usage: true }, user: '66a1', temperature: 1, top_p: 1 },
          ...{ presence_penalty: 0, frequency_penalty: 0, n: 1 },
          messages: [{ role: 'user', content: 'Roll' }],
        },
        // A custom endpoint with the settings of its panel, and the title of the conversation.
        {
          ...{ stream: true, stream_options: { include_usage: true }, user: '66a1', max_tokens: 1000 },
          ...{ reasoning: { effort: 'high', summary: 'auto' }, verbosity: 'low', stop: ['\n\nUser:'] },
          messages: [
            { role: 'system', content: 'You are helpful.' },
            { role: 'user', content: 'Roll' },
          ],
        },
        {
          ...{ stream: false, user: '66a1' },
          messages: [{ role: 'user', content: 'Give this conversation a title.' }],
        },
        {
          ...{ stream: true, stream_options: { include_usage: true }, user: '66a1', parallel_tool_calls: true },
          tools: [
            {
              type: 'function',
              function: { name: 'search_mcp_docs', description: '', parameters: { type: 'object' } },
            },
          ],
          messages: [
            { role: 'user', content: 'Look it up' },
            ...[
              {
                role: 'assistant',
                content: '',
                tool_calls: [
                  { id: 'call_1', type: 'function', function: { name: 'search_mcp_docs', arguments: '{}' } },
                ],
              },
            ],
            { role: 'tool', tool_call_id: 'call_1', name: 'search_mcp_docs', content: 'found' },
            { role: 'user', content: 'Roll' },
          ],
        },
      ],
    ],
  ])('what %s sends is answered with the tools that are offered', async (_, bodies) => {
    for (const body of bodies) {
      const served = offering([call('dice.roll', {}), answer('It is 4.')])
      const response = await served.send('/v1/chat/completions', {
        method: 'POST',
        body: JSON.stringify({ model: 'gpt-oss', ...body }),
      })
      const text = await response.text()
      const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('')
      expect([response.status, said, text.includes('"tool_calls":[')]).toEqual([200, 'It is 4.', false])
      expect(served.engine.calls).toHaveLength(2)
      expect(developerOf(served)).toContain('namespace dice')
    }
  })

  test('a call of the client after an offered one is its tool_call, with nothing of the offered one', async () => {
    const served = offering([call('dice.roll', {}), call('functions.get_weather', {})])
    const { type, ...about } = CLIENTS
    const { body } = await chat(served, { tools: [{ type, function: about }] })
    const [{ message, finish_reason }] = body.choices
    expect([message.tool_calls.length, message.tool_calls[0].function.name, finish_reason]).toEqual([
      1,
      'get_weather',
      'tool_calls',
    ])
    expect(JSON.stringify(body)).not.toContain('dice')
  })

  test('a function of the client with the name of an offered tool is refused in the words of this API', async () => {
    const { type, ...about } = CLIENTS
    const { status, body } = await chat(offering(rolling()), {
      tools: [{ type, function: { ...about, name: 'roll' } }],
    })
    expect([status, body.error.param]).toEqual([400, 'tools[0].function.name'])
  })

  test('the model is not told of offered tools that need an approval, which no user can give here', async () => {
    const diagnostics: Diagnostic[] = []
    const served = offering([call('dice.roll', {}), answer('No.')], {
      approval: { never: { read_only: true } },
      response: { onDiagnostic: (each) => void diagnostics.push(each) },
    })
    const { body } = await chat(served)
    expect(body.choices[0].message.content).toBe('No.')
    expect([developerOf(served).includes('type look'), developerOf(served).includes('type roll')]).toEqual([
      true,
      false,
    ])
    expect(diagnostics[0]).toMatchObject({ code: 'unapprovable_tool', subject: 'dice.roll, dice.cheat' })
  })

  test.each(['none', 'required', { type: 'function', function: { name: 'get_weather' } }])(
    'tool_choice %j excludes offered tools',
    async (tool_choice) => {
      const served = offering([call('functions.get_weather', {})])
      const { type, ...about } = CLIENTS
      await chat(served, { tools: [{ type, function: about }], tool_choice })
      expect(developerOf(served)).not.toContain('namespace dice')
    },
  )
})
