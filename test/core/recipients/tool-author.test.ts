import { describe, expect, test } from 'vitest'
import { type Classifier, classifyRecipient } from '../../../src/core/recipients/classify.js'
import { declareTools } from '../../../src/core/recipients/declared-tools.js'
import { resolvePolicy } from '../../../src/core/recipients/policy.js'
import { calleesNamed } from '../../../src/core/recipients/tool-author.js'
import type { UnknownTool } from '../../../src/core/responses/request.js'
import { type Preset, spell } from './spell.js'
import { builtin, fn, mcp } from './tools.js'

/** The callees of an author, one group on each line. */
function callees(author: string, tools: UnknownTool[], approved: string[] = [], preset?: Preset): string[] {
  const [declared, policy] = [declareTools(tools), resolvePolicy(preset)]
  const classify: Classifier = (recipient, channel) => classifyRecipient(recipient, channel, declared, policy)
  const groups = [...calleesNamed(author, { declared, policy, labels: approved, classify })]
  return groups.filter((group) => group.length > 0).map((group) => group.map(spell).join(', '))
}

describe('the author of a tool message', () => {
  test('the author of a tool message is the tool of a declared server', () => {
    expect(callees('github.search', [mcp('github')])).toEqual(['mcp_call github / search'])
    expect(callees('mcp.github.search', [mcp('github')])).toEqual(['mcp_call github / search'])
  })

  test('the author of a tool message is the tool of the declared server with the longest label', () => {
    expect(callees('a.b.c', [mcp('a'), mcp('a.b')], ['a'])[0]).toBe('mcp_call a.b / c')
  })

  test('the author of a tool message is not an approved call of a server with a shorter label', () => {
    expect(callees('a.b.c', [mcp('a.b')], ['a'])).toEqual(['mcp_call a.b / c', 'mcp_call a.b / c'])
  })

  test('the author of a tool message is an approved call of a server that is not declared', () => {
    expect(callees('a.b.c', [], ['a'])).toContain('mcp_call a / b.c')
    expect(callees('mcp.a.b.c', [], ['a.b'])).toContain('mcp_call a.b / c')
  })

  test('the author of a tool message is the approved call of the longest label alone', () => {
    for (const approved of [
      ['a', 'a.b'],
      ['a.b', 'a'],
    ]) {
      expect(callees('a.b.c', [], approved)).toEqual(['function_call a.b.c (undeclared)', 'mcp_call a.b / c'])
    }
  })

  test('the author of a tool message is what the model calls so before it is an approved call', () => {
    expect(callees('a.b.c', [mcp('a')], ['a.b'])).toEqual(['mcp_call a / b.c', 'mcp_call a.b / c'])
    expect(callees('a.b.c', [], ['a.b'], 'vllm')).toEqual(['mcp_call a / b.c', 'mcp_call a.b / c'])
  })

  test('the author of a tool message is any of the browser if it is the browser alone', () => {
    const all = 'web_search_call search, web_search_call open_page, web_search_call find_in_page'
    expect(callees('browser', [builtin('web_search')])).toEqual(['function_call browser (undeclared)', all])
  })

  test('the author of a tool message is the container if it is the container alone', () => {
    const shell = { type: 'shell', environment: { type: 'container_auto' } }
    expect(callees('container', [shell])).toContain('shell_call container')
  })

  test('the author of a tool message is a declared function of that name, and nothing else', () => {
    expect(callees('browser', [builtin('web_search'), fn('browser')])).toEqual(['function_call browser'])
  })
})
