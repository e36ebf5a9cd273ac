import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyRecipient } from '../../../src/core/recipients/classify.js'
import { declareTools } from '../../../src/core/recipients/declared-tools.js'
import { policies, resolvePolicy } from '../../../src/core/recipients/policy.js'
import type { Recipient } from '../../../src/core/recipients/recipient.js'
import { resolveTools } from '../../../src/core/recipients/request-tools.js'
import { FREE_CHOICE, readToolChoice } from '../../../src/core/recipients/tool-choice.js'
import type { McpListing } from '../../../src/core/responses/mcp-listing.js'
import type { McpTool, UnknownTool } from '../../../src/core/responses/request.js'
import { RUNS } from '../../support/runs.js'
import { channel, recipient, tools } from './arbitraries.js'
import { type Preset, spell } from './spell.js'
import { builtin, custom, fn, mcp, ns } from './tools.js'

interface Given {
  readonly tools: readonly UnknownTool[]
  readonly listings?: readonly McpListing[]
  readonly choice?: unknown
  readonly policy?: Preset
}

function classify(to: string, { tools, listings = [], choice, policy = 'openai' }: Given): Recipient {
  const request = { tools, choice: readToolChoice(choice) }
  return resolveTools(request, listings, resolvePolicy(policy)).classify(to, 'commentary')
}

const DOCS = ns('mcp__docs', 'lookup', 'find_all')
const GITHUB = { serverLabel: 'github', tools: [{ name: 'search' }, { name: 'get__issue' }] }

describe('a name that only one tool can mean', () => {
  test.each([
    ['mcp__docs__lookup', 'function_call mcp__docs / lookup'],
    ['functions.mcp__docs__lookup', 'function_call mcp__docs / lookup'],
    ['functions.lookup', 'function_call mcp__docs / lookup'],
    ['lookup', 'function_call mcp__docs / lookup'],
    ['docs.lookup', 'function_call mcp__docs / lookup'],
    ['docs__lookup', 'function_call mcp__docs / lookup'],
    ['mcp.docs.lookup', 'function_call mcp__docs / lookup'],
    ['find_all', 'function_call mcp__docs / find_all'],
    ['patch', 'custom_tool_call fs / patch'],
    ['functions.fs__patch', 'custom_tool_call fs / patch'],
  ])('the name %s is read as that tool of a namespace', (to, expected) => {
    const patch = { ...ns('fs'), tools: [custom('patch')] }
    for (const policy of ['openai', 'agents', 'functions-only'] as const) {
      const found = classify(to, { tools: [DOCS, patch, fn('other')], policy })
      expect(spell(found)).toBe(expected)
      expect(found).toMatchObject({ written: to })
    }
  })

  test.each([
    ['mcp__github__search', 'mcp_call github / search'],
    ['github__search', 'mcp_call github / search'],
    ['functions.mcp__github__search', 'mcp_call github / search'],
    ['functions.github.search', 'mcp_call github / search'],
    ['search', 'mcp_call github / search'],
    ['functions.search', 'mcp_call github / search'],
    ['mcp__github__get__issue', 'mcp_call github / get__issue'],
    ['get__issue', 'mcp_call github / get__issue'],
    ['mcp__github__nope', 'mcp_call github / nope (unavailable)'],
  ])('the name %s is read as that tool of a server', (to, expected) => {
    for (const policy of ['openai', 'agents'] as const) {
      const found = classify(to, {
        tools: [mcp('github')],
        listings: [GITHUB],
        policy,
      })
      expect(spell(found)).toBe(expected)
    }
  })

  test('a tool that is found by another name needs its approval, and is excluded like any other', () => {
    const given = { tools: [{ ...mcp('github'), require_approval: 'always' } as McpTool], listings: [GITHUB] }
    expect(spell(classify('search', given))).toBe('mcp_approval_request github / search')
    expect(spell(classify('search', { ...given, choice: 'none' }))).toBe('mcp_call github / search (unavailable)')
    expect(spell(classify('lookup', { tools: [DOCS], choice: 'none' }))).toBe('mcp_call lookup / lookup (unavailable)')
  })

  test('the label of a server that has listed nothing is enough', () => {
    const given = {
      tools: [mcp('a'), mcp('a.b')],
    }
    expect(spell(classify('mcp__a__x', given))).toBe('mcp_call a / x')
    expect(spell(classify('mcp__a.b__x', given))).toBe('mcp_call a.b / x')
    expect(spell(classify('x', given))).toBe('function_call x (undeclared)')
  })

  test('a name that a tool has is never read as another', () => {
    const given = { tools: [DOCS, fn('lookup'), mcp('github')], listings: [GITHUB] }
    expect(spell(classify('lookup', given))).toBe('function_call lookup')
    expect(spell(classify('functions.lookup', given))).toBe('function_call lookup')
    expect(spell(classify('github.search', given))).toBe('mcp_call github / search')
    expect(classify('github.search', given)).not.toHaveProperty('written')
  })

  test('a name that no tool can mean stays what the policy says', () => {
    expect(spell(classify('mcp__docs__write', { tools: [DOCS] }))).toBe('function_call mcp__docs__write (undeclared)')
    expect(spell(classify('python', { tools: [DOCS] }))).toBe('function_call python (undeclared)')
    expect(spell(classify('lookup', { tools: [DOCS], policy: 'vllm' }))).toBe('mcp_call lookup / lookup')
  })

  test('functions-only knows no servers, by any name', () => {
    const given = { tools: [mcp('github')], listings: [GITHUB], policy: 'functions-only' } as const
    expect(spell(classify('search', given))).toBe('function_call search (undeclared)')
    expect(spell(classify('mcp__github__search', given))).toBe('function_call mcp__github__search (undeclared)')
  })
})

describe('a name in another spelling', () => {
  const given = { tools: [fn('get_weather'), fn('shell'), custom('note'), DOCS, builtin('code_interpreter')] }

  test.each([
    ['functions.shelljson', 'function_call shell'],
    ['shelljson', 'function_call shell'],
    ['function.get_weather', 'function_call get_weather'],
    ['Functions.get_weather', 'function_call get_weather'],
    ['functions.Get_Weather', 'function_call get_weather'],
    ['functions.get-weather', 'function_call get_weather'],
    ['Get-Weather', 'function_call get_weather'],
    ['function.Get-Weatherjson', 'function_call get_weather'],
    ['functions.notetext', 'custom_tool_call note'],
    ['functions.docs.Find-All', 'function_call mcp__docs / find_all'],
    ['mcp__docs.lookupjson', 'function_call mcp__docs / lookup'],
    ['pythoncode', 'code_interpreter_call'],
  ])('the name %s is read as the tool that it can only mean', (to, expected) => {
    for (const policy of ['openai', 'agents'] as const) {
      const found = classify(to, { ...given, policy })
      expect(spell(found)).toBe(expected)
      expect(found).toMatchObject({ written: to })
    }
  })

  test('a name that is declared exactly is no other spelling of another', () => {
    const tools = [fn('shell'), fn('shelljson'), fn('Shell'), fn('get-weather'), fn('get_weather')]
    for (const name of ['shell', 'shelljson', 'Shell', 'get-weather', 'get_weather']) {
      const found = classify(`functions.${name}`, { tools })
      expect(spell(found)).toBe(`function_call ${name}`)
      expect(found).not.toHaveProperty('written')
      expect(spell(classify(`function.${name}`, { tools }))).toBe(`function_call ${name}`)
    }
  })

  test('a spelling that two tools have is neither', () => {
    const tools = [fn('Shell'), fn('shell'), fn('get-weather'), fn('get_weather')]
    for (const name of ['SHELL', 'Get-Weather', 'SHELLjson']) {
      expect(classify(`functions.${name}`, { tools })).toMatchObject({ kind: 'mcp_call', available: false })
    }
  })

  test('a content type alone is no name', () => {
    expect(spell(classify('functions.json', given))).toBe('function_call json (undeclared)')
  })
})

describe('a name that several tools can mean', () => {
  const two = [DOCS, ns('wiki', 'lookup')]

  test('the call is unavailable, with the names of the tools that the model may have meant', () => {
    for (const to of ['lookup', 'functions.lookup']) {
      expect(classify(to, { tools: two })).toMatchObject({
        kind: 'mcp_call',
        available: false,
        candidates: ['mcp__docs.lookup', 'wiki.lookup'],
      })
    }
    expect(spell(classify('wiki__lookup', { tools: two }))).toBe('function_call wiki / lookup')
  })

  test('a namespace and a server that are spelled alike are two', () => {
    const server = mcp('docs')
    const listings = [{ serverLabel: 'docs', tools: [{ name: 'lookup' }] }]
    expect(classify('mcp__docs__lookup', { tools: [DOCS, server], listings })).toMatchObject({
      candidates: ['mcp__docs.lookup', 'docs.lookup'],
    })
  })

  test('tools that the request excludes are not among them', () => {
    const choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'namespace', name: 'wiki' }] }
    expect(spell(classify('lookup', { tools: two, choice }))).toBe('function_call wiki / lookup')
    const none = classify('lookup', { tools: two, choice: 'none' })
    expect(none).toMatchObject({ kind: 'mcp_call', available: false })
    expect(none).not.toHaveProperty('candidates')
  })
})

describe('a required call', () => {
  test('a made-up function is no call where one is required', () => {
    for (const choice of ['required', { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function' }] }]) {
      expect(spell(classify('functions.nope', { tools: [fn('f')], choice }))).toBe(
        'mcp_call functions / nope (unavailable)',
      )
      expect(spell(classify('functions.f', { tools: [fn('f')], choice }))).toBe('function_call f')
    }
  })
})

describe('laws', () => {
  const presets = fc.constantFrom(...Object.values(policies))

  test('a name that the table of tools knows is classified by the table alone, if tool_choice leaves everything', () => {
    fc.assert(
      fc.property(recipient, channel, tools, presets, (to, on, declared, policy) => {
        const table = declareTools(declared)
        const expected = classifyRecipient(to, on, table, policy)
        const found = resolveTools({ tools: declared, choice: FREE_CHOICE }, [], policy).classify(to, on)
        if (expected.kind !== 'function_call' || expected.declared) {
          if (expected.kind !== 'mcp_call' || expected.available) expect(found).toEqual(expected)
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('under none, nothing but messages and reasoning is available, regardless of the declarations', () => {
    fc.assert(
      fc.property(recipient, channel, tools, presets, (to, on, declared, policy) => {
        const request = { tools: declared, choice: readToolChoice('none') }
        const found = resolveTools(request, [], policy).classify(to, on)
        if (found.kind === 'mcp_call') expect(found.available).toBe(false)
        else expect(['message', 'reasoning']).toContain(found.kind)
      }),
      { numRuns: RUNS },
    )
  })

  test('a malformed tool_choice is never an exception, and allowed_tools without a readable list leaves nothing', () => {
    const choices = [
      undefined,
      null,
      7,
      'auto',
      {},
      { type: 'allowed_tools' },
      { type: 'allowed_tools', tools: [null, 3, {}] },
    ]
    for (const choice of choices) {
      const isList = Object(choice).type === 'allowed_tools'
      const expected = isList ? 'mcp_call functions / f (unavailable)' : 'function_call f'
      expect(spell(classify('functions.f', { tools: [fn('f'), builtin('code_interpreter')], choice }))).toBe(expected)
    }
  })
})
