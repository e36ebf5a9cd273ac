import { describe, expect, test } from 'vitest'
import { classifyRecipient } from '../../../src/core/recipients/classify.js'
import { declareTools } from '../../../src/core/recipients/declared-tools.js'
import { type Recipient, recipientKey } from '../../../src/core/recipients/recipient.js'
import type { McpTool, UnknownTool } from '../../../src/core/responses/request.js'
import { builtin, fn, mcp } from './tools.js'

const key = (recipient: string, tools: UnknownTool[]) =>
  recipientKey(classifyRecipient(recipient, undefined, declareTools(tools)))

describe('recipientKey', () => {
  test('recipientKey is the same for a function with and without its namespace', () => {
    expect(key('functions.bash', [fn('bash')])).toBe(key('bash', [fn('bash')]))
  })

  test('recipientKey is the same for an MCP tool with and without the mcp prefix', () => {
    expect(key('mcp.github.search', [mcp('github')])).toBe(key('github.search', [mcp('github')]))
  })

  test('recipientKey is the same for a label and its alias', () => {
    const tools = [mcp('web_search_preview')]
    expect(key('browser.search', tools)).toBe(key('web_search_preview.search', tools))
  })

  test('recipientKey differs between the actions of a web search', () => {
    const tools = [builtin('web_search')]
    expect(key('browser.search', tools)).not.toBe(key('browser.open', tools))
  })

  test('recipientKey differs between two splits of the same text', () => {
    expect(key('a.b.c', [mcp('a')])).not.toBe(key('a.b.c', [mcp('a.b')]))
  })

  test('recipientKey does not ask whether the callee is declared or available', () => {
    expect(key('github.search', [mcp('github', [])])).toBe(key('github.search', [mcp('github')]))
  })

  test('recipientKey does not ask whether a call needs approval: the approved one is answered by the same tool', () => {
    const guarded: McpTool = { ...mcp('github'), require_approval: 'always' }
    expect(key('github.search', [guarded])).toBe(key('github.search', [mcp('github')]))
    expect(key('mcp.github.search', [guarded])).toBe(key('github.search', [mcp('github', [])]))
  })

  test('recipientKey still differs between servers and between tools that need approval', () => {
    const tools = [mcp('github'), mcp('gitlab')].map((tool) => ({ ...tool, require_approval: 'always' as const }))
    const keys = ['github.search', 'gitlab.search', 'github.list', 'github'].map((recipient) => key(recipient, tools))
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('recipientKey is that of an approved call of the same tool', () => {
    const approved = { kind: 'mcp_call', approvalRequestId: 'mcpr_1', name: 'search', serverLabel: 'github' } as const
    const guarded: McpTool = { ...mcp('github'), require_approval: 'always' }
    expect(recipientKey({ ...approved, available: true } as Recipient)).toBe(key('github.search', [guarded]))
  })

  test('recipientKey does not ask where a shell runs', () => {
    const shell = { ...builtin('shell'), environment: { type: 'container_auto' } }
    expect(key('container.exec', [shell])).toBe(key('container.exec', [builtin('shell')]))
  })

  test('recipientKey differs between a function and a tool of a server, whatever they are called', () => {
    expect(key('search', [fn('search')])).not.toBe(key('search', [mcp('search')]))
    expect(key('functions.github.search', [mcp('github')])).not.toBe(key('github.search', [mcp('github')]))
  })
})
