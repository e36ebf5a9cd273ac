import { describe, expect, test } from 'vitest'
import { aiSdk } from '../../../../src/judge/conformance/clients/ai-sdk.js'

type Event = { readonly type: string } & Readonly<Record<string, unknown>>

const CREATED: Event = { type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'gpt-oss-20b' } }
const completed = (...output: readonly object[]): Event => ({
  type: 'response.completed',
  response: { incomplete_details: null, usage: null, output },
})
const added = (item: object, index = 0): Event => ({ type: 'response.output_item.added', output_index: index, item })
const done = (item: object, index = 0): Event => ({ type: 'response.output_item.done', output_index: index, item })

const SEARCH = { type: 'web_search_call', id: 'ws_1', status: 'completed' }
const MCP = { type: 'mcp_call', id: 'mcp_1', name: 'search', server_label: 'docs', arguments: '{"q":1}', output: 'a' }
const CODE = { type: 'code_interpreter_call', id: 'ci_1', code: 'print(1)', outputs: [], status: 'completed' }
const SHELL = { type: 'shell_call', id: 'sh_1', call_id: 'call_1', status: 'completed', action: { commands: ['ls'] } }
const PATCH = {
  type: 'apply_patch_call',
  id: 'ap_1',
  call_id: 'call_2',
  status: 'completed',
  operation: { type: 'delete_file', path: 'a' },
}

const ofCode = (kind: 'delta' | 'done', fields: object): Event => ({
  type: `response.code_interpreter_call_code.${kind}`,
  item_id: 'ci_1',
  output_index: 0,
  ...fields,
})
const mcpArguments = (fields: object): Event => ({
  type: 'response.mcp_call_arguments.delta',
  item_id: 'mcp_1',
  output_index: 0,
  ...fields,
})
const CODE_BEGINS = [added({ ...CODE, code: '' }), ofCode('delta', { delta: 'print(1)' })]

/** The losses that the rule reports. */
function losses(...events: readonly Event[]): string[] {
  const words: string[] = []
  const reader = aiSdk.begin((rule, expected, got, said) => {
    if (rule === 'ai-sdk-hosted-call') words.push(`${expected}: ${said ?? JSON.stringify(got)}`)
  })
  for (const event of [CREATED, ...events]) reader.read(event)
  reader.end()
  return words
}

describe('calls that the AI SDK shows whole', () => {
  test.each<[string, readonly Event[]]>([
    ['a search', [added(SEARCH), done(SEARCH), completed(SEARCH)]],
    [
      'a call of an MCP server',
      [added({ ...MCP, arguments: '' }), mcpArguments({ delta: MCP.arguments }), done(MCP), completed(MCP)],
    ],
    ['code', [...CODE_BEGINS, ofCode('done', { code: CODE.code }), done(CODE), completed(CODE)]],
    ['a command of a shell', [added(SHELL), done(SHELL), completed(SHELL)]],
    ['a patch', [added(PATCH), done(PATCH), completed(PATCH)]],
  ])('%s, as it should come, loses nothing', (_, events) => {
    expect(losses(...events)).toEqual([])
  })
})

describe('calls that the AI SDK shows in part, or otherwise than they are', () => {
  test.each<[string, readonly Event[], RegExp]>([
    ['a search that is never done', [added(SEARCH), completed()], /output_item.done of the web_search_call/],
    [
      'a search that was not added',
      [done(SEARCH), completed()],
      /output_item.added of the web_search before: a result without a call/,
    ],
    [
      'a search that is done twice',
      [added(SEARCH), done(SEARCH), done(SEARCH), completed()],
      /a result without a call, or a second result/,
    ],
    [
      'a search that is added twice',
      [added(SEARCH), added(SEARCH), done(SEARCH), completed()],
      /one call of web_search: a second one with the same id/,
    ],
    [
      'a search that is completed, and then is not',
      [
        added(SEARCH),
        { type: 'response.web_search_call.completed', item_id: 'ws_1' },
        done({ ...SEARCH, status: 'failed' }),
        completed(),
      ],
      /status "completed" of the web search: "failed": shown as an error/,
    ],
    [
      'a search that is done under another id',
      [added(SEARCH), done({ ...SEARCH, id: 'ws_2' }), completed()],
      /web_search/,
    ],
    [
      'a command that is done twice',
      [added(SHELL), done(SHELL), done(SHELL), completed(SHELL)],
      /one call of shell: a second one with the same id: it runs twice/,
    ],
    [
      'a patch that was not added',
      [done(PATCH), completed(PATCH)],
      /output_item.added of the apply_patch_call at the same index/,
    ],
  ])('%s is a loss that the rule names', (_, events, words) => {
    expect(losses(...events).join('\n')).toMatch(words)
  })
})

test('a call that a failure cut off need not be done, unless the response says that it is', () => {
  const failed = (item: object): Event => ({ type: 'response.failed', response: { output: [item] } })
  expect(losses(added(MCP), failed(MCP))).toEqual([])
  expect(losses(added(SEARCH), failed(SEARCH))).toEqual([expect.stringContaining('output_item.done')])
})
