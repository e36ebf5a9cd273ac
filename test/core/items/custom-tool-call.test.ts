import { expect, test } from 'vitest'
import { custom, fn } from '../recipients/tools.js'
import { brief, briefItem, callTo, createRun, terminal } from '../translate/run.js'

const OF_ITEM = { item_id: 'ctc_0', output_index: 0 }
const request = { tools: [custom('apply_patch'), fn('get_weather')] }

test('the events of a custom tool call come in order and whole', () => {
  const run = createRun({ request })
  run.start()
  expect(run.push(callTo('functions.apply_patch', '*** Begin'), ' Patch\n<|call|>')).toEqual([
    {
      type: 'response.output_item.added',
      sequence_number: 2,
      output_index: 0,
      item: {
        type: 'custom_tool_call',
        id: 'ctc_0',
        status: 'in_progress',
        call_id: 'call_1',
        name: 'apply_patch',
        input: '',
      },
    },
    { type: 'response.custom_tool_call_input.delta', sequence_number: 3, ...OF_ITEM, delta: '*** Begin' },
    { type: 'response.custom_tool_call_input.delta', sequence_number: 4, ...OF_ITEM, delta: ' Patch\n' },
    { type: 'response.custom_tool_call_input.done', sequence_number: 5, ...OF_ITEM, input: '*** Begin Patch\n' },
    {
      type: 'response.output_item.done',
      sequence_number: 6,
      output_index: 0,
      item: {
        type: 'custom_tool_call',
        id: 'ctc_0',
        status: 'completed',
        call_id: 'call_1',
        name: 'apply_patch',
        input: '*** Begin Patch\n',
      },
    },
  ])
  expect(run.diagnostics).toEqual([])
})

test('a custom tool call is made by its bare name too', () => {
  const run = createRun({ request })
  run.push(callTo('apply_patch', 'x<|call|>'))
  expect(terminal(run.end()).output.map(briefItem)).toEqual(['custom_tool_call apply_patch completed "x"'])
})

test.each(['', ' \n', '{"input":"x"}'])(
  'the input %j of a custom tool call is verbatim: blank does not become {}',
  (input) => {
    const run = createRun({ request })
    run.push(callTo('functions.apply_patch', `${input}<|call|>`))
    expect(run.diagnostics).toEqual([])
    expect(terminal(run.end()).output).toMatchObject([{ status: 'completed', input }])
    const deltas = run.events.filter(({ type }) => type === 'response.custom_tool_call_input.delta')
    expect(deltas).toHaveLength(input === '' ? 0 : 1)
  },
)

test('a custom tool call that is cut off is neither done nor whole', () => {
  const run = createRun({ request })
  run.push(callTo('functions.apply_patch', '*** Be'))
  const events = run.end()
  expect(brief(events)).toEqual(['incomplete'])
  expect(terminal(events).output.map(briefItem)).toEqual(['custom_tool_call apply_patch incomplete "*** Be"'])
})
