import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import { parseMessages } from '../../../src/core/harmony/index.js'
import { STOP_TOKENS } from '../../../src/core/harmony/stop-tokens.js'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { renderPrompt } from '../../../src/endpoint/prompt/index.js'
import type { RespondOptions } from '../../../src/endpoint/respond/index.js'
import type { HostedCall, Tool } from '../../../src/endpoint/tools/tool.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { encodeHarmony } from '../../support/tokens.js'
import { ANSWER, type Asked, GITHUB, type Run, type RunOptions, run, SEARCH } from './scripted.js'

const tokenTable = await loadTokenTable()

const TOOLS: readonly object[] = [
  { type: 'function', name: 'f' },
  { type: 'custom', name: 'patch' },
  { type: 'namespace', name: 'mcp__docs', description: '', tools: [{ type: 'function', name: 'lookup' }] },
  GITHUB,
  { type: 'mcp', server_label: 'vault' },
  { type: 'code_interpreter' },
  { type: 'web_search' },
  { type: 'shell', environment: { type: 'container_auto' } },
]
const LOCAL: readonly object[] = [{ type: 'local_shell' }]

const call = (to: string, text = '{}', channel = 'commentary'): string =>
  `<|channel|>${channel} to=${to} <|constrain|>json<|message|>${text}<|call|>`

interface Told extends Run {
  /** The arguments of the tools' calls. */
  readonly ran: readonly HostedCall[]
  readonly diagnostics: readonly Diagnostic[]
  /** The texts of the tools' messages in the last context. */
  readonly toldModel: readonly string[]
  readonly asked: readonly Asked[]
}

/** A response whose tools say what they ran. */
async function told(
  request: Omit<ResponseRequest, 'tools'> & { tools?: readonly object[] },
  turns: readonly string[],
  options: RunOptions = {},
): Promise<Told> {
  const ran: HostedCall[] = []
  const diagnostics: Diagnostic[] = []
  const asked: Asked[] = []
  const tool: Tool = {
    answers: () => true,
    run: async (call) => {
      ran.push(call)
      return { output: 'ran' }
    },
  }
  const result = await run({ input: 'Go.', tools: TOOLS, ...request } as ResponseRequest, {
    turns,
    asked,
    tools: [tool],
    onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    ...options,
  })
  const { messages } = parseMessages(asked.at(-1)?.context ?? [], { tokenTable, role: null, origin: 'host' })
  const toldModel = messages.filter(({ role }) => role === 'tool').map(({ name, content }) => `${name}: ${content}`)
  return { ...result, ran, diagnostics, toldModel, asked }
}

const brief = (item: OutputItem): string =>
  [item.type, 'server_label' in item && item.server_label, 'name' in item && item.name, 'status' in item && item.status]
    .filter(Boolean)
    .join(' ')

describe('what tool_choice excludes is not run, not shown as a call, and not put before the user', () => {
  const calls: readonly [what: string, script: string, item: string, toldAs: string][] = [
    ['a function', call('functions.f'), 'mcp_call functions f failed', 'functions.f'],
    ['a function by its bare name', call('f'), 'mcp_call f f failed', 'f'],
    ['a made-up function', call('functions.g'), 'mcp_call functions g failed', 'functions.g'],
    ['a custom tool', call('functions.patch', 'x'), 'mcp_call functions patch failed', 'functions.patch'],
    ['a function in a namespace', call('mcp__docs.lookup'), 'mcp_call mcp__docs lookup failed', 'mcp__docs.lookup'],
    ['a tool of a server', SEARCH, 'mcp_call github search failed', 'github.search'],
    ['a tool that needs an approval', call('vault.open'), 'mcp_call vault open failed', 'vault.open'],
    ['python', '<|channel|>analysis to=python code<|message|>1+1<|call|>', 'mcp_call python python failed', 'python'],
    [
      'a web search',
      call('browser.search', '{"query":"x"}', 'analysis'),
      'mcp_call browser search failed',
      'browser.search',
    ],
    ['a shell', call('container.exec', '{"cmd":["ls"]}'), 'mcp_call container exec failed', 'container.exec'],
  ]
  const elsewhere = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp', server_label: 'gitlab' }] }
  const gitlab = { type: 'mcp', server_label: 'gitlab', require_approval: 'never' }

  describe.each<[string, unknown]>([
    ['none', 'none'],
    ['allowed_tools with others', elsewhere],
  ])('%s', (choiceName, choice) => {
    test.each(calls)(
      `${choiceName}: %s is refused, the model reads it, and continues`,
      async (_what, script, item, toldAs) => {
        const request = { tool_choice: choice, tools: [...TOOLS, gitlab] } as never
        const { output, ran, toldModel, diagnostics, response } = await told(request, [script, ANSWER])
        expect(output.map(brief)).toEqual([item, 'message completed'])
        expect(ran).toEqual([])
        expect(toldModel).toEqual([`${toldAs}: tool not available`])
        expect(diagnostics.map(({ code }) => code)).toContain('unavailable_tool')
        expect(response.status).toBe('completed')
      },
    )
  })

  test('a shell of the client that tool_choice excludes is no call of the client', async () => {
    const script = call('container.exec', '{"cmd":["ls"]}')
    const { output } = await told({ tools: LOCAL, tool_choice: 'none' }, [script, ANSWER])
    expect(output.map(brief)).toEqual(['mcp_call container exec failed', 'message completed'])
    const allowed = await told({ tools: LOCAL }, [script])
    expect(allowed.output.map(brief)).toEqual(['local_shell_call completed'])
  })

  test.each<[what: string, entry: object, script: string, item: string]>([
    ['a function', { type: 'function', name: 'f' }, call('functions.f'), 'function_call f completed'],
    [
      'a namespace',
      { type: 'namespace', name: 'mcp__docs' },
      call('mcp__docs.lookup'),
      'function_call lookup completed',
    ],
    [
      'a function of a namespace',
      { type: 'function', name: 'lookup' },
      call('mcp__docs.lookup'),
      'function_call lookup completed',
    ],
    ['a custom tool', { type: 'custom', name: 'patch' }, call('functions.patch'), 'custom_tool_call patch completed'],
    ['a server', { type: 'mcp', server_label: 'github' }, SEARCH, 'mcp_call github search completed'],
    [
      'a tool of a server',
      { type: 'mcp', server_label: 'github', name: 'search' },
      SEARCH,
      'mcp_call github search completed',
    ],
    ['a search', { type: 'web_search_preview' }, call('browser.search', '{"query":"x"}'), 'web_search_call completed'],
    ['a shell', { type: 'shell' }, call('container.exec', '{"cmd":["ls"]}'), 'shell_call completed'],
    ['python', { type: 'code_interpreter' }, call('python', '1'), 'code_interpreter_call completed'],
  ])('what allowed_tools leaves is called as ever: %s', async (_what, entry, script, item) => {
    const choice = { type: 'allowed_tools', mode: 'auto', tools: [entry] } as never
    const { output } = await told({ tool_choice: choice }, [script, ANSWER])
    expect(brief(output[0] as OutputItem)).toBe(item)
  })

  test('a tool of a server whose other tools allowed_tools leaves is refused', async () => {
    const choice = {
      type: 'allowed_tools',
      mode: 'auto',
      tools: [{ type: 'mcp', server_label: 'github', name: 'read' }],
    }
    const { output, ran } = await told({ tool_choice: choice as never }, [SEARCH, ANSWER])
    expect(output.map(brief)).toEqual(['mcp_call github search failed', 'message completed'])
    expect(ran).toEqual([])
  })

  test('under vllm, where every name is a server, none excludes all of them', async () => {
    const { output, ran } = await told({ tool_choice: 'none' }, [call('anything.goes'), ANSWER], { policy: 'vllm' })
    expect(output.map(brief)).toEqual(['mcp_call anything goes failed', 'message completed'])
    expect(ran).toEqual([])
  })

  test('a model that keeps calling excluded tools stops at the limit of turns', async () => {
    const { response } = await told({ tool_choice: 'none' }, Array(3).fill(SEARCH), { limits: { turns: 3 } })
    expect(response.status).toBe('incomplete')
  })

  test('a call that the user approved is run, whatever tool_choice leaves the model', async () => {
    const approved = { approvalRequestId: 'mcpr_1', serverLabel: 'vault', name: 'open', arguments: '{}' }
    const { ran } = await told({ tool_choice: 'none' }, [ANSWER], { approvedCalls: [approved] })
    expect(ran).toMatchObject([{ name: 'open' }])
  })
})

describe('a name that an MCP server did not list never reaches a tool', () => {
  const listing = (...names: string[]) => ({ serverLabel: 'github', tools: names.map((name) => ({ name })) })
  const sent = (...names: string[]) => ({
    type: 'mcp_list_tools',
    id: 'mcpl_1',
    server_label: 'github',
    tools: names.map((name) => ({ name, input_schema: {} })),
  })
  const user = { type: 'message', role: 'user', content: 'Go.' }
  const lists = (ran: HostedCall[], ...names: string[]): Partial<RespondOptions> => ({
    tools: [
      {
        answers: () => true,
        run: async (call) => {
          ran.push(call)
          return { output: 'ran' }
        },
        listings: async () => [listing(...names)],
      },
    ],
  })

  test.each<[what: string, input: unknown, names: string[] | undefined]>([
    ['the host has listed', 'Go.', ['read']],
    ['the conversation has, too', [sent('read'), user], ['read']],
    ['the conversation alone has', [sent('read'), user], undefined],
    ['the conversation has, and the server has changed', [sent('read', 'search'), user], ['read']],
    ['nothing is in', 'Go.', []],
  ])('a call of a name that is in no list is refused, if its list is what %s', async (_what, input, names) => {
    const ran: HostedCall[] = []
    const options = names === undefined ? {} : lists(ran, ...names)
    const result = await told({ input: input as never, tools: [GITHUB] }, [SEARCH, ANSWER], options)
    expect(result.output.filter(({ type }) => type !== 'mcp_list_tools').map(brief)).toEqual([
      'mcp_call github search failed',
      'message completed',
    ])
    expect([...ran, ...result.ran]).toEqual([])
    expect(result.toldModel).toEqual(['github.search: tool not available'])
  })

  test('the list in the conversation counts where the server does not answer now', async () => {
    const ran: HostedCall[] = []
    const [tool] = lists(ran).tools as [Tool]
    const listings: Tool['listings'] = async () => [{ serverLabel: 'github', error: 'no answer' }]
    const request = { input: [sent('read'), user] as never, tools: [GITHUB] }
    const { output } = await told(request, [SEARCH, ANSWER], { tools: [{ ...tool, listings }] })
    expect([ran, output.map(brief)[0]]).toEqual([[], 'mcp_call github search failed'])
  })

  test('a name that is in no list is not put before the user', async () => {
    const guarded = { type: 'mcp', server_label: 'github' }
    const { output } = await told({ input: [sent('read'), user] as never, tools: [guarded] }, [SEARCH, ANSWER])
    expect(output.map(brief)).toEqual(['mcp_call github search failed', 'message completed'])
  })

  test('a filter by read_only holds where the listing is in the conversation', async () => {
    const reading = { ...GITHUB, allowed_tools: { read_only: true } }
    const list = { ...sent(), tools: [{ name: 'search', input_schema: {}, annotations: { read_only: false } }] }
    const { ran, output } = await told({ input: [list, user] as never, tools: [reading] }, [SEARCH, ANSWER])
    expect([ran, output.map(brief)[0]]).toEqual([[], 'mcp_call github search failed'])
  })

  test.each<[what: string, tool: object, names: string[]]>([
    ['its server has no more', GITHUB, ['read']],
    ['the request leaves out', { ...GITHUB, allowed_tools: ['read'] }, ['read', 'search']],
  ])('an approved call of a tool that %s is not run, and the model reads it', async (_what, tool, names) => {
    const approved = { approvalRequestId: 'mcpr_1', serverLabel: 'github', name: 'search', arguments: '{}' }
    const ran: HostedCall[] = []
    const result = await told({ tools: [tool] }, [ANSWER], { approvedCalls: [approved], ...lists(ran, ...names) })
    expect(ran).toEqual([])
    expect(result.output.map(brief)).toContain('mcp_call github search failed')
    expect(result.toldModel).toEqual(['github.search: tool not available'])
    expect(result.diagnostics).toMatchObject([{ code: 'unavailable_tool', subject: 'github.search', index: -1 }])
  })

  test("the servers' listings follow from the entries and the conversation", async () => {
    const request = { input: [sent('read'), user], tools: [GITHUB] } as never
    const whole = await run(request, { turns: [SEARCH, ANSWER] })
    for (const [at, shown] of whole.before.entries()) {
      const rest = await run(request, { turns: [SEARCH, ANSWER], entries: whole.entries.slice(0, at) })
      expect(rest.events).toEqual(whole.events.slice(shown))
    }
  })
})

describe('the tokens of calls that were mended or refused', () => {
  const docs = TOOLS.filter((tool) => !('name' in tool && tool.name === 'f'))
  test.each<[what: string, script: string, choice: unknown]>([
    ['a function that was excluded', call('functions.f', '{"a":1}'), 'none'],
    ['a made-up function that was excluded', call('g', 'no JSON'), 'none'],
    ['python that was excluded', '<|channel|>analysis to=python code<|message|>1+1<|call|>', 'none'],
    ['a shell that was excluded', call('container.exec', '{"cmd":["ls"]}'), 'none'],
    ['a function by another name', call('mcp__docs__lookup', '{"q":1}'), 'auto'],
    ['a server by another name', call('mcp__github__search', '{"q":1}'), 'auto'],
    ['a call with text after its arguments', call('mcp__docs.lookup', '{"q":1} and so on'), 'auto'],
    ["a server's call with text after its arguments", call('github.search', '{"q":1} and so on'), 'auto'],
    ['code for a function that nobody declared', call('interpreter', 'print(1)'), 'auto'],
  ])('a conversation continues with the tokens of %s', async (_what, script, choice) => {
    const request = { input: 'Go.', tools: docs, tool_choice: choice } as unknown as ResponseRequest
    const { output, transcript } = await run(request, { turns: [script, ANSWER] })
    const answers = output.flatMap((item) =>
      item.type === 'function_call' ? [{ type: 'function_call_output', call_id: item.call_id, output: 'ok' }] : [],
    )
    const input = [{ role: 'user', content: 'Go.' }, ...output, ...answers]
    const options = { tokenTable, date: '2026-01-01' }
    const before = renderPrompt(request, options).tokens
    const { tokens } = renderPrompt({ ...request, input }, { ...options, history: [{ tokens: transcript }] })
    const kept = [...before, ...encodeHarmony(script)]
    expect([...tokens.slice(0, kept.length)]).toEqual(kept)
  })
})

const THINK = '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant'
const OPEN = `${THINK}<|channel|>commentary to=`
const NAMED = `${OPEN}functions.f <|constrain|>json<|message|>`

describe('a tool that is demanded by its name is called once', () => {
  // The model ends its calls with <|end|>, and would go on.
  const two = (to: string): string => `{}<|end|><|start|>assistant${call(to, '{"second":1}')}`

  test.each<[what: string, choice: object, script: string, items: string[]]>([
    ['a function', { type: 'function', name: 'f' }, NAMED + two('functions.f'), ['function_call f completed']],
    [
      'a custom tool',
      { type: 'custom', name: 'patch' },
      `${OPEN}functions.patch<|message|>${two('functions.patch')}`,
      ['custom_tool_call patch completed'],
    ],
  ])('a call of %s ends the response, though the model would continue', async (_what, choice, script, items) => {
    const { output, asked, transcript } = await told({ tool_choice: choice as never }, [script])
    expect(output.map(brief)).toEqual(['reasoning completed', ...items])
    expect(transcript).not.toEqual(expect.arrayContaining(encodeHarmony('second')))
    expect(asked).toHaveLength(2)
  })

  test('a call of a tool of a server ends the turn, and the model reads its result', async () => {
    const choice = { type: 'mcp', server_label: 'github', name: 'search' }
    const script = `${OPEN}github.search <|constrain|>json<|message|>${two('functions.f').replace('<|end|>', '<|call|>')}`
    const { output } = await told({ tool_choice: choice as never }, [
      script.slice(0, script.indexOf('<|call|>') + 8),
      ANSWER,
    ])
    expect(output.map(brief)).toEqual(['reasoning completed', 'mcp_call github search completed', 'message completed'])
  })

  test('an engine that gives everything at once is stopped after the call as well', async () => {
    const tokens = encodeHarmony(two('functions.f'))
    let calls = 0
    const engine: RespondOptions['engine'] = {
      generate: (_context, { stop = STOP_TOKENS } = {}) => {
        const given = calls++ === 0 ? encodeHarmony('Hm.<|end|>') : tokens
        expect(stop.length).toBeGreaterThan(0)
        return tokenStream(async function* () {
          yield given
          return { reason: 'stop' as const }
        })
      },
      health: async () => {},
    }
    const { output } = await told({ tool_choice: { type: 'function', name: 'f' } }, [], { engine })
    expect(output.map(brief)).toEqual(['reasoning completed', 'function_call f completed'])
  })

  test.each([['required' as const], [{ type: 'function' as const, name: 'f' }]])(
    'a call that the model begins in the middle of its reasoning meets %j',
    async (choice) => {
      const script = `<|channel|>analysis<|message|>Hm.${call('functions.f')}`
      const { output, asked } = await told({ tool_choice: choice }, [script, ANSWER])
      expect(output.map(brief)).toEqual(['reasoning completed', 'function_call f completed'])
      expect(asked).toHaveLength(1)
    },
  )

  test('a demand that leaves the model a choice allows several calls', async () => {
    const { output } = await told({ tool_choice: 'required' }, [
      `${OPEN}functions.f <|constrain|>json<|message|>${two('functions.f')}`,
    ])
    expect(output.map(brief)).toEqual(['reasoning completed', 'function_call f completed', 'function_call f completed'])
  })
})

describe('a demand that the model does not meet', () => {
  const GOOD = `${OPEN}functions.f <|constrain|>json<|message|>{}<|call|>`
  const turnsOf = (entries: readonly Entry[]): boolean[] =>
    entries.flatMap((entry) => (entry.type === 'turn' ? [entry.reminder !== undefined] : []))

  const misses: readonly [what: string, script: string][] = [
    ['text after the header', `${OPEN}<|message|>It is warm.<|return|>`],
    ['text in the header', `${OPEN} I would rather not<|return|>`],
    ['an answer', `${OPEN}<|start|>assistant<|channel|>final<|message|>It is warm.<|return|>`],
    ['nothing', `${OPEN}<|return|>`],
    ['a tool that nobody has', `${OPEN}functions.nope <|constrain|>json<|message|>{}<|call|>`],
    ['a server that nobody has', `${OPEN}nope.nope <|constrain|>json<|message|>{}<|call|>`],
  ]

  test.each(misses)('%s for a required call is no call: the model is reminded, and calls', async (_what, script) => {
    const { output, entries, response } = await told({ tool_choice: 'required' }, [script, GOOD])
    expect(output.at(-1)).toMatchObject({ type: 'function_call', name: 'f', status: 'completed' })
    expect(output.filter(({ type }) => type === 'function_call')).toHaveLength(1)
    expect(turnsOf(entries)).toEqual([false, true])
    expect(response.status).toBe('completed')
  })

  test.each(misses)(
    '%s for a required call, twice, fails the response, and the client is told why',
    async (_what, script) => {
      const { response, entries, events } = await told({ tool_choice: 'required' }, [script, script])
      expect(turnsOf(entries)).toEqual([false, true])
      const message = "The model did not call a tool, although 'tool_choice' demands it."
      expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error', message } })
      expect(
        events
          .filter(({ type }) => type === 'response.output_item.done')
          .some((event) => 'item' in event && (event.item as OutputItem).type === 'function_call'),
      ).toBe(false)
    },
  )

  test('a call of a tool that allowed_tools excludes does not meet its demand', async () => {
    const tools = ['f', 'patch'].map((name) => ({ type: name === 'f' ? 'function' : 'custom', name }))
    const choice = { type: 'allowed_tools', mode: 'required', tools }
    const { output, entries } = await told({ tool_choice: choice as never }, [
      `${OPEN}github.search <|message|>{}<|call|>`,
      GOOD,
    ])
    expect(output.map(brief)).toEqual([
      'reasoning completed',
      'mcp_call github search failed',
      'reasoning completed',
      'function_call f completed',
    ])
    expect(turnsOf(entries)).toEqual([false, true])
  })

  test('a reminder stands in front of the turn, as a developer message', async () => {
    const { asked } = await told({ tool_choice: 'required' }, [`${OPEN}<|message|>No.<|return|>`, GOOD])
    const { messages } = parseMessages(asked.at(-1)?.context ?? [], { tokenTable, role: null, origin: 'host' })
    const reminders = messages.filter(({ role, content }) => role === 'developer' && content.includes('must call one'))
    expect(reminders).toHaveLength(1)
  })

  test('a named tool whose call never comes about fails the response by its name', async () => {
    const choice = { type: 'mcp', server_label: 'github' } as never
    const script = `${OPEN}github<|message|>.<|return|>`.replace(
      'github<|message|>.',
      'github<|start|>assistant<|channel|>final<|message|>No.',
    )
    const { response, entries } = await told({ tool_choice: choice }, [script, script])
    expect(turnsOf(entries)).toEqual([false, true])
    expect(response.error).toMatchObject({
      message: "The model did not call a tool of 'github', although 'tool_choice' demands it.",
    })
  })

  test('a call whose end the engine swallows is a call', async () => {
    const { output, entries } = await told({ tool_choice: 'required' }, [GOOD.replace('<|call|>', '')])
    expect(output.at(-1)).toMatchObject({ type: 'function_call', status: 'completed' })
    expect(turnsOf(entries)).toEqual([false])
  })

  test('the limit of turns leaves no room for a reminder', async () => {
    const { response } = await told({ tool_choice: 'required' }, [`${OPEN}<|message|>No.<|return|>`], {
      limits: { turns: 1 },
    })
    expect(response.status).toBe('incomplete')
  })

  test('a process that continues where a demand is not met finds the same events', async () => {
    for (const last of [GOOD, `${OPEN}functions.nope <|message|>{}<|call|>`]) {
      const turns = [`${OPEN}functions.nope <|message|>{}<|call|>`, last]
      const request = { input: 'Go.', tools: TOOLS, tool_choice: 'required' } as unknown as ResponseRequest
      const whole = await run(request, { turns })
      for (const [at, shown] of whole.before.entries()) {
        const rest = await run(request, { turns, entries: JSON.parse(JSON.stringify(whole.entries.slice(0, at))) })
        expect(rest.events).toEqual(whole.events.slice(shown))
        expect(rest.transcript).toEqual(whole.transcript)
      }
    }
  })
})
