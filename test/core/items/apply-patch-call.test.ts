import { expect, test } from 'vitest'
import { policies } from '../../../src/core/recipients/policy.js'
import { translate } from '../../../src/index.js'
import { builtin, custom, fn } from '../recipients/tools.js'
import { briefItem, callTo, createRun, terminal } from '../translate/run.js'

const request = { tools: [builtin('apply_patch')] }
const PATCH = '*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch\n'
const operation = { type: 'update_file', path: 'a.txt', diff: '@@\n-old\n+new' }

test('a patch is shown whole when it is complete, and its operation is the client’s to make', () => {
  const run = createRun({ request })
  run.start()
  expect(run.push(callTo('functions.apply_patch', PATCH))).toEqual([])
  const item = { type: 'apply_patch_call', id: 'apc_0', call_id: 'call_1', operation }
  expect(run.push('<|call|>')).toEqual([
    {
      type: 'response.output_item.added',
      sequence_number: 2,
      output_index: 0,
      item: { ...item, status: 'in_progress' },
    },
    { type: 'response.output_item.done', sequence_number: 3, output_index: 0, item: { ...item, status: 'completed' } },
  ])
  expect(run.diagnostics).toEqual([])
  expect(terminal(run.end())).toMatchObject({ status: 'completed', output: [{ ...item, status: 'completed' }] })
})

test('a patch that was cut off is never done, and stays in progress', () => {
  const run = createRun({ request })
  run.push(callTo('functions.apply_patch', PATCH.slice(0, 40)))
  const response = terminal(run.end('max_output_tokens'))
  expect(response.status).toBe('incomplete')
  for (const item of response.output) expect(item).toMatchObject({ type: 'apply_patch_call', status: 'in_progress' })
  expect(run.events.map(({ type }) => type)).not.toContain('response.output_item.done')
})

test('a body that is no patch is a diagnostic, and the diff of no file for the client to refuse', () => {
  const run = createRun({ request })
  run.push(callTo('functions.apply_patch', 'rename it<|call|>'))
  expect(run.diagnostics).toMatchObject([{ code: 'unreadable_arguments', subject: 'apply_patch_call' }])
  expect(terminal(run.end()).output.map(briefItem)).toEqual([
    'apply_patch_call completed {"type":"update_file","path":"","diff":"rename it"}',
  ])
})

test('a patch of several files is a call of the first, and the others are a diagnostic', () => {
  const run = createRun({ request })
  run.push(callTo('functions.apply_patch', `${PATCH.replace('*** End', '*** Delete File: b.txt\n*** End')}<|call|>`))
  expect(run.diagnostics).toMatchObject([
    { code: 'text_after_arguments', subject: 'apply_patch_call', text: '*** Delete File: b.txt\n*** End Patch\n' },
  ])
  expect(terminal(run.end()).output).toMatchObject([{ operation }])
})

test.each(['apply_patch', 'functions.apply_patch'])('a patch is called by %s', (recipient) => {
  const run = createRun({ request })
  run.push(callTo(recipient, `${PATCH}<|call|>`))
  expect(terminal(run.end()).output).toMatchObject([{ type: 'apply_patch_call', operation }])
})

test.each([
  ['function', fn('apply_patch'), 'function_call'],
  ['custom tool', custom('apply_patch'), 'custom_tool_call'],
])('a %s of the client’s called apply_patch is that tool', (_, tool, type) => {
  const run = createRun({ request: { tools: [...request.tools, tool] } })
  run.push(callTo('functions.apply_patch', `{}<|call|>`))
  expect(terminal(run.end()).output).toMatchObject([{ type }])
})

test.each(['vllm', 'functions-only'] as const)(
  'under %s, which has no built-in tools, a patch is a function call',
  (name) => {
    const run = createRun({ request, policy: policies[name] })
    run.push(callTo('functions.apply_patch', '{"patch":"x"}<|call|>'))
    expect(terminal(run.end()).output).toMatchObject([{ type: 'function_call', name: 'apply_patch' }])
  },
)

test('a patch that the request excludes is a call that failed', () => {
  const run = createRun({ request: { ...request, tool_choice: 'none' } })
  run.push(callTo('functions.apply_patch', `${PATCH}<|call|>`))
  expect(terminal(run.end()).output).toMatchObject([{ type: 'mcp_call', status: 'failed' }])
})

test('the default translator has patches', async () => {
  const text = `<|channel|>commentary to=functions.apply_patch<|message|>${PATCH}<|call|>`
  const types: string[] = []
  for await (const event of translate([text], { request })) {
    if (event.type === 'response.output_item.done') types.push(event.item.type)
  }
  expect(types).toEqual(['apply_patch_call'])
})
