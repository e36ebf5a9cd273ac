import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyRecipient } from '../../../src/core/recipients/classify.js'
import { declareTools, toolNamed } from '../../../src/core/recipients/declared-tools.js'
import type { ReadOnlyHints } from '../../../src/core/recipients/mcp-server.js'
import type { McpTool, UnknownTool } from '../../../src/core/responses/request.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { RUNS } from '../../support/runs.js'
import { tools, word } from './arbitraries.js'
import { builtin, custom, fn, mcp, ns } from './tools.js'

describe('declareTools', () => {
  test.each([undefined, null, []])('declareTools declares nothing for %s', (none) => {
    const { functions, customTools, mcpServers, builtins } = declareTools(none)
    expect([functions, customTools, mcpServers, builtins].map((declared) => declared.size)).toEqual([0, 0, 0, 0])
  })

  test.each([
    'web_search',
    'web_search_2025_08_26',
    'web_search_preview',
    'web_search_preview_2025_03_11',
    'web_search_2031_01_01',
    'web_search_preview_2031_01_01',
  ])('declareTools knows %s as web search', (type) => {
    expect(declareTools([builtin(type)]).builtins).toEqual(new Set(['web_search']))
  })

  test.each(['code_interpreter', 'file_search', 'shell', 'local_shell', 'apply_patch'] as const)(
    'declareTools knows %s',
    (type) => {
      expect(declareTools([builtin(type)]).builtins).toEqual(new Set([type]))
    },
  )

  test.each(['image_generation', 'web_searcher', 'web_search_soon', 'constructor'])(
    'declareTools ignores %s',
    (type) => {
      const methods = { matchBuiltin: expect.any(Function), recipientsIn: expect.any(Function) }
      expect(declareTools([builtin(type)])).toEqual({ ...declareTools([]), ...methods })
    },
  )

  const ok = builtin('shell')
  const malformed: [unknown, string][] = [
    ['shell', 'tools: expected an array, got "shell"'],
    [[null], 'tools[0].type: expected a string, got undefined'],
    [[ok, 'shell'], 'tools[1].type: expected a string, got undefined'],
    [[[]], 'tools[0].type: expected a string, got undefined'],
    [[{}], 'tools[0].type: expected a string, got undefined'],
    [[{ type: 'function', function: { name: 'f' } }], 'tools[0].name: expected a string, got undefined'],
    [[ok, { type: 'custom', name: '' }], 'tools[1].name: expected a string, got ""'],
    [[ok, ok, { type: 'mcp' }], 'tools[2].server_label: expected a string, got undefined'],
    [
      [{ type: 'mcp', server_label: 'a', allowed_tools: 'search' }],
      'tools[0].allowed_tools: expected tool names or { tool_names }, got "search"',
    ],
    [
      [{ type: 'mcp', server_label: 'a', allowed_tools: ['search', 1] }],
      'tools[0].allowed_tools: expected tool names or { tool_names }, got an array',
    ],
    [
      [{ type: 'mcp', server_label: 'a', allowed_tools: { tool_names: 'search' } }],
      'tools[0].allowed_tools: expected tool names or { tool_names }, got an object',
    ],
    [
      [{ type: 'mcp', server_label: 'a', require_approval: 'sometimes' }],
      "tools[0].require_approval: expected 'always', 'never' or { always, never }, got \"sometimes\"",
    ],
    [
      [ok, { type: 'mcp', server_label: 'a', require_approval: true }],
      "tools[1].require_approval: expected 'always', 'never' or { always, never }, got true",
    ],
    [
      [{ type: 'mcp', server_label: 'a', require_approval: ['always'] }],
      "tools[0].require_approval: expected 'always', 'never' or { always, never }, got an array",
    ],
    [
      [{ type: 'mcp', server_label: 'a', require_approval: { always: 'write' } }],
      'tools[0].require_approval.always: expected tool names or { tool_names }, got "write"',
    ],
    [
      [mcp('a'), { type: 'mcp', server_label: 'a', require_approval: { never: { tool_names: 'read' } } }],
      'tools[1].require_approval.never: expected tool names or { tool_names }, got an object',
    ],
    [[ok, { type: 'namespace', tools: [] }], 'tools[1].name: expected a string, got undefined'],
    [[{ type: 'namespace', name: 'crm' }], 'tools[0].tools: expected an array, got undefined'],
    [
      [ns('a'), { type: 'namespace', name: 'b', tools: [fn('f'), 7] }],
      'tools[1].tools[1].type: expected a string, got undefined',
    ],
    [
      [{ type: 'namespace', name: 'crm', tools: [{ type: 'custom' }] }],
      'tools[0].tools[0].name: expected a string, got undefined',
    ],
    [[{ type: 'mcp', server_label: '' }], 'tools[0].server_label: expected a string, got ""'],
    [[{ type: 'mcp', server_label: 7 }], 'tools[0].server_label: expected a string, got 7'],
  ]
  test.each(malformed)('declareTools rejects %j and says where and why', (tools, message) => {
    const rejection = () => declareTools(tools as UnknownTool[])
    expect(rejection).toThrow(new HarmonyResponsesError('bad_option', message))
    expect(rejection).toThrow(expect.objectContaining({ code: 'bad_option' }))
  })
})

describe('the MCP servers of declareTools', () => {
  const answers = (tools: UnknownTool[], label: string, hints?: ReadOnlyHints): string => {
    const server = declareTools(tools, hints).mcpServers.get(label)
    return ['read', 'write']
      .map((name) => (server?.needsApproval(name) ? '?' : server?.allows(name) ? '!' : '-'))
      .join('')
  }
  const rules = (server_label: string, more: Partial<McpTool>): McpTool => ({ ...mcp(server_label), ...more })

  test('the MCP servers of declareTools are one for each label, in the order of the request', () => {
    const tools = [mcp('github'), mcp('files', []), mcp('github', ['read'])]
    expect([...declareTools(tools).mcpServers.keys()]).toEqual(['github', 'files'])
  })

  test('the MCP servers of declareTools have rules of their own', () => {
    const tools = [
      rules('github', { require_approval: 'always', allowed_tools: ['write'] }),
      rules('files', { require_approval: { never: { tool_names: ['read'] } } }),
      mcp('docs'),
    ]
    expect(['github', 'files', 'docs'].map((label) => answers(tools, label))).toEqual(['-?', '!?', '!!'])
  })

  test('the MCP servers of declareTools add the rules of several entries of one label, though others stand between them', () => {
    const tools = [
      rules('github', { require_approval: 'always', allowed_tools: ['write'] }),
      rules('files', { require_approval: 'always' }),
      rules('github', { require_approval: 'never', allowed_tools: ['read'] }),
    ]
    expect(answers(tools, 'github')).toBe('!?')
    expect(answers(tools.toReversed(), 'github')).toBe('!?')
  })

  test('the MCP servers of declareTools are given what their listings say, each by its own label', () => {
    const hints: ReadOnlyHints = (label, name) => label === 'github' && name === 'read'
    const readers = ['github', 'files'].map((label) =>
      rules(label, { require_approval: { never: { read_only: true } } }),
    )
    expect(['github', 'files'].map((label) => answers(readers, label, hints))).toEqual(['!?', '??'])
  })

  test.each(['constructor', '__proto__', 'has'])('the MCP servers of declareTools may be labelled %s', (label) => {
    expect(answers([rules(label, { require_approval: 'always' })], label)).toBe('??')
    expect(declareTools([mcp('github')]).mcpServers.has(label)).toBe(false)
  })
})

describe('the environment of the shell of declareTools', () => {
  const shell = (environment?: unknown): UnknownTool => ({ type: 'shell', environment }) as UnknownTool

  test.each<[string, UnknownTool[], 'container' | 'local' | null]>([
    ['is null where nothing is declared', [], null],
    ['is null where it is not said', [builtin('shell')], null],
    ['is null where it is undefined', [shell(undefined)], null],
    ['is null where it is null', [shell(null)], null],
    ['is local where it is said to be', [shell({ type: 'local' })], 'local'],
    ['is local with skills too', [shell({ type: 'local', skills: [] })], 'local'],
    ['is a container that the host makes', [shell({ type: 'container_auto' })], 'container'],
    ['is a container that the request names', [shell({ type: 'container_reference', container_id: 'c' })], 'container'],
    ['is not that of a local_shell', [{ ...shell({ type: 'container_auto' }), type: 'local_shell' }], null],
    ["is not a code interpreter's container", [{ ...shell({ type: 'local' }), type: 'code_interpreter' }], null],
    [
      'stays where other tools follow',
      [shell({ type: 'container_auto' }), builtin('local_shell'), fn('f')],
      'container',
    ],
  ])('the environment of the shell of declareTools %s', (_, tools, expected) => {
    expect(declareTools(tools).shell).toBe(expected)
  })

  test.each<[unknown]>([['local'], [true], [{}], [{ type: null }], [[]]])(
    'the environment of the shell of declareTools is refused if it is %j',
    (environment) => {
      expect(() => declareTools([builtin('local_shell'), shell(environment)])).toThrow(
        expect.objectContaining({ code: 'bad_option', message: expect.stringContaining('tools[1].environment') }),
      )
    },
  )
})

describe('toolNamed', () => {
  const declared = declareTools([
    fn('get_weather'),
    custom('bash'),
    mcp('git-hub'),
    builtin('code_interpreter'),
    ns('mcp__docs', 'lookup', 'page.read'),
  ])
  const rows: [string, string | undefined][] = [
    ['get_weather', 'functions.get_weather'],
    ['functions.get_weather', 'functions.get_weather'],
    ['bash', 'functions.bash'],
    ['functions.bash', 'functions.bash'],
    ['git-hub.search', 'git-hub.search'],
    ['mcp.git-hub.search', 'mcp.git-hub.search'],
    ['mcp.git-hub', 'mcp.git-hub'],
    ['mcp__docs.lookup', 'functions.mcp__docs.lookup'],
    ['functions.mcp__docs.page.read', 'functions.mcp__docs.page.read'],
    ['mcp__docs.write', undefined],
    ['functions.mcp__docs.write', undefined],
    ['mcp__docs', undefined],
    ['lookup', 'functions.mcp__docs.lookup'],
    ['git-hub', undefined],
    ['functions.', undefined],
    ['functions.rm', undefined],
    ['gitlab.search', undefined],
    ['python', 'python'],
    ['browser.search', undefined],
    ['final', undefined],
    ['', undefined],
  ]
  test.each(rows)('toolNamed takes %j for %j', (word, recipient) => {
    expect(toolNamed(word, declared)).toBe(recipient)
  })

  test('toolNamed takes no bare name that two namespaces have', () => {
    expect(toolNamed('lookup', declareTools([ns('a', 'lookup'), ns('b', 'lookup')]))).toBeUndefined()
  })

  test('toolNamed takes the patch tool by both of its names', () => {
    const patches = declareTools([builtin('apply_patch')])
    expect(['apply_patch', 'functions.apply_patch'].map((word) => toolNamed(word, patches))).toEqual([
      ...['functions.apply_patch', 'functions.apply_patch'],
    ])
  })

  test('toolNamed takes nothing in the functions namespace for a server labelled functions', () => {
    expect(toolNamed('functions.search', declareTools([mcp('functions')]))).toBeUndefined()
  })

  test('toolNamed gives a recipient that is classified as a declared tool', () => {
    fc.assert(
      fc.property(word, tools, (word, requestTools) => {
        const tools = declareTools(requestTools)
        const recipient = toolNamed(word, tools)
        if (recipient === undefined) return
        expect(classifyRecipient(recipient, undefined, tools)).not.toHaveProperty('declared', false)
      }),
      { numRuns: RUNS },
    )
  })
})
