import { describe, expect, test } from 'vitest'
import { deriveId } from '../../../src/core/options/ids.js'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import type { McpListing } from '../../../src/index.js'
import { Translator } from '../../support/translator.js'
import { mcp } from '../recipients/tools.js'
import {
  brief,
  briefItem,
  callTo,
  createRun,
  FIXED,
  messageOn,
  NOW,
  runOf,
  terminal,
  toolMessage,
} from '../translate/run.js'

const request = { tools: [mcp('github')] }
const schema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }
const listing: McpListing = {
  serverLabel: 'github',
  tools: [{ name: 'search', description: 'Finds code.', inputSchema: schema, annotations: { readOnlyHint: true } }],
}
const LISTED = {
  type: 'mcp_list_tools',
  id: 'mcpl_0',
  server_label: 'github',
  tools: [{ name: 'search', description: 'Finds code.', input_schema: schema, annotations: { readOnlyHint: true } }],
}
const failed: McpListing = { serverLabel: 'github', error: 'connection refused' }

const ITEM = (index: number, end: 'completed' | 'failed' = 'completed'): string[] => [
  `output_item.added ${index}`,
  `mcp_list_tools.in_progress ${index}`,
  `mcp_list_tools.${end} ${index}`,
  `output_item.done ${index} -`,
]

/** The tools of a listing, as they are in the response. */
function listed(tools: unknown): unknown {
  const run = createRun({ request, mcpListings: [{ serverLabel: 'github', tools } as McpListing] })
  run.start()
  const [item] = run.translator.response.output
  return item?.type === 'mcp_list_tools' ? item.tools : item
}

describe('the events of a listing', () => {
  test('the events of a listing come in order and whole, right after response.in_progress', () => {
    const run = createRun({ request, mcpListings: [listing] })
    const events = run.start()
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress'])
    expect(events.slice(2)).toStrictEqual([
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: { type: 'mcp_list_tools', id: 'mcpl_0', server_label: 'github', tools: [] },
      },
      { type: 'response.mcp_list_tools.in_progress', sequence_number: 3, item_id: 'mcpl_0', output_index: 0 },
      { type: 'response.mcp_list_tools.completed', sequence_number: 4, item_id: 'mcpl_0', output_index: 0 },
      { type: 'response.output_item.done', sequence_number: 5, output_index: 0, item: LISTED },
    ])
    expect(terminal(run.end()).output).toStrictEqual([LISTED])
    expect(run.diagnostics).toEqual([])
  })

  test('the listing of a server that could not be asked fails, with the error only when it is done', () => {
    const run = createRun({ request, mcpListings: [failed] })
    const item = { type: 'mcp_list_tools', id: 'mcpl_0', server_label: 'github', tools: [] }
    expect(run.start().slice(2)).toStrictEqual([
      { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item },
      { type: 'response.mcp_list_tools.in_progress', sequence_number: 3, item_id: 'mcpl_0', output_index: 0 },
      { type: 'response.mcp_list_tools.failed', sequence_number: 4, item_id: 'mcpl_0', output_index: 0 },
      {
        type: 'response.output_item.done',
        sequence_number: 5,
        output_index: 0,
        item: { ...item, error: 'connection refused' },
      },
    ])
    const response = terminal(run.end())
    expect(response.output).toStrictEqual([{ ...item, error: 'connection refused' }])
    expect(response.status).toBe('completed')
    expect(run.diagnostics).toEqual([])
  })

  test('response.created and response.in_progress have no output yet', () => {
    const [created, inProgress] = createRun({ request, mcpListings: [listing] }).start()
    expect(created).toMatchObject({ response: { output: [] } })
    expect(inProgress).toMatchObject({ response: { output: [] } })
  })

  test('the listing of a server without tools is completed', () => {
    const run = createRun({ request, mcpListings: [{ serverLabel: 'github', tools: [] }] })
    expect(brief(run.start()).slice(2)).toEqual(ITEM(0))
    expect(run.events.at(-1)).toMatchObject({ item: { tools: [] } })
  })

  test('a listing whose error has no words is a failure all the same', () => {
    const run = createRun({ request, mcpListings: [{ serverLabel: 'github', error: '' }] })
    expect(brief(run.start()).slice(2)).toEqual(ITEM(0, 'failed'))
    expect(run.events.at(-1)).toMatchObject({ item: { error: '' } })
  })

  test('a failed listing shows no tools, whatever else the host gave', () => {
    const run = createRun({ request, mcpListings: [{ ...listing, error: 'connection lost' }] })
    run.start()
    expect(run.translator.response.output).toMatchObject([{ error: 'connection lost', tools: [] }])
  })

  test('without listings there are no listing events', () => {
    expect(brief(createRun({ request, mcpListings: [] }).start())).toEqual(['created', 'in_progress'])
  })

  test("the id of a listing begins with the API's prefix", () => {
    const run = createRun({ request, mcpListings: [listing], ids: deriveId })
    run.start()
    expect(run.translator.response.output).toMatchObject([{ id: expect.stringMatching(/^mcpl_[0-9a-f]{50}$/) }])
  })

  test('no event of a listing is taken from a token', () => {
    const run = createRun({ request, mcpListings: [listing] })
    run.push(messageOn('final', 'Hi<|return|>'))
    const traced = run.traces.filter((trace) => trace.type === 'event').slice(0, 6)
    expect(traced.map((trace) => trace.type === 'event' && [trace.from, trace.to])).toEqual(Array(6).fill([-1, -1]))
  })

  test('a listing counts no tokens', () => {
    const run = createRun({ request, mcpListings: [listing] })
    expect(terminal(run.end()).usage).toEqual(terminal(createRun({ request }).end()).usage)
  })
})

describe('its tools in the form of the API', () => {
  test.each<[string, unknown, unknown]>([
    ['a name alone', { name: 'a' }, { name: 'a', input_schema: {} }],
    [
      "the server's own form",
      { name: 'a', description: 'A.', inputSchema: schema, annotations: { title: 'The A' } },
      { name: 'a', description: 'A.', input_schema: schema, annotations: { title: 'The A' } },
    ],
    [
      "the API's form",
      { name: 'a', input_schema: schema, annotations: { read_only: false } },
      { name: 'a', input_schema: schema, annotations: { read_only: false } },
    ],
    [
      'fields that the API does not have',
      { name: 'a', title: 'The A', outputSchema: schema, _meta: {} },
      { name: 'a', input_schema: {} },
    ],
    [
      'fields that are undefined',
      { name: 'a', description: undefined, inputSchema: undefined, annotations: undefined },
      { name: 'a', input_schema: {} },
    ],
    ['an empty description', { name: 'a', description: '' }, { name: 'a', description: '', input_schema: {} }],
  ])('a listing has its tools in the form of the API: %s', (_, tool, wire) => {
    expect(listed([tool])).toStrictEqual([wire])
  })

  test('a listing has its tools in the order of the server', () => {
    expect(listed([{ name: 'b' }, { name: 'a' }, { name: 'b' }])).toMatchObject([
      { name: 'b' },
      { name: 'a' },
      { name: 'b' },
    ])
  })
})

describe('several servers', () => {
  const mcpListings: McpListing[] = [
    { serverLabel: 'git-hub', tools: [{ name: 'search' }, { name: 'issues.list' }] },
    { serverLabel: 'acme.docs', error: 'no answer' },
    { serverLabel: 'files', tools: [{ name: 'search' }] },
  ]
  const servers = { tools: [mcp('files'), mcp('acme.docs'), mcp('git-hub')] }

  test('several servers give an item each, one after the other, in the order of the listings', () => {
    const run = createRun({ request: servers, mcpListings })
    expect(brief(run.start())).toEqual(['created', 'in_progress', ...ITEM(0), ...ITEM(1, 'failed'), ...ITEM(2)])
    expect(run.translator.response.output.map(briefItem)).toEqual([
      'mcp_list_tools git-hub search,issues.list',
      'mcp_list_tools acme.docs no answer',
      'mcp_list_tools files search',
    ])
    expect(run.translator.response.output.map(({ id }) => id)).toEqual(['mcpl_0', 'mcpl_1', 'mcpl_2'])
  })

  test('several servers come before every item of the model, whose indexes and ids continue after them', () => {
    const run = createRun({ request: servers, mcpListings })
    run.push(callTo('files.search', '{}<|call|>'))
    run.toolResult({ itemId: 'mcp_3', output: 'found' })
    expect(brief(run.events)).toEqual([
      'created',
      'in_progress',
      ...ITEM(0),
      ...ITEM(1, 'failed'),
      ...ITEM(2),
      'output_item.added 3',
      'mcp_call.in_progress 3',
      'mcp_call_arguments.delta 3 "{}"',
      'mcp_call_arguments.done 3',
      'mcp_call.completed 3',
      'output_item.done 3 completed',
    ])
    expect(run.events.map(({ sequence_number }) => sequence_number)).toEqual(run.events.map((_, at) => at))
  })

  test('the servers of listings need not be declared in the request', () => {
    const run = createRun({ mcpListings })
    run.start()
    expect(run.translator.response.output).toHaveLength(3)
  })

  test('several servers of one label give an item each', () => {
    const run = createRun({ request, mcpListings: [failed, listing] })
    run.start()
    expect(run.translator.response.output.map(briefItem)).toEqual([
      'mcp_list_tools github connection refused',
      'mcp_list_tools github search',
    ])
  })
})

describe('the listings come once', () => {
  const options = { request, mcpListings: [listing] }

  test('the listings come once with start(), and not again with a second one or with the first push', () => {
    const run = createRun(options)
    expect(brief(run.start())).toEqual(['created', 'in_progress', ...ITEM(0)])
    expect(run.start()).toEqual([])
    expect(brief(run.push(messageOn('final', 'Hi')))).toEqual([
      'output_item.added 1',
      'content_part.added 1',
      'output_text.delta 1 "Hi"',
    ])
  })

  test('the listings come once with the first push, and not again with a start() or a turn after it', () => {
    const run = createRun(options)
    expect(brief(run.push('<|channel|>'))).toEqual(['created', 'in_progress', ...ITEM(0)])
    expect(run.start()).toEqual([])
    run.translator.beginTurn()
    expect(brief(run.push(messageOn('final', 'Hi')))[0]).toBe('output_item.added 1')
  })

  test('the listings come once with the first turn that the host begins, and not again with the next', () => {
    const run = createRun(options)
    run.translator.beginTurn()
    expect(brief(run.start())).toEqual(['created', 'in_progress', ...ITEM(0)])
    run.translator.beginTurn()
    expect(run.push([])).toEqual([])
  })

  test('the listings come once before the first message of the host', () => {
    const run = createRun(options)
    const events = run.push({ host: toolMessage('github.search', 'found').host })
    expect(brief(events)).toEqual(['created', 'in_progress', ...ITEM(0)])
  })

  test.each<[string, string[], (run: ReturnType<typeof createRun>) => unknown]>([
    ['an end', ['completed'], (run) => run.end()],
    ['a failure', ['error', 'failed'], (run) => run.fail({ message: 'no' })],
    ['an abort', ['failed'], (run) => run.abort()],
  ])('the listings come once if nothing but %s comes', (_, last, close) => {
    const run = createRun(options)
    close(run)
    expect(brief(run.events)).toEqual(['created', 'in_progress', ...ITEM(0), ...last])
    expect(run.translator.response.output).toStrictEqual([LISTED])
  })

  test('the listings come once over a snapshot right after start(), as often as it is written down and made anew', () => {
    const given: TranslatorOptions = { ...FIXED, ...options }
    let translator = new Translator(given)
    const events = translator.start()
    for (let times = 0; times < 3; times++) {
      translator = Translator.restore(JSON.parse(JSON.stringify(translator.snapshot())), given)
      expect(translator.start()).toEqual([])
    }
    events.push(...translator.push(messageOn('final', 'Hi<|return|>')), ...translator.end())
    const whole = createRun(options)
    whole.start()
    whole.push(messageOn('final', 'Hi<|return|>'))
    whole.end()
    expect(events).toStrictEqual(whole.events)
    expect(brief(events).filter((line) => line.startsWith('mcp_list_tools'))).toHaveLength(2)
  })

  test('the listings come once over a snapshot before start()', () => {
    const given: TranslatorOptions = { ...FIXED, ...options }
    const snapshot = JSON.parse(JSON.stringify(new Translator(given).snapshot()))
    const run = runOf(Translator.restore(snapshot, { ...given, clock: () => NOW }))
    expect(brief(run.start())).toEqual(['created', 'in_progress', ...ITEM(0)])
  })

  test('the listings come once over a snapshot between a turn and the events that it made', () => {
    const given: TranslatorOptions = { ...FIXED, ...options }
    const first = new Translator(given)
    first.beginTurn()
    const run = runOf(Translator.restore(JSON.parse(JSON.stringify(first.snapshot())), given))
    expect(brief(run.push([]))).toEqual(['created', 'in_progress', ...ITEM(0)])
    expect(run.start()).toEqual([])
  })
})

describe('a listing is copied', () => {
  const mutable = () => ({
    serverLabel: 'github',
    tools: [
      { name: 'search', description: 'Finds.', inputSchema: structuredClone(schema), annotations: { a: { b: 1 } } },
    ],
  })
  type Mutable = ReturnType<typeof mutable>
  const mutate = ({ tools }: Mutable): void => {
    const [tool] = tools
    if (tool === undefined) return
    tool.name = 'evil'
    tool.inputSchema.required.push('evil')
    tool.annotations.a.b = 2
    tools.push({ ...tool, name: 'another' })
  }

  test('a listing is copied, so that later changes by the caller do not affect the sent events', () => {
    const mine = mutable()
    const translator = new Translator({ ...FIXED, request, mcpListings: [mine] })
    const events = translator.start()
    const sent = structuredClone(events)
    const response = translator.response
    mutate(mine)
    mine.serverLabel = 'evil'
    expect(events).toStrictEqual(sent)
    expect(translator.response).toStrictEqual(response)
    expect(terminal(translator.end()).output).toStrictEqual(response.output)
  })

  test('a listing is copied, and changes to an event by the caller affect neither the listing nor the response', () => {
    const mine = mutable()
    const before = structuredClone(mine)
    const translator = new Translator({ ...FIXED, request, mcpListings: [mine] })
    const done = translator.start().at(-1)
    const { output } = translator.response
    if (done?.type !== 'response.output_item.done' || done.item.type !== 'mcp_list_tools') throw new Error(done?.type)
    Object.assign(Object(done.item.tools[0]?.input_schema), { type: 'evil' })
    done.item.tools.pop()
    expect(mine).toStrictEqual(before)
    expect(translator.response.output).toStrictEqual(output)
  })
})

describe('it takes no result', () => {
  test.each([listing, failed])('a listing takes no result by its id: %j', (one) => {
    const run = createRun({ request, mcpListings: [one] })
    run.start()
    expect(() => run.toolResult({ itemId: 'mcpl_0', output: 'x' })).toThrow(
      expect.objectContaining({
        name: 'HarmonyResponsesError',
        code: 'item_takes_no_result',
        message: 'toolResult: expected the id of a hosted call, got "mcp_list_tools mcpl_0"',
      }),
    )
    expect(brief(run.end())).toEqual(['completed'])
  })

  test('a listing takes no result by a message of the tool of no particular name', () => {
    const run = createRun({ request, mcpListings: [listing] })
    run.start()
    expect(run.answer('tool', 'x')).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'result_without_call', subject: 'tool' }])
  })
})

describe('invalid listings are refused by their path', () => {
  const make = (mcpListings: unknown): Translator =>
    new Translator({ ...FIXED, request, mcpListings } as TranslatorOptions)

  const rows: [unknown, string | RegExp][] = [
    ['github', 'mcpListings: expected an array, got "github"'],
    [{ serverLabel: 'github' }, 'mcpListings: expected an array, got an object'],
    [null, 'mcpListings: expected an array, got null'],
    [[{ tools: [] }], 'mcpListings[0].serverLabel: expected a string, got undefined'],
    [[listing, { server_label: 'files' }], 'mcpListings[1].serverLabel: expected a string, got undefined'],
    [[listing, null], 'mcpListings[1].serverLabel: expected a string, got undefined'],
    [[['github']], 'mcpListings[0].serverLabel: expected a string, got undefined'],
    [[{ serverLabel: 7 }], 'mcpListings[0].serverLabel: expected a string, got 7'],
  ]
  test.each(rows)('invalid listings are refused by their path: %j', (mcpListings, message) => {
    expect(() => make(mcpListings)).toThrow(
      expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_option', message }),
    )
  })

  test.each<[string, unknown]>([
    ['tools that are null', { serverLabel: 'files', tools: null }],
    ['tools that are no list', { serverLabel: 'files', tools: { search: {} } }],
    ['an invalid tool', { serverLabel: 'files', tools: [null] }],
    ['a tool without a name', { serverLabel: 'files', tools: [{ description: 'Finds.' }] }],
    ['an error that is not a string', { serverLabel: 'files', error: new Error('no') }],
    ['annotations that are no data', { serverLabel: 'files', tools: [{ name: 'a', annotations: { f: () => {} } }] }],
  ])('invalid listings are refused by their path: %s', (_, entry) => {
    expect(() => make([listing, entry])).toThrow(
      expect.objectContaining({
        name: 'HarmonyResponsesError',
        code: 'bad_option',
        message: expect.stringMatching(/^mcpListings(\[1\]| of files)/),
      }),
    )
  })

  test('listings that are undefined are no listings', () => {
    expect(brief(make(undefined).start())).toEqual(['created', 'in_progress'])
  })
})
