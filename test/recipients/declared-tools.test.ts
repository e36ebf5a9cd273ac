import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HarmonyResponsesError } from '../../src/errors.js'
import { classifyRecipient } from '../../src/recipients/classify.js'
import { declareTools, toolNamed } from '../../src/recipients/declared-tools.js'
import type { RequestTool } from '../../src/responses/request.js'
import { RUNS, tools, word } from './arbitraries.js'
import { builtin, custom, fn, mcp } from './tools.js'

describe('declareTools', () => {
  test.each([undefined, null, []])('declares nothing for %s', (none) => {
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
  ])('knows %s as web search', (type) => {
    expect(declareTools([builtin(type)]).builtins).toEqual(new Set(['web_search']))
  })

  test.each(['code_interpreter', 'shell', 'local_shell'] as const)('knows %s', (type) => {
    expect(declareTools([builtin(type)]).builtins).toEqual(new Set([type]))
  })

  test.each(['apply_patch', 'file_search', 'web_searcher', 'web_search_soon', 'constructor'])('ignores %s', (type) => {
    expect(declareTools([builtin(type)])).toEqual(declareTools([]))
  })

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
      'tools[0].allowed_tools: expected names, or { tool_names }, got "search"',
    ],
    [
      [{ type: 'mcp', server_label: 'a', allowed_tools: ['search', 1] }],
      'tools[0].allowed_tools: expected names, or { tool_names }, got an array',
    ],
    [
      [{ type: 'mcp', server_label: 'a', allowed_tools: { tool_names: 'search' } }],
      'tools[0].allowed_tools: expected names, or { tool_names }, got an object',
    ],
  ]
  test.each(malformed)('rejects %j and says where and why', (tools, message) => {
    const rejection = () => declareTools(tools as RequestTool[])
    expect(rejection).toThrow(new HarmonyResponsesError('bad_option', message))
    expect(rejection).toThrow(expect.objectContaining({ code: 'bad_option' }))
  })
})

describe('toolNamed', () => {
  const declared = declareTools([fn('get_weather'), custom('bash'), mcp('git-hub'), builtin('code_interpreter')])
  const rows: [string, string | undefined][] = [
    ['get_weather', 'functions.get_weather'],
    ['functions.get_weather', 'functions.get_weather'],
    ['bash', 'functions.bash'],
    ['functions.bash', 'functions.bash'],
    ['git-hub.search', 'git-hub.search'],
    ['mcp.git-hub.search', 'mcp.git-hub.search'],
    ['mcp.git-hub', 'mcp.git-hub'],
    ['git-hub', undefined],
    ['functions.', undefined],
    ['functions.rm', undefined],
    ['gitlab.search', undefined],
    ['python', undefined],
    ['final', undefined],
    ['', undefined],
  ]
  test.each(rows)('takes %j for %j', (word, recipient) => {
    expect(toolNamed(word, declared)).toBe(recipient)
  })

  test('takes nothing in the functions namespace for a server labelled functions', () => {
    expect(toolNamed('functions.search', declareTools([mcp('functions')]))).toBeUndefined()
  })

  test('gives a recipient that is classified as a declared tool', () => {
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
