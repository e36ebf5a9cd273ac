import { describe, expect, test } from 'vitest'
import type { UnknownTool } from '../../../src/core/responses/request.js'
import type { McpListing, PolicyName, ResponseRequest } from '../../../src/index.js'
import { builtin, fn, mcp } from '../recipients/tools.js'
import { brief, briefOutput, callTo, codes, createRun, inTurn, messageOn, type Run, terminal } from './run.js'

const POLICIES: PolicyName[] = ['openai', 'agents', 'vllm', 'functions-only']
const DONE = (index: number): string[] => [`mcp_call.completed ${index}`, `output_item.done ${index} completed`]

/** A translator at which these calls wait, each with its number as arguments. */
function called(tools: UnknownTool[], recipients: string[], policy: PolicyName = 'openai'): Run {
  const run = createRun({ request: { tools }, policy })
  run.start()
  run.push(inTurn(...recipients.map((recipient, at) => callTo(recipient, `${at}<|call|>`))))
  return run
}

/** The items of these calls, each in a line. */
function made(tools: UnknownTool[], recipients: string[], policy?: PolicyName): string[] {
  return briefOutput(terminal(called(tools, recipients, policy).end()))
}

/** The outputs of a response's MCP calls, by their place. */
function outputs(run: Run): unknown[] {
  return terminal(run.end()).output.map((item) => ('output' in item ? item.output : item.type))
}

describe('several servers in one response', () => {
  test('several servers in one response each have their listing, their calls and their approvals', () => {
    const request: ResponseRequest = {
      tools: [
        mcp('git-hub', ['search', 'list']),
        { ...mcp('acme.docs'), require_approval: { never: { read_only: true } } },
        { ...mcp('files'), require_approval: 'always' },
      ],
    }
    const mcpListings: McpListing[] = [
      { serverLabel: 'git-hub', tools: [{ name: 'search' }, { name: 'list' }, { name: 'delete' }] },
      {
        serverLabel: 'acme.docs',
        tools: [
          { name: 'page.read', annotations: { readOnlyHint: true } },
          { name: 'page.write', annotations: { readOnlyHint: false } },
        ],
      },
      { serverLabel: 'files', error: 'no answer' },
    ]
    const approvedCalls = [
      { approvalRequestId: 'mcpr_before', serverLabel: 'files', name: 'read', arguments: '{"path":"a"}' },
    ]
    const knownListings = [{ serverLabel: 'files', tools: [{ name: 'read' }] }]
    const run = createRun({ request, mcpListings, knownListings, approvedCalls })
    run.start()
    const listing = (index: number, end = 'completed'): string[] => [
      `output_item.added ${index}`,
      `mcp_list_tools.in_progress ${index}`,
      `mcp_list_tools.${end} ${index}`,
      `output_item.done ${index} -`,
    ]
    const call = (index: number, text: string): string[] => [
      `output_item.added ${index}`,
      `mcp_call.in_progress ${index}`,
      `mcp_call_arguments.delta ${index} ${JSON.stringify(text)}`,
      `mcp_call_arguments.done ${index}`,
    ]
    expect(brief(run.events).slice(2)).toEqual([
      ...listing(0),
      ...listing(1),
      ...listing(2, 'failed'),
      ...call(3, '{"path":"a"}'),
    ])
    const recipients = [
      'git-hub.search',
      'acme.docs.page.read',
      'mcp.acme.docs.page.write',
      'files.read',
      'git-hub.delete',
    ]
    const events = run.push(inTurn(...recipients.map((recipient, at) => callTo(recipient, `${at}<|call|>`))))
    expect(brief(events)).toEqual([
      ...call(4, '0'),
      ...call(5, '1'),
      'output_item.added 6',
      'output_item.done 6 -',
      'output_item.added 7',
      'output_item.done 7 -',
      ...call(8, '4'),
      'mcp_call.failed 8',
      'output_item.done 8 failed',
    ])
    expect(brief(run.answer('files.read', 'of the file'))).toEqual(DONE(3))
    expect(brief(run.answer('acme.docs.page.read', 'of the page'))).toEqual(DONE(5))
    expect(brief(run.answer('git-hub.search', 'of the search'))).toEqual(DONE(4))
    expect(briefOutput(terminal(run.end()))).toEqual([
      'mcp_list_tools git-hub search,list,delete',
      'mcp_list_tools acme.docs page.read,page.write',
      'mcp_list_tools files no answer',
      'mcp_call files.read completed "{\\"path\\":\\"a\\"}"',
      'mcp_call git-hub.search completed "0"',
      'mcp_call acme.docs.page.read completed "1"',
      'mcp_approval_request acme.docs.page.write "2"',
      'mcp_approval_request files.read "3"',
      'mcp_call git-hub.delete failed "4"',
    ])
    expect(codes(run.diagnostics)).toEqual(['unavailable_tool'])
  })

  describe('with a tool of the same name', () => {
    const tools = [mcp('github'), mcp('gitlab')]

    test.each<[string, string[], number[]]>([
      ['their own order', ['github.search', 'gitlab.search'], [0, 1]],
      ['the other order', ['gitlab.search', 'github.search'], [1, 0]],
      ['the other order, under the prefix', ['mcp.gitlab.search', 'mcp.github.search'], [1, 0]],
    ])('two servers with a tool of the same name take the results of their own calls, in %s', (_, authors, indexes) => {
      const run = called(tools, ['github.search', 'gitlab.search'])
      expect(authors.flatMap((author) => brief(run.answer(author, `of ${author}`)))).toEqual(indexes.flatMap(DONE))
      const expected = [0, 1].map((index) => `of ${authors[indexes.indexOf(index)]}`)
      expect(outputs(run)).toEqual(expected)
      expect(run.diagnostics).toEqual([])
    })

    test('two servers with a tool of the same name each take their own of several results, mixed', () => {
      const run = called(tools, ['github.search', 'gitlab.search', 'github.search', 'gitlab.search'])
      for (const [at, author] of ['gitlab', 'github', 'gitlab', 'github'].entries()) {
        run.answer(`${author}.search`, `${author} ${at}`)
      }
      expect(outputs(run)).toEqual(['github 1', 'gitlab 0', 'github 3', 'gitlab 2'])
      expect(run.diagnostics).toEqual([])
    })

    test('a result of a tool of the same name at another server answers no call, and is reported', () => {
      const run = called(tools, ['github.search'])
      expect(run.answer('gitlab.search', 'found')).toEqual([])
      expect(run.diagnostics).toMatchObject([{ code: 'result_without_call', subject: 'gitlab.search' }])
      expect(outputs(run)).toEqual([null])
    })

    test('a result that comes twice is told from one of a tool of the same name at another server', () => {
      const run = called(tools, ['github.search', 'gitlab.search'])
      run.answer('github.search', 'first')
      run.answer('github.search', 'second')
      run.answer('gitlab.search', 'third')
      expect(run.diagnostics).toMatchObject([{ code: 'second_result', subject: 'mcp_0' }])
      expect(outputs(run)).toEqual(['first', 'third'])
    })

    test('two servers with a tool of the same name take results by their item ids, in the other order', () => {
      const run = called(tools, ['github.search', 'gitlab.search'])
      run.toolResult({ itemId: 'mcp_1', output: 'of gitlab' })
      run.toolResult({ itemId: 'mcp_0', output: 'of github' })
      expect(outputs(run)).toEqual(['of github', 'of gitlab'])
    })
  })
})

describe('labels and names with dots and hyphens', () => {
  const nested = [mcp('acme'), mcp('acme.docs'), mcp('acme.docs-v2'), mcp('acme.docs.old')]

  test('the longest label that is declared wins, however the request orders them', () => {
    const recipients = [
      'acme.docs.search',
      'acme.docs-v2.search',
      'acme.docs.old.search',
      'acme.search',
      'acme.doc.search',
    ]
    const expected = [
      'mcp_call acme.docs.search incomplete "0"',
      'mcp_call acme.docs-v2.search incomplete "1"',
      'mcp_call acme.docs.old.search incomplete "2"',
      'mcp_call acme.search incomplete "3"',
      'mcp_call acme.doc.search incomplete "4"',
    ]
    const labels = ['acme.docs', 'acme.docs-v2', 'acme.docs.old', 'acme', 'acme']
    for (const tools of [nested, nested.toReversed()]) {
      const { output } = terminal(called(tools, recipients).end())
      expect(briefOutput({ output } as never)).toEqual(expected)
      expect(output.map((item) => 'server_label' in item && item.server_label)).toEqual(labels)
    }
  })

  test('what follows the label is the name of the tool, with its dots and hyphens', () => {
    const { output } = terminal(
      called(nested, [
        'acme.docs.old',
        'acme.docs.old.a.b-c',
        'acme.docs.a.b',
        'mcp.acme.docs-v2.x.y',
        'acme.docs',
      ]).end(),
    )
    expect(output).toMatchObject([
      { server_label: 'acme.docs.old', name: 'acme.docs.old' },
      { server_label: 'acme.docs.old', name: 'a.b-c' },
      { server_label: 'acme.docs', name: 'a.b' },
      { server_label: 'acme.docs-v2', name: 'x.y' },
      { server_label: 'acme.docs', name: 'acme.docs' },
    ])
  })

  test('two splits of one text are two callees: each takes the result of its own', () => {
    const run = called([mcp('a'), mcp('a.b')], ['a.x', 'a.b.x', 'mcp.a.x'])
    expect(brief(run.answer('a.b.x', 'of a.b'))).toEqual(DONE(1))
    expect(brief(run.answer('mcp.a.x', 'of a'))).toEqual(DONE(0))
    expect(brief(run.answer('a.x', 'of a again'))).toEqual(DONE(2))
  })

  test('allowed_tools and results know a tool by its whole name', () => {
    const run = called([mcp('github', ['issues.list'])], ['github.issues.list', 'github.issues', 'github.list'])
    expect(brief(run.answer('github.issues.list', 'all'))).toEqual(DONE(0))
    expect(terminal(run.end()).output).toMatchObject([
      { status: 'completed', name: 'issues.list' },
      { status: 'failed', name: 'issues' },
      { status: 'failed', name: 'list' },
    ])
  })

  test.each(['git-hub', 'git_hub', 'GitHub', 'g1t', '-', 'a..b'])('a label may be %j', (label) => {
    const run = called([mcp(label)], [`${label}.search`, `mcp.${label}.search`])
    expect(brief(run.answer(`mcp.${label}.search`, 'found'))).toEqual(DONE(0))
    expect(brief(run.answer(`${label}.search`, 'found'))).toEqual(DONE(1))
    expect(terminal(run.end()).output).toMatchObject(
      Array(2).fill({ server_label: label, name: 'search', output: 'found' }),
    )
    expect(run.diagnostics).toEqual([])
  })
})

describe('mcp.LABEL.tool', () => {
  test('mcp.LABEL.tool is the same call as LABEL.tool, event for event', () => {
    const streams = ['github.search', 'mcp.github.search'].map((recipient) => {
      const run = called([mcp('github')], [recipient])
      run.answer('github.search', 'found')
      run.end()
      return run.events
    })
    expect(streams[1]).toStrictEqual(streams[0])
  })

  test('mcp.LABEL.tool is a call of a server that is labelled mcp.LABEL, if there is one', () => {
    const run = called([mcp('github'), mcp('mcp.github')], ['mcp.github.search', 'github.search'])
    expect(brief(run.answer('github.search', 'found'))).toEqual(DONE(1))
    expect(terminal(run.end()).output).toMatchObject([{ server_label: 'mcp.github' }, { server_label: 'github' }])
  })

  test('mcp.LABEL.tool reaches a server that is labelled as a built-in', () => {
    const tools = [mcp('browser'), mcp('container'), mcp('python')]
    const builtins = [builtin('web_search'), builtin('shell'), builtin('code_interpreter')]
    expect(made([...tools, ...builtins], ['mcp.browser.search', 'mcp.container.exec', 'mcp.python'])).toEqual([
      'mcp_call browser.search incomplete "0"',
      'mcp_call container.exec incomplete "1"',
      'mcp_call python.python incomplete "2"',
    ])
  })

  test.each<[PolicyName, string]>([
    ['openai', `function_call mcp.github.search completed ${JSON.stringify('{"input":"0"}')}`],
    ['agents', 'mcp_call github.search failed "0"'],
    ['vllm', 'mcp_call github.search incomplete "0"'],
    ['functions-only', `function_call mcp.github.search completed ${JSON.stringify('{"input":"0"}')}`],
  ])('mcp.LABEL.tool of a server that is not declared becomes what the policy says: %s', (policy, expected) => {
    expect(made([], ['mcp.github.search'], policy)).toEqual([expected])
  })
})

describe("a label that is a built-in's name", () => {
  const CI = 'code_interpreter_call incomplete'
  const SEARCH = 'web_search_call incomplete {"type":"search","query":""}'

  describe.each(['openai', 'agents'] as const)('%s', (policy) => {
    test.each<[string, UnknownTool[], string[], string[]]>([
      [
        'python, without the built-in',
        [mcp('python')],
        ['python', 'python.run', 'mcp.python.run'],
        [
          'mcp_call python.python incomplete "0"',
          'mcp_call python.run incomplete "1"',
          'mcp_call python.run incomplete "2"',
        ],
      ],
      [
        'python, with the built-in',
        [mcp('python'), builtin('code_interpreter')],
        ['python', 'python.run', 'mcp.python'],
        [`${CI} "0"`, 'mcp_call python.run incomplete "1"', 'mcp_call python.python incomplete "2"'],
      ],
      [
        'browser, without the built-in',
        [mcp('browser')],
        ['browser.search', 'browser.open', 'browser.back', 'browser'],
        [
          'mcp_call browser.search incomplete "0"',
          'mcp_call browser.open incomplete "1"',
          'mcp_call browser.back incomplete "2"',
          'mcp_call browser.browser incomplete "3"',
        ],
      ],
      [
        'browser, with the built-in',
        [mcp('browser'), builtin('web_search')],
        ['browser.search', 'browser.back', 'mcp.browser.search', 'browser'],
        [
          SEARCH,
          'mcp_call browser.back incomplete "1"',
          'mcp_call browser.search incomplete "2"',
          'mcp_call browser.browser incomplete "3"',
        ],
      ],
      [
        'container, without the built-in',
        [mcp('container')],
        ['container.exec', 'container.open_image'],
        ['mcp_call container.exec incomplete "0"', 'mcp_call container.open_image incomplete "1"'],
      ],
      [
        'container, with the built-in',
        [mcp('container'), builtin('shell')],
        ['container.exec', 'container.open_image', 'mcp.container.exec'],
        [
          'shell_call completed []',
          'mcp_call container.open_image incomplete "1"',
          'mcp_call container.exec incomplete "2"',
        ],
      ],
      [
        'web_search_preview, which browser is an alias of',
        [mcp('web_search_preview')],
        ['browser.search', 'web_search_preview.search', 'mcp.browser.open'],
        [
          'mcp_call web_search_preview.search incomplete "0"',
          'mcp_call web_search_preview.search incomplete "1"',
          'mcp_call web_search_preview.open incomplete "2"',
        ],
      ],
      [
        'code_interpreter, with the built-in of that name',
        [mcp('code_interpreter'), builtin('code_interpreter')],
        ['python', 'code_interpreter.run', 'mcp.python'],
        [
          `${CI} "0"`,
          'mcp_call code_interpreter.run incomplete "1"',
          'mcp_call code_interpreter.python incomplete "2"',
        ],
      ],
      [
        'python and code_interpreter',
        [mcp('code_interpreter'), mcp('python')],
        ['python', 'code_interpreter.python'],
        ['mcp_call python.python incomplete "0"', 'mcp_call code_interpreter.python incomplete "1"'],
      ],
    ])('each call goes to the server of that label or to the built-in: %s', (_, tools, recipients, expected) => {
      expect(made(tools, recipients, policy)).toEqual(expected)
    })
  })

  test('a server labelled as a built-in takes its own results and leaves those of the built-in to it', () => {
    const run = called([mcp('python'), builtin('code_interpreter')], ['mcp.python', 'python', 'python.run'])
    expect(brief(run.answer('python', '1'))).toEqual([
      'code_interpreter_call.completed 1',
      'output_item.done 1 completed',
    ])
    expect(brief(run.answer('python.run', '2'))).toEqual(DONE(2))
    expect(brief(run.answer('mcp.python', '3'))).toEqual(DONE(0))
    expect(run.diagnostics).toEqual([])
  })

  test('a server labelled as a built-in takes the results of the built-in if that is not declared', () => {
    const run = called([mcp('browser')], ['browser.open', 'browser.search'])
    expect(brief(run.answer('browser.search', 'found'))).toEqual(DONE(1))
    expect(brief(run.answer('browser.open', 'opened'))).toEqual(DONE(0))
    expect(run.diagnostics).toEqual([])
  })

  test('vllm: a declared built-in is a call of the server under its own name or alias', () => {
    const tools = [mcp('browser'), builtin('web_search'), builtin('code_interpreter'), builtin('shell')]
    expect(made(tools, ['browser.search', 'python', 'container.exec'], 'vllm')).toEqual([
      'mcp_call browser.search incomplete "0"',
      'mcp_call code_interpreter.python incomplete "1"',
      'mcp_call container.exec incomplete "2"',
    ])
  })
})

describe('a user function named python', () => {
  const FUNCTION = (at: number): string => `function_call python completed "${at}"`
  test.each<[PolicyName, UnknownTool[], string[]]>([
    ['openai', [fn('python')], [FUNCTION(0), FUNCTION(1)]],
    ['agents', [fn('python')], [FUNCTION(0), FUNCTION(1)]],
    ['functions-only', [fn('python')], [FUNCTION(0), FUNCTION(1)]],
    ['vllm', [fn('python')], ['mcp_call code_interpreter.python incomplete "0"', FUNCTION(1)]],
    ['openai', [fn('python'), builtin('code_interpreter')], ['code_interpreter_call incomplete "0"', FUNCTION(1)]],
    ['agents', [builtin('code_interpreter'), fn('python')], ['code_interpreter_call incomplete "0"', FUNCTION(1)]],
    ['functions-only', [fn('python'), builtin('code_interpreter')], [FUNCTION(0), FUNCTION(1)]],
    [
      'vllm',
      [fn('python'), builtin('code_interpreter')],
      ['mcp_call code_interpreter.python incomplete "0"', FUNCTION(1)],
    ],
    ['openai', [mcp('python'), fn('python')], [FUNCTION(0), FUNCTION(1)]],
  ])('a user function named python is told from the code interpreter under %s: %j', (policy, tools, expected) => {
    const run = called(tools, ['python', 'functions.python'], policy)
    expect(run.diagnostics).toEqual([])
    expect(briefOutput(terminal(run.end()))).toEqual(expected)
  })

  test('a user function named python is not answered by the code interpreter, nor the code interpreter by it', () => {
    const run = called([fn('python'), builtin('code_interpreter')], ['functions.python', 'python'])
    expect(run.answer('functions.python', '1')).toEqual([])
    expect(brief(run.answer('python', '2'))).toEqual([
      'code_interpreter_call.completed 1',
      'output_item.done 1 completed',
    ])
    expect(run.diagnostics).toEqual([])
  })

  test('the result of a user function named python is no news if no code interpreter is declared', () => {
    const run = called([fn('python')], ['python'])
    expect(run.answer('python', '1')).toEqual([])
    expect(run.diagnostics).toEqual([])
  })
})

describe('built-ins that the request does not declare', () => {
  const CALLS = ['python', 'browser.search', 'browser.open', 'browser.find', 'container.exec']
  const wrapped = (name: string, text: string): string =>
    JSON.stringify({ [name === 'python' ? 'code' : 'input']: text })
  const functionEvents = (name: string): string[] => [
    'output_item.added 0',
    `function_call_arguments.delta 0 ${JSON.stringify(wrapped(name, '0'))}`,
    'function_call_arguments.done 0',
  ]
  const MCP = [
    'output_item.added 0',
    'mcp_call.in_progress 0',
    'mcp_call_arguments.delta 0 "0"',
    'mcp_call_arguments.done 0',
  ]

  describe.each(['openai', 'functions-only'] as const)('%s: are functions for the client to answer', (policy) => {
    test.each(CALLS)('a call of %s that is not declared is a function call for the client to answer', (recipient) => {
      const run = called([], [recipient], policy)
      expect(brief(run.events).slice(2)).toEqual([...functionEvents(recipient), 'output_item.done 0 completed'])
      expect(run.translator.response.output).toMatchObject([
        { type: 'function_call', name: recipient, arguments: wrapped(recipient, '0') },
      ])
      expect(run.answer(recipient, 'out')).toEqual([])
      expect(brief(run.end())).toEqual(['completed'])
      expect(run.diagnostics).toStrictEqual([{ code: 'undeclared_recipient', subject: recipient, index: 0 }])
    })
  })

  describe('agents: are MCP calls that fail', () => {
    test.each<[string, string, string]>([
      ['python', 'python', 'python'],
      ['browser.search', 'browser', 'search'],
      ['browser.open', 'browser', 'open'],
      ['browser.find', 'browser', 'find'],
      ['container.exec', 'container', 'exec'],
    ])('under agents, an undeclared built-in is an MCP call that fails: %s', (recipient, server_label, name) => {
      const run = called([], [recipient], 'agents')
      expect(brief(run.events).slice(2)).toEqual([...MCP, 'mcp_call.failed 0', 'output_item.done 0 failed'])
      expect(run.translator.response.output).toMatchObject([
        { type: 'mcp_call', server_label, name, error: { type: 'mcp_protocol_error', code: -32602 }, output: null },
      ])
      expect(run.diagnostics).toStrictEqual([
        { code: 'unavailable_tool', subject: `${server_label}.${name}`, index: 0 },
      ])
      expect(run.answer(recipient, 'out')).toEqual([])
      expect(codes(run.diagnostics)).toEqual(['unavailable_tool', 'second_result'])
      expect(brief(run.end())).toEqual(['completed'])
    })
  })

  describe('vllm: are MCP calls of the server that vLLM names so, and take results', () => {
    test.each<[string, string, string]>([
      ['python', 'code_interpreter', 'python'],
      ['browser.search', 'web_search_preview', 'search'],
      ['browser.open', 'web_search_preview', 'open'],
      ['browser.find', 'web_search_preview', 'find'],
      ['container.exec', 'container', 'exec'],
    ])(
      'under vllm, an undeclared built-in is an MCP call of the server that vLLM names so, and takes results: %s',
      (recipient, server_label, name) => {
        const run = called([], [recipient], 'vllm')
        expect(brief(run.events).slice(2)).toEqual(MCP)
        expect(brief(run.answer(recipient, 'out'))).toEqual(DONE(0))
        expect(terminal(run.end()).output).toMatchObject([
          { type: 'mcp_call', server_label, name, status: 'completed', output: 'out' },
        ])
        expect(run.diagnostics).toEqual([])
      },
    )
  })

  test.each(POLICIES)('under %s, an undeclared built-in that is cut off is closed as its kind is', (policy) => {
    const isFunction = policy === 'openai' || policy === 'functions-only'
    const run = createRun({ policy })
    run.push(callTo('python', 'print('))
    const events = brief(run.end())
    expect(events).toEqual(
      isFunction ? ['incomplete'] : ['mcp_call_arguments.done 0', 'output_item.done 0 incomplete', 'incomplete'],
    )
    expect(codes(run.diagnostics)).toEqual(isFunction ? ['undeclared_recipient', 'call_cut_off'] : [])
  })

  test.each(POLICIES)('under %s, a built-in that is declared leaves the others undeclared', (policy) => {
    const [, search, exec] = made([builtin('code_interpreter')], ['python', 'browser.search', 'container.exec'], policy)
    expect([search, exec]).toEqual(
      {
        openai: [
          `function_call browser.search completed ${JSON.stringify(wrapped('browser.search', '1'))}`,
          `function_call container.exec completed ${JSON.stringify(wrapped('container.exec', '2'))}`,
        ],
        agents: ['mcp_call browser.search failed "1"', 'mcp_call container.exec failed "2"'],
        vllm: ['mcp_call web_search_preview.search incomplete "1"', 'mcp_call container.exec incomplete "2"'],
        'functions-only': [
          `function_call browser.search completed ${JSON.stringify(wrapped('browser.search', '1'))}`,
          `function_call container.exec completed ${JSON.stringify(wrapped('container.exec', '2'))}`,
        ],
      }[policy],
    )
  })

  test('under agents, an undeclared built-in ends no response: the model continues after the failed call', () => {
    const run = called([], ['python'], 'agents')
    run.push(`<|start|>assistant${messageOn('final', 'Sorry.<|return|>')}`)
    expect(briefOutput(terminal(run.end()))).toEqual([
      'mcp_call python.python failed "0"',
      'message completed "Sorry."',
    ])
  })
})
