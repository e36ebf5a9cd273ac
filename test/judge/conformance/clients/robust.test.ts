import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkEvents, PROFILES } from '../../../../src/judge/conformance/index.js'
import { RUNS } from '../../../support/runs.js'

const TYPES = [
  'error',
  'keepalive',
  ...['created', 'in_progress', 'completed', 'incomplete', 'failed'].map((type) => `response.${type}`),
  ...['output_item', 'content_part', 'reasoning_summary_part'].flatMap((type) => [
    `response.${type}.added`,
    `response.${type}.done`,
  ]),
  ...['output_text', 'refusal', 'reasoning_summary_text', 'function_call_arguments', 'custom_tool_call_input'].flatMap(
    (type) => [`response.${type}.delta`, `response.${type}.done`],
  ),
  'response.output_text.annotation.added',
  'response.code_interpreter_call_code.done',
  'response.shell_call_command.added',
]
const FIELDS = ['item', 'response', 'part', 'delta', 'text', 'error', 'annotation', 'arguments', 'item_id']
const INDEXES = ['output_index', 'content_index', 'summary_index', 'sequence_number']

const item = fc.record(
  {
    type: fc.constantFrom('message', 'reasoning', 'function_call', 'mcp_call', 'shell_call', 'web_search_call', 7),
    id: fc.constantFrom('a', 'b', null, 3),
    status: fc.constantFrom('completed', 'incomplete', null, {}),
    content: fc.constantFrom(null, [], [null], [{ type: 'output_text', text: 'x', annotations: null }], 'x'),
    summary: fc.constantFrom(null, [], [1], [{ type: 'summary_text', text: null }]),
    arguments: fc.constantFrom('{}', '', null, {}),
    action: fc.constantFrom(null, [], { commands: null }, { type: 'search', sources: 1 }),
  },
  { requiredKeys: [] },
)
const value = fc.oneof(item, fc.record({ output: fc.array(item), error: fc.constantFrom(null, 1, {}) }), fc.jsonValue())
const event = fc
  .tuple(
    fc.option(fc.constantFrom(...TYPES), { freq: 12, nil: undefined }),
    fc.dictionary(fc.constantFrom(...FIELDS), value),
    fc.dictionary(fc.constantFrom(...INDEXES), fc.constantFrom(0, 1, 2, -1, 0.5, '0', null)),
  )
  .map(([type, fields, indexes]): unknown => ({ ...(type === undefined ? {} : { type }), ...fields, ...indexes }))

test.each(PROFILES)('whatever events hold, %s is held against them without an exception', (profile) => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: event }, fc.jsonValue()), { maxLength: 12 }), (events) => {
      expect(checkEvents(events as never, { profile })).toBeInstanceOf(Array)
    }),
    { numRuns: RUNS * 2 },
  )
})
