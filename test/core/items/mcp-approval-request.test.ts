import { describe, expect, test } from 'vitest'
import { deriveId } from '../../../src/core/options/ids.js'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import type { McpTool } from '../../../src/core/responses/request.js'
import { type ApprovedCall, type McpListing, policies, type RequestedCall } from '../../../src/index.js'
import { Translator } from '../../support/translator.js'
import {
  brief,
  briefOutput,
  callTo,
  codes,
  createRun,
  FIXED,
  inTurn,
  messageOn,
  type Run,
  runOf,
  terminal,
  toolMessage,
} from '../translate/run.js'

const guarded = (
  label: string,
  require_approval: McpTool['require_approval'],
  allowed?: McpTool['allowed_tools'],
): McpTool => ({
  type: 'mcp',
  server_label: label,
  ...(allowed === undefined ? {} : { allowed_tools: allowed }),
  ...(require_approval === undefined ? {} : { require_approval }),
})

const always = { tools: [guarded('github', 'always')] }
const REQUEST = {
  type: 'mcp_approval_request',
  id: 'mcpr_0',
  arguments: '{"q":"x"}',
  name: 'search',
  server_label: 'github',
} as const

describe('the events of an approval request', () => {
  test('an approval request is announced at its <|call|>, with its arguments, and done at once', () => {
    const run = createRun({ request: always })
    run.start()
    expect(run.push(callTo('github.search', '{"q":'), '"x"}')).toEqual([])
    expect(run.translator.response.output).toEqual([])
    expect(run.push('<|call|>')).toStrictEqual([
      { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item: REQUEST },
      { type: 'response.output_item.done', sequence_number: 3, output_index: 0, item: REQUEST },
    ])
    const response = terminal(run.end())
    expect(response.output).toStrictEqual([REQUEST])
    expect(response.status).toBe('completed')
    expect(brief(run.events)).toEqual([
      'created',
      'in_progress',
      'output_item.added 0',
      'output_item.done 0 -',
      'completed',
    ])
    expect(run.diagnostics).toEqual([])
  })

  test("the id of an approval request begins with the API's prefix", () => {
    const run = createRun({ request: always, ids: deriveId })
    run.push(callTo('github.search', '{}<|call|>'))
    expect(run.translator.response.output).toMatchObject([{ id: expect.stringMatching(/^mcpr_[0-9a-f]{50}$/) }])
  })

  test('an approval request takes its place in the output when it is announced, not when it begins', () => {
    const run = createRun({ request: { tools: [guarded('github', { always: { tool_names: ['write'] } })] } })
    run.push(inTurn(callTo('github.read', '{}<|call|>'), callTo('github.write', '{"a":1}')))
    expect(brief(run.toolResult({ itemId: 'mcp_0', output: 'read' }))).toEqual([
      'mcp_call.completed 0',
      'output_item.done 0 completed',
    ])
    expect(brief(run.push('<|call|>'))).toEqual(['output_item.added 1', 'output_item.done 1 -'])
  })

  test('several approval requests may have calls between them that need no approval', () => {
    const run = createRun({ request: { tools: [guarded('github', 'always'), guarded('files', 'never')] } })
    run.push(
      inTurn(
        messageOn('analysis', 'Hm.<|end|>'),
        callTo('github.search', '1<|call|>'),
        callTo('files.read', '2<|call|>'),
        callTo('mcp.github.list', '3<|call|>'),
        messageOn('final', 'Wait.<|return|>'),
      ),
    )
    expect(briefOutput(terminal(run.end()))).toEqual([
      'reasoning completed "Hm."',
      'mcp_approval_request github.search "1"',
      'mcp_call files.read incomplete "2"',
      'mcp_approval_request github.list "3"',
      'message completed "Wait."',
    ])
    expect(run.diagnostics).toMatchObject([{ code: 'missing_result', subject: 'mcp_2' }])
  })

  test.each(['<|end|>', '<|return|>'])('%s ends an approval request as <|call|> does', (marker) => {
    const run = createRun({ request: always })
    run.push(callTo('github.search', `{"q":"x"}${marker}`))
    expect(terminal(run.end()).output).toStrictEqual([REQUEST])
  })

  test('the next turn ends an approval request if the engine swallowed its <|call|>', () => {
    const run = createRun({ request: always })
    run.push(callTo('github.search', '{"q":"x"}'))
    run.translator.beginTurn()
    expect(brief(run.push([]))).toEqual(['output_item.added 0', 'output_item.done 0 -'])
  })

  test.each(['', ' \n', ' {}', 'print(1)', '{"a":"🫠\\u0000"}'])(
    'the arguments %j of an approval request are verbatim',
    (text) => {
      const run = createRun({ request: always })
      run.push(callTo('github.search', `${text}<|call|>`))
      expect(brief(run.events).slice(2)).toEqual(['output_item.added 0', 'output_item.done 0 -'])
      expect(run.events[2]).toMatchObject({ item: { arguments: text } })
      expect(terminal(run.end()).output).toMatchObject([{ type: 'mcp_approval_request', arguments: text }])
      expect(run.diagnostics).toEqual([])
    },
  )

  test('an approval request may address a tool under the prefix, by an alias, or by the label alone', () => {
    const tools = [guarded('github', 'always'), guarded('web_search_preview', 'always')]
    const run = createRun({ request: { tools } })
    const recipients = ['mcp.github.search', 'github', 'browser.search', 'mcp.browser.open', 'github.issues.list']
    run.push(inTurn(...recipients.map((recipient) => callTo(recipient, '{}<|call|>'))))
    expect(briefOutput(terminal(run.end()))).toEqual([
      'mcp_approval_request github.search "{}"',
      'mcp_approval_request github.github "{}"',
      'mcp_approval_request web_search_preview.search "{}"',
      'mcp_approval_request web_search_preview.open "{}"',
      'mcp_approval_request github.issues.list "{}"',
    ])
  })
})

describe('a sealed approval request', () => {
  const sealApproval = ({ serverLabel, name, arguments: text }: RequestedCall, itemId: string): string =>
    `sealed ${itemId} ${serverLabel} ${name} ${text}`
  const SEALED = { ...REQUEST, id: 'sealed mcpr_0 github search {"q":"x"}' }

  test('a sealed approval request has its seal for an id in every event and in the response', () => {
    const run = createRun({ request: always, sealApproval })
    run.start()
    run.push(callTo('github.search', '{"q":'), '"x"}')
    expect(run.push('<|call|>')).toStrictEqual([
      { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item: SEALED },
      { type: 'response.output_item.done', sequence_number: 3, output_index: 0, item: SEALED },
    ])
    expect(terminal(run.end()).output).toStrictEqual([SEALED])
  })

  test('a sealed approval request leaves the ids of all other items as they are', () => {
    const request = { tools: [guarded('github', { always: { tool_names: ['write'] } })] }
    const [plain, sealed] = [{}, { sealApproval }].map((options) => {
      const run = createRun({ request, ...options })
      const calls = ['read', 'write', 'read', 'write'].map((name) => callTo(`github.${name}`, '{}<|call|>'))
      run.push(inTurn(messageOn('analysis', 'Hm.<|end|>'), ...calls, messageOn('final', 'Wait.<|return|>')))
      return terminal(run.end()).output.map(({ id }) => id)
    })
    expect(plain).toEqual(['rs_0', 'mcp_1', 'mcpr_2', 'mcp_3', 'mcpr_4', 'msg_5'])
    expect(sealed).toEqual([
      'rs_0',
      'mcp_1',
      'sealed mcpr_2 github write {}',
      'mcp_3',
      'sealed mcpr_4 github write {}',
      'msg_5',
    ])
  })

  test('a sealed approval request is sealed once, when its arguments are complete, and never if it is cut off', () => {
    const sealed: string[] = []
    const options = {
      request: always,
      sealApproval: (call: RequestedCall, itemId: string) => {
        sealed.push(call.arguments)
        return sealApproval(call, itemId)
      },
    }
    const run = createRun(options)
    run.push(callTo('github.search', '{"q"'))
    expect(sealed).toEqual([])
    run.push(':"x"}<|call|>')
    run.end()
    expect(sealed).toEqual(['{"q":"x"}'])
    const cut = createRun(options)
    cut.push(callTo('github.search', '{"q'))
    cut.end()
    expect(sealed).toHaveLength(1)
  })

  test('a sealed approval request keeps its id over a snapshot, and is not sealed again', () => {
    const first = createRun({ request: always, sealApproval })
    first.push(callTo('github.search', '{"q":"x"}<|call|>'))
    const snapshot = JSON.parse(JSON.stringify(first.translator.snapshot()))
    const run = runOf(Translator.restore(snapshot, { ...FIXED, request: always, sealApproval: () => 'again' }))
    expect(terminal(run.end()).output).toStrictEqual([SEALED])
  })

  test('a call that needs no approval is not sealed', () => {
    const run = createRun({
      request: { tools: [guarded('github', 'never')] },
      sealApproval: () => {
        throw new Error('sealed')
      },
    })
    run.push(callTo('github.search', '{}<|call|>'))
    expect(run.translator.response.output).toMatchObject([{ type: 'mcp_call', id: 'mcp_0' }])
  })

  test('sealing by a value that is not a function is refused', () => {
    expect(() => createRun({ sealApproval: 'key' as never })).toThrow(
      expect.objectContaining({ code: 'bad_option', message: 'sealApproval: expected a function, got "key"' }),
    )
  })
})

describe('under calls: whole', () => {
  test("under calls: 'whole', an approval request is the same, event for event", () => {
    const streams = (['live', 'whole'] as const).map((calls) => {
      const run = createRun({ request: always, calls })
      run.start()
      run.push(callTo('github.search', '{"q":'), '"x"}<|call|>')
      run.end()
      return run.events
    })
    expect(streams[1]).toStrictEqual(streams[0])
  })

  test("under calls: 'whole', blank arguments of an approval request stay blank", () => {
    const run = createRun({ request: always, calls: 'whole' })
    run.push(callTo('github.search', ' <|call|>'))
    expect(terminal(run.end()).output).toMatchObject([{ type: 'mcp_approval_request', arguments: ' ' }])
    expect(run.diagnostics).toEqual([])
  })

  test("under calls: 'whole', an approval request that is cut off appears nowhere", () => {
    const run = createRun({ request: always, calls: 'whole' })
    run.push(callTo('github.search', '{"q'))
    expect(terminal(run.end()).output).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'call_cut_off', text: '{"q' }])
  })

  test("under calls: 'whole', an approval request takes no result", () => {
    const run = createRun({ request: always, calls: 'whole' })
    run.push(callTo('github.search', '{}<|call|>'))
    expect(() => run.toolResult({ itemId: 'mcpr_0', output: '' })).toThrow(
      expect.objectContaining({ code: 'item_takes_no_result' }),
    )
  })
})

describe('one that is cut off', () => {
  const cut = (close: (run: Run) => unknown, text = '{"q'): Run => {
    const run = createRun({ request: always })
    run.start()
    run.push(callTo('github.search', text))
    close(run)
    return run
  }

  test.each<[string, string[], (run: Run) => unknown]>([
    ['the end of the tokens', ['incomplete'], (run) => run.end()],
    ['max_output_tokens', ['incomplete'], (run) => run.end('max_output_tokens')],
    ['content_filter', ['incomplete'], (run) => run.end('content_filter')],
    ['a failure', ['error', 'failed'], (run) => run.fail({ message: 'no' })],
    ['an abort', ['failed'], (run) => run.abort()],
  ])('an approval request that is cut off by %s appears nowhere, and its text is reported', (_, last, close) => {
    const run = cut(close)
    expect(brief(run.events)).toEqual(['created', 'in_progress', ...last])
    expect(run.translator.response.output).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'call_cut_off', subject: 'github.search', text: '{"q' }])
    expect(run.diagnostics).toHaveLength(1)
  })

  test('an approval request that is cut off before its first character is reported without a text', () => {
    const run = cut((run) => run.end(), '')
    expect(run.translator.response.output).toEqual([])
    expect(run.diagnostics).toStrictEqual([{ code: 'call_cut_off', subject: 'github.search', index: 0 }])
  })

  test('an approval request that lacks nothing but its marker is whole if the host says that the model stopped', () => {
    const run = cut((run) => run.end('stop'), '{"q":"x"}')
    expect(brief(run.events).slice(2)).toEqual(['output_item.added 0', 'output_item.done 0 -', 'completed'])
    expect(run.translator.response.output).toStrictEqual([REQUEST])
    expect(run.diagnostics).toEqual([])
  })

  test('an approval request that is cut off takes no place in the output: what comes before it stays as it is', () => {
    const run = createRun({ request: always })
    run.push(inTurn(messageOn('commentary', 'Hi<|end|>'), callTo('github.search', '{"q')))
    expect(briefOutput(terminal(run.end()))).toEqual(['message completed "Hi"'])
  })
})

describe('it takes no result', () => {
  test('an approval request takes no result by its id: there is nothing to answer before the user has', () => {
    const run = createRun({ request: always })
    run.push(callTo('github.search', '{"q":"x"}<|call|>'))
    expect(() => run.toolResult({ itemId: 'mcpr_0', output: 'found' })).toThrow(
      expect.objectContaining({
        name: 'HarmonyResponsesError',
        code: 'item_takes_no_result',
        message: 'toolResult: expected the id of a hosted call, got "mcp_approval_request mcpr_0"',
      }),
    )
    expect(terminal(run.end()).output).toStrictEqual([REQUEST])
  })

  test("an approval request takes no result from a tool's message of the host, which is reported", () => {
    const run = createRun({ request: always })
    run.push(callTo('github.search', '{"q":"x"}<|call|>'))
    expect(run.answer('github.search', 'found')).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'result_without_call', subject: 'github.search' }])
    expect(terminal(run.end()).output).toStrictEqual([REQUEST])
  })

  test('an approval request takes no result by a message of the tool of no particular name', () => {
    const run = createRun({ request: always })
    run.push(callTo('github.search', '{"q":"x"}<|call|>'))
    expect(run.answer('tool', 'found')).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'result_without_call', subject: 'tool' }])
    expect(terminal(run.end()).output).toStrictEqual([REQUEST])
  })

  test('an approval request takes no result, and takes none from a call of the same server that waits', () => {
    const run = createRun({ request: { tools: [guarded('github', { always: { tool_names: ['write'] } })] } })
    run.push(inTurn(callTo('github.read', '{}<|call|>'), callTo('github.write', '{}<|call|>')))
    run.answer('github.write', 'written')
    expect(brief(run.answer('github.read', 'read'))).toEqual(['mcp_call.completed 0', 'output_item.done 0 completed'])
    expect(terminal(run.end()).output).toMatchObject([{ output: 'read' }, { type: 'mcp_approval_request' }])
  })
})

describe('a server that the request declares without require_approval', () => {
  const tools = [{ type: 'mcp', server_label: 'github' }]
  test.each<[string, Partial<TranslatorOptions>, string]>([
    ['is asked for', {}, 'mcp_approval_request'],
    ['is asked for by agents', { policy: 'agents' }, 'mcp_approval_request'],
    ['is called by vllm', { policy: 'vllm' }, 'mcp_call'],
    ['is called where the option says so', { mcpApproval: 'never' }, 'mcp_call'],
    [
      'is asked for by vllm where the option says so',
      { policy: 'vllm', mcpApproval: 'always' },
      'mcp_approval_request',
    ],
    ['is called where a table says so', { policy: { ...policies.openai, mcpApproval: 'never' } }, 'mcp_call'],
    [
      'is asked for where the option says so, whatever the table says',
      { policy: { ...policies.openai, mcpApproval: 'never' }, mcpApproval: 'always' },
      'mcp_approval_request',
    ],
  ])('a call of a server for which the request says nothing of approval %s', (_, options, type) => {
    const run = createRun({ request: { tools }, ...options })
    run.push(callTo('github.search', '{}<|call|>'))
    expect(run.translator.response.output).toMatchObject([{ type }])
  })

  test("a call follows the request's approval, regardless of the option", () => {
    const run = createRun({ request: { tools: [guarded('github', 'never')] }, mcpApproval: 'always' })
    run.push(callTo('github.search', '{}<|call|>'))
    expect(run.translator.response.output).toMatchObject([{ type: 'mcp_call' }])
  })
})

describe('which calls need approval', () => {
  /**
   * The results of calls of a reading, a writing and an unlisted tool: `?` if the user is asked, otherwise the status.
   */
  function asked(tool: McpTool, mcpListings?: McpListing[]): string {
    const run = createRun({ request: { tools: [tool] }, ...(mcpListings === undefined ? {} : { mcpListings }) })
    run.push(inTurn(...['read', 'write', 'other'].map((name) => callTo(`github.${name}`, '{}<|call|>'))))
    const calls = terminal(run.end()).output.filter(({ type }) => type !== 'mcp_list_tools')
    return calls
      .map((item) =>
        item.type === 'mcp_call' && item.status === 'failed' ? '-' : item.type === 'mcp_call' ? '!' : '?',
      )
      .join('')
  }

  test.each<[string, McpTool['require_approval'], string]>([
    ['always', 'always', '???'],
    ['never', 'never', '!!!'],
    ['null', null, '???'],
    ['absent', undefined, '???'],
    ['an empty object', {}, '???'],
    ['always by names', { always: { tool_names: ['write'] } }, '!?!'],
    ['never by names', { never: { tool_names: ['read'] } }, '!??'],
    ['always by no names', { always: { tool_names: [] } }, '!!!'],
    ['never by no names', { never: { tool_names: [] } }, '???'],
    ['always by anything', { always: {} }, '???'],
    ['never by anything', { never: {} }, '!!!'],
    ['always null', { always: null }, '???'],
    ['never null', { never: null }, '???'],
    ['both, apart', { always: { tool_names: ['write'] }, never: { tool_names: ['read'] } }, '!??'],
    ['both, together', { always: { tool_names: ['read'] }, never: { tool_names: ['read', 'write'] } }, '?!?'],
    ['always by names, never anything', { always: { tool_names: ['write'] }, never: {} }, '!?!'],
    ['always anything, never by names', { always: {}, never: { tool_names: ['read'] } }, '???'],
  ])('the user is asked for the calls that require_approval says: %s', (_, approval, expected) => {
    expect(asked(guarded('github', approval))).toBe(expected)
  })

  const tools = (read: unknown, write: unknown): McpListing[] => [
    {
      serverLabel: 'github',
      tools: [{ name: 'read', annotations: read }, { name: 'write', annotations: write }, { name: 'other' }],
    },
  ]
  const asMcp = tools({ readOnlyHint: true, title: 'Read' }, { readOnlyHint: false, destructiveHint: true })
  const asApi = tools({ read_only: true }, { read_only: false })
  const readers: [string, McpTool['require_approval'], string][] = [
    ['never what reads', { never: { read_only: true } }, '!??'],
    ['never what writes', { never: { read_only: false } }, '?!!'],
    ['always what reads', { always: { read_only: true } }, '?!!'],
    ['always what writes', { always: { read_only: false } }, '!??'],
    ['never what reads and is named', { never: { read_only: true, tool_names: ['write', 'other'] } }, '???'],
    ['always what writes and is named', { always: { read_only: false, tool_names: ['read', 'write'] } }, '!?!'],
    ['always what writes, never what reads', { always: { read_only: false }, never: { read_only: true } }, '!??'],
    ['always a named one, never what reads', { always: { tool_names: ['read'] }, never: { read_only: true } }, '???'],
    ['never whatever it does', { never: { read_only: null } }, '!!!'],
  ]
  describe('by a listing in the form of MCP', () => {
    test.each(readers)(
      'a listing in the form of MCP decides which calls the user is asked for: %s',
      (_, approval, expected) => {
        expect(asked(guarded('github', approval), asMcp)).toBe(expected)
      },
    )
  })
  describe("by a listing in the API's form", () => {
    test.each(readers)(
      "a listing in the API's form decides which calls the user is asked for: %s",
      (_, approval, expected) => {
        expect(asked(guarded('github', approval), asApi)).toBe(expected)
      },
    )
  })

  test.each<[string, unknown]>([
    ['no annotations', undefined],
    ['annotations that are null', null],
    ['annotations that do not say', { title: 'Read' }],
    ['a hint that is null', { readOnlyHint: null }],
    ['a hint in words', { readOnlyHint: 'true' }],
    ['a hint that it writes', { readOnlyHint: false }],
    ['annotations that are text', 'readOnlyHint'],
  ])('a tool with %s is taken for one that writes', (_, annotations) => {
    expect(asked(guarded('github', { never: { read_only: true } }), tools(annotations, undefined))).toBe('???')
  })

  describe('without a listing every call is asked for', () => {
    test.each<[string, McpListing[] | undefined]>([
      ['no listing', undefined],
      ['no listings', []],
      ['a listing of another server', [{ serverLabel: 'gitlab', tools: asMcp[0]?.tools ?? [] }]],
    ])('without a listing, the user is asked for every call: %s', (_, listings) => {
      expect(asked(guarded('github', { never: { read_only: true } }), listings)).toBe('???')
      expect(asked(guarded('github', { always: { read_only: false } }), listings)).toBe('???')
      expect(asked(guarded('github', { never: { read_only: false } }), listings)).toBe('???')
      expect(asked(guarded('github', { always: { read_only: true } }), listings)).toBe('???')
    })
  })

  test('with a listing that failed no tool is called, and the user is asked for none', () => {
    const listings = [{ serverLabel: 'github', error: 'no answer' }]
    expect(asked(guarded('github', { never: { read_only: true } }), listings)).toBe('---')
    expect(asked(guarded('github', 'always'), listings)).toBe('---')
  })

  test('the hints of two servers with a tool of the same name are their own', () => {
    const both = ['github', 'gitlab'].map((label) => guarded(label, { never: { read_only: true } }))
    const mcpListings: McpListing[] = [
      { serverLabel: 'gitlab', tools: [{ name: 'search', annotations: { readOnlyHint: false } }] },
      { serverLabel: 'github', tools: [{ name: 'search', annotations: { readOnlyHint: true } }] },
    ]
    const run = createRun({ request: { tools: both }, mcpListings })
    run.push(inTurn(callTo('github.search', '1<|call|>'), callTo('gitlab.search', '2<|call|>')))
    expect(briefOutput(terminal(run.end())).slice(2)).toEqual([
      'mcp_call github.search incomplete "1"',
      'mcp_approval_request gitlab.search "2"',
    ])
  })

  test('the hints of several listings of one label add up', () => {
    const listings: McpListing[] = [
      { serverLabel: 'github', error: 'no answer' },
      { serverLabel: 'github', tools: [{ name: 'write', annotations: { readOnlyHint: false } }] },
      { serverLabel: 'github', tools: [{ name: 'read', annotations: { readOnlyHint: true } }] },
    ]
    expect(asked(guarded('github', { never: { read_only: true } }), listings)).toBe('!?-')
  })

  test.each<[string, McpTool['require_approval']]>([
    ['always', 'always'],
    ['never', 'never'],
    ['never for what reads', { never: { read_only: true } }],
  ])('a call of a tool that its server did not list fails, and no approval is asked for: %s', (_, approval) => {
    const listings: McpListing[] = [{ serverLabel: 'github', tools: [{ name: 'read' }] }]
    expect(asked(guarded('github', approval), listings).slice(1)).toBe('--')
    expect(asked(guarded('github', approval), [{ serverLabel: 'github', tools: [] }])).toBe('---')
  })

  test('listings of the conversation before add up with those of the response, and are checked alike', () => {
    const github = guarded('github', 'never')
    const [read, write] = ['read', 'write'].map((name) => [{ serverLabel: 'github', tools: [{ name }] }])
    const run = createRun({ request: { tools: [github] }, mcpListings: read as never, knownListings: write as never })
    run.push(inTurn(...['read', 'write', 'other'].map((name) => callTo(`github.${name}`, '{}<|call|>'))))
    const statuses = run.translator.response.output.map((item) => 'status' in item && item.status)
    expect(statuses.slice(1)).toEqual(['in_progress', 'in_progress', 'failed'])
    const wrong = { request: { tools: [github] }, knownListings: [{ serverLabel: 'github', tools: [{}] }] } as never
    expect(() => createRun(wrong)).toThrow('knownListings of github: tools[0].name: expected a string')
  })

  test('what servers listed in the conversation before decides as a listing of the response does, and is no item', () => {
    const run = createRun({
      request: { tools: [guarded('github', { never: { read_only: true } })] },
      knownListings: [{ serverLabel: 'github', tools: [{ name: 'read', annotations: { read_only: true } }] }],
    })
    run.push(inTurn(callTo('github.read', '1<|call|>'), callTo('github.write', '2<|call|>')))
    expect(briefOutput(terminal(run.end()))).toEqual([
      'mcp_call github.read incomplete "1"',
      'mcp_call github.write failed "2"',
    ])
  })

  describe('a tool outside allowed_tools fails, and no approval is asked for', () => {
    test.each<[string, McpTool['require_approval'], McpTool['allowed_tools'], string]>([
      ['always, by a list', 'always', ['read'], '?--'],
      ['always, by a filter', 'always', { tool_names: ['read', 'other'] }, '?-?'],
      ['always, by an empty list', 'always', [], '---'],
      ['always by names', { always: { tool_names: ['read', 'write'] } }, ['read', 'other'], '?-!'],
      ['never by names', { never: { tool_names: ['read'] } }, ['read', 'other'], '!-?'],
      ['never', 'never', ['read'], '!--'],
    ])('a tool outside allowed_tools fails, and no approval is asked for: %s', (_, approval, allowed, expected) => {
      expect(asked(guarded('github', approval, allowed))).toBe(expected)
    })

    test('a tool outside a filter of what reads fails by a listing, and no approval is asked for', () => {
      expect(asked(guarded('github', 'always', { read_only: true }), asMcp)).toBe('?--')
    })

    test('a tool outside allowed_tools fails with the events of a call that fails, and no approval is asked for', () => {
      const run = createRun({ request: { tools: [guarded('github', 'always', ['list'])] } })
      run.start()
      expect(brief(run.push(callTo('github.search', '{}<|call|>')))).toEqual([
        'output_item.added 0',
        'mcp_call.in_progress 0',
        'mcp_call_arguments.delta 0 "{}"',
        'mcp_call_arguments.done 0',
        'mcp_call.failed 0',
        'output_item.done 0 failed',
      ])
      expect(run.diagnostics).toMatchObject([{ code: 'unavailable_tool', subject: 'github.search' }])
    })
  })

  test('two entries of one label add up: what one of them asks for, is asked', () => {
    const request = { tools: [guarded('github', 'always', ['write']), guarded('github', 'never', ['read', 'write'])] }
    for (const tools of [request.tools, request.tools.toReversed()]) {
      const run = createRun({ request: { tools } })
      run.push(inTurn(...['read', 'write', 'other'].map((name) => callTo(`github.${name}`, '{}<|call|>'))))
      expect(terminal(run.end()).output).toMatchObject([
        { type: 'mcp_call', status: 'incomplete' },
        { type: 'mcp_approval_request' },
        { type: 'mcp_call', status: 'failed' },
      ])
    }
  })

  test('no approval is asked for if the policy has no MCP', () => {
    const run = createRun({ request: always, policy: 'functions-only' })
    run.push(callTo('github.search', '{}<|call|>'))
    expect(briefOutput(terminal(run.end()))).toEqual(['function_call github.search completed "{}"'])
  })

  test.each(['openai', 'agents', 'vllm'] as const)('the user is asked under the policy %s', (policy) => {
    const run = createRun({ request: always, policy })
    run.push(callTo('github.search', '{}<|call|>'))
    expect(briefOutput(terminal(run.end()))).toEqual(['mcp_approval_request github.search "{}"'])
  })
})

test('an approval request continues from a snapshot before its <|call|>', () => {
  const given: TranslatorOptions = { ...FIXED, request: always }
  const first = new Translator(given)
  const events = [...first.push(callTo('github.search', '{"q":'))]
  const second = Translator.restore(JSON.parse(JSON.stringify(first.snapshot())), given)
  events.push(...second.push('"x"}<|call|>'), ...second.end())
  expect(brief(events)).toEqual(['created', 'in_progress', 'output_item.added 0', 'output_item.done 0 -', 'completed'])
  expect(terminal(events).output).toStrictEqual([REQUEST])
})

describe('a call that the user approved', () => {
  const approved: ApprovedCall = {
    approvalRequestId: 'mcpr_before',
    serverLabel: 'github',
    name: 'search',
    arguments: '{"q":"x"}',
  }
  const ADDED = {
    type: 'mcp_call',
    id: 'mcp_0',
    status: 'in_progress',
    approval_request_id: 'mcpr_before',
    arguments: '',
    error: null,
    name: 'search',
    output: null,
    server_label: 'github',
  } as const
  const OF_ITEM = { item_id: 'mcp_0', output_index: 0 }
  const COMPLETED = { ...ADDED, status: 'completed', arguments: '{"q":"x"}', output: 'found' }
  const options = { request: always, approvedCalls: [approved] }
  const CALL = (index: number, text = '{"q":"x"}'): string[] => [
    `output_item.added ${index}`,
    `mcp_call.in_progress ${index}`,
    ...(text === '' ? [] : [`mcp_call_arguments.delta ${index} ${JSON.stringify(text)}`]),
    `mcp_call_arguments.done ${index}`,
  ]
  const DONE = (index: number): string[] => [`mcp_call.completed ${index}`, `output_item.done ${index} completed`]

  test('a call that the user approved is called right after response.in_progress, in order and whole, and waits', () => {
    const run = createRun(options)
    const events = run.start()
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress'])
    expect(events.slice(2)).toStrictEqual([
      { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item: ADDED },
      { type: 'response.mcp_call.in_progress', sequence_number: 3, ...OF_ITEM },
      { type: 'response.mcp_call_arguments.delta', sequence_number: 4, ...OF_ITEM, delta: '{"q":"x"}' },
      { type: 'response.mcp_call_arguments.done', sequence_number: 5, ...OF_ITEM, arguments: '{"q":"x"}' },
    ])
    expect(run.translator.response.output).toStrictEqual([{ ...ADDED, arguments: '{"q":"x"}' }])
    expect(run.diagnostics).toEqual([])
  })

  test('a call that the user approved is completed by toolResult', () => {
    const run = createRun(options)
    run.start()
    expect(run.toolResult({ itemId: 'mcp_0', output: 'found' })).toStrictEqual([
      { type: 'response.mcp_call.completed', sequence_number: 6, ...OF_ITEM },
      { type: 'response.output_item.done', sequence_number: 7, output_index: 0, item: COMPLETED },
    ])
    expect(terminal(run.end()).output).toStrictEqual([COMPLETED])
  })

  test("a call that the user approved is failed by toolResult's error", () => {
    const run = createRun(options)
    run.start()
    expect(brief(run.toolResult({ itemId: 'mcp_0', error: { message: 'no' } }))).toEqual([
      'mcp_call.failed 0',
      'output_item.done 0 failed',
    ])
    expect(terminal(run.end()).output).toMatchObject([{ approval_request_id: 'mcpr_before', status: 'failed' }])
  })

  test.each(['github.search', 'mcp.github.search', 'tool'])(
    "a call that the user approved is completed by the host's message of %s, though the tool still asks for approval",
    (author) => {
      const run = createRun(options)
      run.start()
      expect(brief(run.answer(author, 'found'))).toEqual(DONE(0))
      expect(terminal(run.end()).output).toStrictEqual([COMPLETED])
      expect(run.diagnostics).toEqual([])
    },
  )

  test("a call that the user approved is completed by the transcript's first message, before the model says anything", () => {
    const run = createRun(options)
    const { host } = toolMessage('github.search', 'found')
    run.push({ host: `${host}<|start|>assistant` }, messageOn('final', 'Done.<|return|>'))
    run.end()
    expect(brief(run.events)).toEqual([
      'created',
      'in_progress',
      ...CALL(0),
      ...DONE(0),
      'output_item.added 1',
      'content_part.added 1',
      'output_text.delta 1 "Done."',
      'output_text.done 1',
      'content_part.done 1',
      'output_item.done 1 completed',
      'completed',
    ])
    expect(run.diagnostics).toEqual([])
  })

  test('a call that the user approved is completed while the model writes something else', () => {
    const run = createRun(options)
    run.push(messageOn('final', 'Do'))
    expect(brief(run.toolResult({ itemId: 'mcp_0', output: 'found' }))).toEqual(DONE(0))
    expect(brief(run.push('ne.<|return|>'))[0]).toBe('output_text.delta 1 "ne."')
  })

  test('an approved call without a result is incomplete at the end, and the response is complete', () => {
    const run = createRun(options)
    run.push(messageOn('final', 'Hi<|return|>'))
    const events = run.end()
    expect(brief(events)).toEqual(['output_item.done 0 incomplete', 'completed'])
    expect(events[0]).toMatchObject({ item: { ...ADDED, status: 'incomplete', arguments: '{"q":"x"}' } })
    expect(run.diagnostics).toMatchObject([{ code: 'missing_result', subject: 'mcp_0' }])
  })

  test.each<[string, (run: Run) => unknown]>([
    ['a failure', (run) => run.fail({ message: 'no' })],
    ['an abort', (run) => run.abort()],
  ])('a call that the user approved stands incomplete and is not done after %s', (_, close) => {
    const run = createRun(options)
    run.start()
    const before = run.events.length
    close(run)
    expect(brief(run.events.slice(before)).filter((line) => line.startsWith('output_item'))).toEqual([])
    expect(run.translator.response.output).toMatchObject([{ status: 'incomplete', arguments: '{"q":"x"}' }])
  })

  test('a call that the user approved without arguments gives no delta', () => {
    const run = createRun({ request: always, approvedCalls: [{ ...approved, arguments: '' }] })
    expect(brief(run.start()).slice(2)).toEqual(CALL(0, ''))
    expect(run.translator.response.output).toStrictEqual([ADDED])
  })

  test("a call that the user approved comes after the listings and before the model's items", () => {
    const run = createRun({ ...options, mcpListings: [{ serverLabel: 'github', tools: [{ name: 'search' }] }] })
    run.push(callTo('github.search', '{"q":"y"}<|call|>'))
    expect(briefOutput(run.translator.response)).toEqual([
      'mcp_list_tools github search',
      'mcp_call github.search in_progress "{\\"q\\":\\"x\\"}"',
      'mcp_approval_request github.search "{\\"q\\":\\"y\\"}"',
    ])
    expect(run.events.map(({ sequence_number }) => sequence_number)).toEqual(run.events.map((_, at) => at))
  })

  test('a call that the user approved takes the result although the model asks for the same tool again', () => {
    const run = createRun(options)
    run.push(callTo('github.search', '{"q":"y"}<|call|>'))
    expect(brief(run.answer('github.search', 'found'))).toEqual(DONE(0))
    expect(run.answer('github.search', 'again')).toEqual([])
    expect(codes(run.diagnostics)).toEqual(['second_result'])
  })

  test('several calls that the user approved come in the order given, and each takes the result of its own tool', () => {
    const approvedCalls = [
      { ...approved, approvalRequestId: 'mcpr_a', name: 'a', arguments: '1' },
      { ...approved, approvalRequestId: 'mcpr_b', name: 'b', arguments: '2' },
      { ...approved, approvalRequestId: 'mcpr_c', name: 'a', arguments: '3' },
    ]
    const run = createRun({ request: always, approvedCalls })
    expect(brief(run.start()).slice(2)).toEqual([...CALL(0, '1'), ...CALL(1, '2'), ...CALL(2, '3')])
    expect(brief(run.answer('github.b', 'of b'))).toEqual(DONE(1))
    expect(brief(run.answer('github.a', 'of a'))).toEqual(DONE(0))
    expect(brief(run.toolResult({ itemId: 'mcp_2', output: 'of c' }))).toEqual(DONE(2))
    expect(terminal(run.end()).output).toMatchObject([
      { approval_request_id: 'mcpr_a', output: 'of a' },
      { approval_request_id: 'mcpr_b', output: 'of b' },
      { approval_request_id: 'mcpr_c', output: 'of c' },
    ])
  })

  test('a call that the user approved of a tool that the request does not allow any more is called all the same', () => {
    const run = createRun({ request: { tools: [guarded('github', 'always', ['list'])] }, approvedCalls: [approved] })
    expect(brief(run.start()).slice(2)).toEqual(CALL(0))
    expect(brief(run.answer('github.search', 'found'))).toEqual(DONE(0))
    expect(run.diagnostics).toEqual([])
  })

  test('a call that the user approved of a server that the request does not declare is called, and completed by its id', () => {
    const run = createRun({ approvedCalls: [approved] })
    expect(brief(run.start()).slice(2)).toEqual(CALL(0))
    expect(brief(run.toolResult({ itemId: 'mcp_0', output: 'found' }))).toEqual(DONE(0))
  })

  test('a call that the user approved of a server that the request does not declare is completed by the message of its tool', () => {
    const run = createRun({ approvedCalls: [approved] })
    run.start()
    expect(brief(run.answer('github.search', 'found'))).toEqual(DONE(0))
  })

  describe('takes no result of another whose name reads the same', () => {
    const at = (serverLabel: string, name: string): ApprovedCall => ({ ...approved, serverLabel, name })
    const [short, long] = [at('a', 'b.c'), at('a.b', 'c')]
    const outputs = (run: Run): unknown[] =>
      run.translator.response.output.map((item) => (item.type === 'mcp_call' ? item.output : item.type))

    test('an approved call takes no result of a call of a declared server whose name reads the same', () => {
      const run = createRun({ request: { tools: [guarded('a.b', 'never')] }, approvedCalls: [short] })
      run.push(callTo('a.b.c', '{}<|call|>'))
      run.answer('a.b.c', 'of a.b')
      expect(outputs(run)).toEqual([null, 'of a.b'])
      run.answer('a.b.c', 'again')
      expect(outputs(run)).toEqual([null, 'of a.b'])
      expect(codes(run.diagnostics)).toEqual(['undeclared_server', 'second_result'])
    })

    test.each([
      ['in this order', [short, long]],
      ['in the other order', [long, short]],
    ])(
      'of two approved calls whose names read the same, the one with the longer label takes the result, %s',
      (_, approvedCalls) => {
        const run = createRun({ approvedCalls })
        run.start()
        run.answer('a.b.c', 'of a.b')
        run.answer('a.b.c', 'again')
        const [at, other] = approvedCalls[0] === long ? [0, 1] : [1, 0]
        expect(outputs(run)[at]).toBe('of a.b')
        expect(outputs(run)[other]).toBeNull()
        const { id } = run.translator.response.output[other] ?? expect.unreachable()
        run.toolResult({ itemId: id, output: 'of a' })
        expect(outputs(run)[other]).toBe('of a')
        expect(codes(run.diagnostics)).toEqual(['undeclared_server', 'undeclared_server', 'second_result'])
      },
    )

    test('an approved call takes a result whose name can be read in two ways if it alone was approved', () => {
      for (const call of [short, long]) {
        const run = createRun({ approvedCalls: [call] })
        run.start()
        run.answer('a.b.c', 'found')
        expect(outputs(run)).toEqual(['found'])
      }
    })

    test('a result goes to a call of a declared server before an approved call whose name reads the same', () => {
      const run = createRun({ request: { tools: [guarded('a', 'never')] }, approvedCalls: [long] })
      run.push(callTo('a.b.c', '{}<|call|>'))
      run.answer('mcp.a.b.c', 'first')
      expect(outputs(run)).toEqual([null, 'first'])
      run.answer('a.b.c', 'second')
      expect(outputs(run)).toEqual(['second', 'first'])
    })
  })

  test('an approved call of a server with an alias is completed by the name that the model knows', () => {
    const request = { tools: [guarded('web_search_preview', 'always')] }
    const run = createRun({ request, approvedCalls: [{ ...approved, serverLabel: 'web_search_preview' }] })
    run.start()
    expect(brief(run.answer('browser.search', 'found'))).toEqual(DONE(0))
  })

  test('a call that the user approved takes no answer that the model made up', () => {
    const run = createRun(options)
    run.push(inTurn(messageOn('analysis', 'Hm.<|end|>')))
    run.push('<|start|>github.search to=assistant<|channel|>commentary<|message|>made up<|end|>')
    expect(run.translator.response.output).toMatchObject([{ status: 'in_progress', output: null }, {}])
    expect(codes(run.diagnostics)).toEqual(['sampled_result'])
  })

  test('a call that the user approved is the same under calls: whole', () => {
    const whole = createRun({ ...options, calls: 'whole' })
    expect(whole.start()).toStrictEqual(createRun(options).start())
  })

  test('a call that the user approved counts no tokens', () => {
    const run = createRun(options)
    expect(terminal(run.end()).usage).toEqual(terminal(createRun({ request: always }).end()).usage)
  })

  test('a call that the user approved is taken from no token', () => {
    const run = createRun(options)
    run.push(messageOn('final', 'Hi<|return|>'))
    const traced = run.traces.filter((trace) => trace.type === 'event').slice(0, 6)
    expect(traced.map((trace) => trace.type === 'event' && [trace.from, trace.to])).toEqual(Array(6).fill([-1, -1]))
  })

  test('a call that the user approved comes once, with start() or the first push, and over snapshots', () => {
    const given: TranslatorOptions = { ...FIXED, ...options }
    const first = new Translator(given)
    expect(brief(first.start()).slice(2)).toEqual(CALL(0))
    expect(first.start()).toEqual([])
    const run = runOf(Translator.restore(JSON.parse(JSON.stringify(first.snapshot())), given))
    expect(brief(run.push(messageOn('final', 'Hi')))[0]).toBe('output_item.added 1')
    expect(brief(run.answer('github.search', 'found')).slice(-2)).toEqual(DONE(0))
  })

  test('a call that the user approved is copied: later changes by the caller have no effect', () => {
    const mine = { ...approved }
    const translator = new Translator({ ...FIXED, request: always, approvedCalls: [mine] })
    translator.start()
    Object.assign(mine, { approvalRequestId: 'evil', name: 'evil', arguments: 'evil', serverLabel: 'evil' })
    expect(translator.response.output).toStrictEqual([{ ...ADDED, arguments: '{"q":"x"}' }])
  })

  describe('an invalid approval is refused by its path', () => {
    const { arguments: _, ...withoutArguments } = approved
    test.each<[unknown, string]>([
      [approved, 'approvedCalls: expected an array, got an object'],
      [null, 'approvedCalls: expected an array, got null'],
      [[approved, null], 'approvedCalls[1].approvalRequestId: expected a string, got undefined'],
      [[approved, withoutArguments], 'approvedCalls[1].arguments: expected a string, got undefined'],
      [[{ ...approved, arguments: {} }], 'approvedCalls[0].arguments: expected a string, got an object'],
      [[{ ...approved, serverLabel: undefined }], 'approvedCalls[0].serverLabel: expected a string, got undefined'],
      [[{ ...approved, name: 7 }], 'approvedCalls[0].name: expected a string, got 7'],
    ])('an invalid approval is refused by its path: %j', (approvedCalls, message) => {
      expect(() => new Translator({ ...FIXED, approvedCalls } as TranslatorOptions)).toThrow(
        expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_option', message }),
      )
    })
  })
})
