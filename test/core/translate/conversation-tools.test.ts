import { expect, test } from 'vitest'
import { record } from '../../../src/engines/sources/record.js'
import { Translator } from '../../support/translator.js'
import { createRun, FIXED } from './run.js'

const request = {
  tools: [{ type: 'function', name: 'exec' }],
  input: [
    { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'exec' }, { type: 'shell' }] },
    { role: 'user', content: 'Hi' },
    { type: 'configuration_update', reasoning: { effort: 'high' }, text: { format: { type: 'json_object' } } },
  ],
}
const CALL = '<|channel|>commentary to=functions.exec<|message|>ls<|call|>'

test('tools and settings of the conversation apply to the response, and are in it', () => {
  const run = createRun({ request })
  run.push(CALL)
  run.end('stop')
  const { output, tools, reasoning, text } = run.translator.response
  expect(output).toMatchObject([{ type: 'custom_tool_call', name: 'exec', input: 'ls' }])
  expect(tools).toEqual([{ type: 'custom', name: 'exec' }, { type: 'shell' }])
  expect([reasoning?.effort, text.format?.type]).toEqual(['high', 'json_object'])
})

test('tools of the conversation are known to a translator that was restored', () => {
  const { translator } = createRun({ request })
  const restored = Translator.restore(JSON.parse(JSON.stringify(translator.snapshot())), FIXED)
  restored.push(CALL)
  restored.end('stop')
  expect(restored.output).toMatchObject([{ type: 'custom_tool_call', name: 'exec' }])
})

test('tools of the conversation are in a recording', async () => {
  let recorded: unknown
  const sink = (fixture: unknown): void => {
    recorded = fixture
  }
  for await (const _ of record([], sink, { name: 'a', request }));
  expect(recorded).toMatchObject({ request: { tools: [{ type: 'custom' }, { type: 'shell' }] } })
})
