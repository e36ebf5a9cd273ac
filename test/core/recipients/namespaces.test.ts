import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { policies } from '../../../src/core/recipients/policy.js'
import type { UnknownTool } from '../../../src/core/responses/request.js'
import { RUNS } from '../../support/runs.js'
import { tools, word } from './arbitraries.js'
import { classified } from './spell.js'
import { builtin, custom, fn, mcp, ns } from './tools.js'

const docs = [ns('mcp__docs', 'lookup', 'page.read')]
const presets = Object.values(policies)

describe('a tool of a declared namespace', () => {
  test.each(presets)(
    'a tool of a declared namespace is called by both names, with and without functions.: $name',
    (policy) => {
      expect(classified('mcp__docs.lookup', docs, policy)).toBe('function_call mcp__docs / lookup')
      expect(classified('functions.mcp__docs.lookup', docs, policy)).toBe('function_call mcp__docs / lookup')
    },
  )

  test('a tool of a declared namespace may have dots in its name', () => {
    expect(classified('mcp__docs.page.read', docs)).toBe('function_call mcp__docs / page.read')
  })

  test('a tool of a declared namespace may be a custom tool, before a function of its name', () => {
    const tools = [{ ...ns('fs', 'patch'), tools: [fn('patch'), custom('patch')] }]
    expect(classified('fs.patch', tools)).toBe('custom_tool_call fs / patch')
  })

  test('a tool of a declared namespace is not called by its own name alone', () => {
    expect(classified('lookup', docs)).toBe('function_call lookup (undeclared)')
    expect(classified('functions.lookup', docs)).toBe('function_call lookup (undeclared)')
  })

  test('a tool of a declared namespace gives way to a function of exactly that name', () => {
    expect(classified('mcp__docs.lookup', [...docs, fn('mcp__docs.lookup')])).toBe('function_call mcp__docs.lookup')
    expect(classified('functions.mcp__docs.lookup', [custom('mcp__docs.lookup'), ...docs])).toBe(
      'custom_tool_call mcp__docs.lookup',
    )
  })

  test('a tool of a declared namespace is one of the longest namespace that has it', () => {
    const both = [ns('team', 'v2.list', 'v2.only'), ns('team.v2', 'list')]
    for (const tools of [both, both.toReversed()]) {
      expect(classified('team.v2.list', tools)).toBe('function_call team.v2 / list')
      expect(classified('team.v2.only', tools)).toBe('function_call team / v2.only')
    }
  })

  test('a tool of a declared namespace may be declared in several entries of one namespace', () => {
    const tools = [ns('crm', 'find'), fn('other'), ns('crm', 'save')]
    expect(['crm.find', 'crm.save'].map((to) => classified(to, tools))).toEqual([
      'function_call crm / find',
      'function_call crm / save',
    ])
  })

  test('a tool of a declared namespace may be in a namespace that is called functions', () => {
    expect(classified('functions.find', [ns('functions', 'find')])).toBe('function_call functions / find')
    expect(classified('functions.find', [ns('functions', 'find'), fn('find')])).toBe('function_call find')
  })

  test('a tool of a declared namespace comes before an MCP server of that label, and after a declared built-in', () => {
    expect(classified('mcp__docs.lookup', [mcp('mcp__docs'), ...docs])).toBe('function_call mcp__docs / lookup')
    const browser = [ns('browser', 'search'), builtin('web_search')]
    expect(classified('browser.search', browser)).toBe('web_search_call search')
    expect(classified('functions.browser.search', browser)).toBe('function_call browser / search')
  })
})

describe('a tool that a declared namespace does not have', () => {
  test('a tool that a declared namespace does not have is one of that namespace, for the client to refuse', () => {
    expect(classified('mcp__docs.write', docs)).toBe('function_call mcp__docs / write (undeclared)')
    expect(classified('functions.mcp__docs.write', docs)).toBe('function_call mcp__docs / write (undeclared)')
  })

  test('a tool that a declared namespace does not have is one of the longest that fits', () => {
    const tools = [ns('team', 'a'), ns('team.v2', 'b')]
    expect(classified('functions.team.v2.c', tools)).toBe('function_call team.v2 / c (undeclared)')
  })

  test('a tool that a declared namespace does not have is what the policy says if functions. does not say what it is', () => {
    expect(classified('mcp__docs.write', docs, 'agents')).toBe('mcp_call mcp__docs / write (unavailable)')
    expect(classified('functions.mcp__docs.write', docs, 'agents')).toBe('function_call mcp__docs / write (undeclared)')
  })

  test('a tool that a declared namespace does not have is the tool of an MCP server of that label', () => {
    expect(classified('mcp__docs.write', [...docs, mcp('mcp__docs')])).toBe('mcp_call mcp__docs / write')
  })

  test.each(['mcp__docs', 'functions.mcp__docs', 'mcp__docs.', 'mcp__docsx.lookup'])(
    'the recipient %s is no tool of a declared namespace',
    (recipient) => {
      const name = recipient.replace('functions.', '')
      expect(classified(recipient, docs)).toBe(`function_call ${name} (undeclared)`)
    },
  )
})

test('tools that a request declares in a namespace can be called, regardless of its other declarations', () => {
  const policy = fc.constantFrom(...presets)
  fc.assert(
    fc.property(word, word, tools, policy, (namespace, name, others: UnknownTool[], policy) => {
      const taught = `functions.${namespace}.${name}`
      expect(classified(taught, [...others, ns(namespace, name)], policy)).toMatch(
        // A longer namespace, a custom tool or a function may be called just so.
        /^(function_call|custom_tool_call) [^(]*$/,
      )
    }),
    { numRuns: RUNS },
  )
})
