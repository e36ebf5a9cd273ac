import { describe, expect, test } from 'vitest'
import { classifyRecipient } from '../../src/recipients/classify.js'
import { declareTools } from '../../src/recipients/declared-tools.js'
import { recipientKey } from '../../src/recipients/recipient.js'
import type { RequestTool } from '../../src/responses/request.js'
import { builtin, fn, mcp } from './tools.js'

const key = (recipient: string, tools: RequestTool[]) =>
  recipientKey(classifyRecipient(recipient, undefined, declareTools(tools)))

describe('recipientKey', () => {
  test('is the same for a function with and without its namespace', () => {
    expect(key('functions.bash', [fn('bash')])).toBe(key('bash', [fn('bash')]))
  })

  test('is the same for an MCP tool with and without the mcp prefix', () => {
    expect(key('mcp.github.search', [mcp('github')])).toBe(key('github.search', [mcp('github')]))
  })

  test('is the same for a label and its alias', () => {
    const tools = [mcp('web_search_preview')]
    expect(key('browser.search', tools)).toBe(key('web_search_preview.search', tools))
  })

  test('differs between the actions of a web search', () => {
    const tools = [builtin('web_search')]
    expect(key('browser.search', tools)).not.toBe(key('browser.open', tools))
  })

  test('differs between two splits of the same text', () => {
    expect(key('a.b.c', [mcp('a')])).not.toBe(key('a.b.c', [mcp('a.b')]))
  })

  test('does not ask whether the callee is declared or available', () => {
    expect(key('github.search', [mcp('github', [])])).toBe(key('github.search', [mcp('github')]))
  })
})
