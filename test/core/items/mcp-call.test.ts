import { describe, expect, test } from 'vitest'
import { mcp } from '../recipients/tools.js'
import { brief, briefItem, callTo, codes, createRun, inTurn, terminal } from '../translate/run.js'

const OF_ITEM = { item_id: 'mcp_0', output_index: 0 }
const ADDED = {
  type: 'mcp_call',
  id: 'mcp_0',
  status: 'in_progress',
  approval_request_id: null,
  arguments: '',
  error: null,
  name: 'search',
  output: null,
  server_label: 'github',
} as const
const request = { tools: [mcp('github')] }

describe('the events of an MCP call', () => {
  test('the events of an MCP call come in order and whole; it is done when its result is there, not before', () => {
    const run = createRun({ request })
    run.start()
    expect(run.push(callTo('github.search', '{"q":'), '"x"}<|call|>')).toEqual([
      { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item: ADDED },
      { type: 'response.mcp_call.in_progress', sequence_number: 3, ...OF_ITEM },
      { type: 'response.mcp_call_arguments.delta', sequence_number: 4, ...OF_ITEM, delta: '{"q":' },
      { type: 'response.mcp_call_arguments.delta', sequence_number: 5, ...OF_ITEM, delta: '"x"}' },
      { type: 'response.mcp_call_arguments.done', sequence_number: 6, ...OF_ITEM, arguments: '{"q":"x"}' },
    ])
    expect(run.translator.response.output).toEqual([{ ...ADDED, arguments: '{"q":"x"}' }])
    const done = { ...ADDED, status: 'completed', arguments: '{"q":"x"}', output: 'found' }
    expect(run.toolResult({ itemId: 'mcp_0', output: 'found' })).toEqual([
      { type: 'response.mcp_call.completed', sequence_number: 7, ...OF_ITEM },
      { type: 'response.output_item.done', sequence_number: 8, output_index: 0, item: done },
    ])
    expect(terminal(run.end()).output).toEqual([done])
    expect(run.diagnostics).toEqual([])
  })

  test.each([
    [
      'a code of the protocol',
      { code: -32602, message: 'no such tool' },
      { type: 'mcp_protocol_error', code: -32602, message: 'no such tool' },
    ],
    [
      'what the tool said',
      { message: 'rate limited' },
      { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: 'rate limited' }] },
    ],
    [
      'a code in words',
      { code: 'E429', message: 'rate limited' },
      { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: 'rate limited' }] },
    ],
  ])('an MCP call fails with %s', (_, error, wire) => {
    const run = createRun({ request })
    run.push(callTo('github.search', '{}<|call|>'))
    const events = run.toolResult({ itemId: 'mcp_0', error })
    expect(brief(events)).toEqual(['mcp_call.failed 0', 'output_item.done 0 failed'])
    const failed = { ...ADDED, status: 'failed', arguments: '{}', error: wire }
    expect(events[1]).toMatchObject({ item: failed })
    const response = terminal(run.end())
    expect(response.output).toEqual([failed])
    expect(response.status).toBe('completed')
  })

  test('an MCP call without a result is done incomplete at the end, with no .completed; the response is complete', () => {
    const run = createRun({ request })
    run.push(callTo('github.search', '{}<|call|>'))
    const events = run.end()
    expect(brief(events)).toEqual(['output_item.done 0 incomplete', 'completed'])
    expect(events[0]).toMatchObject({ item: { ...ADDED, status: 'incomplete', arguments: '{}' } })
  })

  test('an MCP call that is cut off is closed incomplete, because the host does not run it', () => {
    const run = createRun({ request })
    run.push(callTo('github.search', '{"q'))
    const events = run.end()
    expect(brief(events)).toEqual(['mcp_call_arguments.done 0', 'output_item.done 0 incomplete', 'incomplete'])
    expect(events[1]).toMatchObject({ item: { ...ADDED, status: 'incomplete', arguments: '{"q' } })
  })
})

describe('its arguments', () => {
  test.each(['', ' \n', ' {}', 'print(1)'])(
    '%j goes through as the arguments of an MCP call, without a diagnostic',
    (text) => {
      const run = createRun({ request })
      run.push(callTo('github.search', `${text}<|call|>`))
      expect(run.diagnostics).toEqual([])
      expect(terminal(run.end()).output).toMatchObject([{ arguments: text }])
      const deltas = run.events.filter(({ type }) => type === 'response.mcp_call_arguments.delta')
      expect(deltas).toHaveLength(text === '' ? 0 : 1)
    },
  )
})

describe('a tool that the request does not allow', () => {
  const allowed = { tools: [mcp('github', ['list'])] }

  test('a call of a tool that the request does not allow fails at its terminator', () => {
    const run = createRun({ request: allowed })
    run.start()
    const events = run.push(callTo('github.search', '{"q":"x"}<|call|>'))
    expect(brief(events)).toEqual([
      'output_item.added 0',
      'mcp_call.in_progress 0',
      'mcp_call_arguments.delta 0 "{\\"q\\":\\"x\\"}"',
      'mcp_call_arguments.done 0',
      'mcp_call.failed 0',
      'output_item.done 0 failed',
    ])
    expect(events.at(-1)).toMatchObject({
      item: { error: { type: 'mcp_protocol_error', message: 'tool not available' }, output: null },
    })
    expect(run.diagnostics).toMatchObject([{ code: 'unavailable_tool', subject: 'github.search' }])
    const response = terminal(run.end())
    expect(response.status).toBe('completed')
    expect(response.output.map(briefItem)).toEqual(['mcp_call github.search failed "{\\"q\\":\\"x\\"}"'])
  })

  test('a call of a tool that the request does not allow is incomplete and not failed if it is cut off', () => {
    const run = createRun({ request: allowed })
    run.push(callTo('github.search', '{"q'))
    expect(terminal(run.end()).output.map(briefItem)).toEqual(['mcp_call github.search incomplete "{\\"q"'])
    expect(run.diagnostics).toEqual([])
  })

  test('a call of a tool that the request does not allow takes no result afterwards', () => {
    const run = createRun({ request: allowed })
    run.push(callTo('github.search', '{}<|call|>'))
    expect(run.answer('github.search', 'found')).toEqual([])
    expect(run.toolResult({ itemId: 'mcp_0', output: 'found' })).toEqual([])
    expect(codes(run.diagnostics)).toEqual(['unavailable_tool', 'second_result', 'second_result'])
    expect(terminal(run.end()).output).toMatchObject([{ status: 'failed', output: null }])
  })

  test('a tool that the request allows is called, though others of its server are not allowed', () => {
    const run = createRun({ request: allowed })
    run.push(callTo('github.list', '{}<|call|>'))
    expect(brief(run.answer('github.list', 'all'))).toEqual(['mcp_call.completed 0', 'output_item.done 0 completed'])
  })
})

test('the result of an MCP call may be outputs, which are written as JSON', () => {
  const run = createRun({ request })
  run.push(callTo('github.search', '{}<|call|>'))
  run.toolResult({ itemId: 'mcp_0', outputs: [{ type: 'logs', logs: '2' }] })
  expect(terminal(run.end()).output).toMatchObject([{ output: '[{"type":"logs","logs":"2"}]' }])
})

test.each(['', ' \n', '{"a":1}', 'a <| b'])('the output %j of an MCP call is verbatim', (output) => {
  const run = createRun({ request })
  run.push(inTurn(callTo('github.search', '{}<|call|>'), callTo('github.search', '{}<|call|>')))
  run.answer('github.search', output)
  run.toolResult({ itemId: 'mcp_1', output })
  expect(terminal(run.end()).output).toMatchObject([{ output }, { output }])
})
