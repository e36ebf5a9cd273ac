import { expect, test } from 'vitest'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { promptMessages } from '../../../src/endpoint/prompt/prompt-messages.js'
import { renderMessages } from '../../../src/endpoint/prompt/render-messages.js'
import { renderPrompt } from '../../../src/endpoint/prompt/render-prompt.js'
import { encodeHarmony } from '../../support/tokens.js'

const tokenTable = await loadTokenTable()
const DATE = '2026-01-31'
const ASKED = { role: 'user', content: 'Go.' }

/** The ids of the messages that an item becomes. */
function tokensOf(item: object, tools: readonly object[] = []): number[] {
  const { tokens, messages } = renderPrompt({ tools, input: [ASKED, item] }, { tokenTable, date: DATE })
  const first = messages.find(({ item }) => item === 1)
  return [...tokens.slice(first?.start, messages.at(-1)?.end)]
}

const MCP = { type: 'mcp', server_label: 'github' }

test.each<[what: string, item: object, tools: object[], text: string]>([
  [
    'an MCP call',
    { type: 'mcp_call', id: 'mcp_1', server_label: 'github', name: 'search', arguments: '{"q":"x"}' },
    [MCP],
    '<|start|>assistant<|channel|>commentary to=github.search <|constrain|>json<|message|>{"q":"x"}<|call|>',
  ],
  [
    'a web search',
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'otters' } },
    [],
    '<|start|>assistant<|channel|>analysis to=browser.search code<|message|>{"query":"otters"}<|call|>',
  ],
  [
    'code',
    {
      type: 'code_interpreter_call',
      id: 'ci_1',
      status: 'completed',
      code: 'print(1)',
      container_id: 'c',
      outputs: null,
    },
    [],
    '<|start|>assistant to=python<|channel|>analysis code<|message|>print(1)<|call|>',
  ],
])('the header of %s has the order that gpt-oss mostly writes', (_, item, tools, text) => {
  expect(tokensOf(item, tools)).toEqual(encodeHarmony(text))
})

test('the header of a function call has the order that gpt-oss mostly writes, and the one of its result the official one', () => {
  const call = { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Rome"}' }
  const output = { type: 'function_call_output', call_id: 'c1', output: '18 C' }
  const { tokens, messages } = renderPrompt({ input: [ASKED, call, output] }, { tokenTable, date: DATE })
  const text =
    '<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Rome"}<|call|>' +
    '<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>18 C<|end|>'
  expect([...tokens.slice(messages.at(-2)?.start, messages.at(-1)?.end)]).toEqual(encodeHarmony(text))
})

test('renderMessages puts a recipient where it is told, and by default where the official renderer does', () => {
  const call = { role: 'assistant', channel: 'commentary', recipient: 'functions.f', content: '{}' } as const
  const render = (message: object): number[] => [...renderMessages([message as never], { tokenTable }).tokens]
  const roleFirst = encodeHarmony('<|start|>assistant to=functions.f<|channel|>commentary<|message|>{}<|call|>')
  expect(render(call)).toEqual(roleFirst)
  expect(render({ ...call, recipientAfter: 'role' })).toEqual(roleFirst)
  expect(render({ ...call, recipientAfter: 'channel' })).toEqual(
    encodeHarmony('<|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>'),
  )
  expect(render({ ...call, channel: undefined, recipientAfter: 'channel' })).toEqual(
    encodeHarmony('<|start|>assistant to=functions.f<|message|>{}<|call|>'),
  )
})

test('promptMessages says where the recipient of a call stands', () => {
  const call = { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: 'x' }
  const output = { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' }
  const messages = promptMessages({ input: [ASKED, call, output] }, { date: DATE })
  expect(messages.map(({ recipientAfter }) => recipientAfter)).toEqual([undefined, undefined, 'channel', undefined])
})
