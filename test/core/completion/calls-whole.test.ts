import { describe, expect, test } from 'vitest'
import { custom, fn, mcp } from '../recipients/tools.js'
import { brief, briefOutput, callTo, createRun, inTurn, messageOn, type Run, terminal } from '../translate/run.js'

const request = { tools: [fn('f'), custom('c'), mcp('github')] }

function started(): Run {
  const run = createRun({ request, calls: 'whole' })
  run.start()
  return run
}

describe("calls: 'whole'", () => {
  test("calls: 'whole' announces a function call at its terminator, empty, with one delta", () => {
    const run = started()
    expect(run.push(callTo('functions.f', '{"a"'), ':', '1}')).toEqual([])
    expect(run.translator.response.output).toEqual([])
    const events = run.push('<|call|>')
    expect(brief(events)).toEqual([
      'output_item.added 0',
      'function_call_arguments.delta 0 "{\\"a\\":1}"',
      'function_call_arguments.done 0',
      'output_item.done 0 completed',
    ])
    expect(events[0]).toMatchObject({ item: { status: 'in_progress', name: 'f', arguments: '' } })
    expect(events[3]).toMatchObject({ item: { status: 'completed', name: 'f', arguments: '{"a":1}' } })
  })

  test("calls: 'whole' announces a custom tool call at its terminator, with one delta", () => {
    const run = started()
    expect(brief(run.push(callTo('functions.c', 'x'), 'y', '<|call|>'))).toEqual([
      'output_item.added 0',
      'custom_tool_call_input.delta 0 "xy"',
      'custom_tool_call_input.done 0',
      'output_item.done 0 completed',
    ])
  })

  test.each([
    ['functions.f', '', 'function_call f completed "{}"'],
    ['functions.f', ' \n', 'function_call f completed "{}"'],
    ['functions.f', ' {} ', 'function_call f completed " {} "'],
    ['functions.c', '', 'custom_tool_call c completed ""'],
  ])("calls: 'whole' makes %s with the arguments %j the same item as in a live stream", (recipient, text, item) => {
    for (const calls of ['whole', 'live'] as const) {
      const run = createRun({ request, calls })
      run.push(callTo(recipient), ...text, '<|call|>')
      expect(briefOutput(terminal(run.end()))).toEqual([item])
    }
  })

  test("under calls: 'whole', a call that is cut off appears in a diagnostic alone", () => {
    const ends: ((run: Run) => unknown)[] = [
      (run) => run.end(),
      (run) => run.end('max_output_tokens'),
      (run) => run.fail({ message: 'no' }),
      (run) => run.abort(),
      (run) => run.cancel(),
    ]
    for (const end of ends) {
      const run = started()
      run.push(callTo('functions.f', '{"a'))
      end(run)
      expect(run.translator.response.output).toEqual([])
      expect(run.diagnostics).toMatchObject([{ code: 'call_cut_off', subject: 'f', text: '{"a' }])
      expect(brief(run.events).some((line) => line.includes('item'))).toBe(false)
    }
  })

  test("under calls: 'whole', a call that the engine stopped is whole", () => {
    const run = started()
    run.push(callTo('functions.f', '{}'))
    expect(brief(run.end('stop'))).toEqual([
      'output_item.added 0',
      'function_call_arguments.delta 0 "{}"',
      'function_call_arguments.done 0',
      'output_item.done 0 completed',
      'completed',
    ])
  })

  test("under calls: 'whole', hosted calls, messages and reasoning stream as ever", () => {
    const run = started()
    expect(brief(run.push(callTo('github.a', '{'), '}<|call|>'))).toContain('mcp_call_arguments.delta 0 "{"')
    run.push(`<|start|>assistant${messageOn('analysis')}`)
    expect(brief(run.push('H', 'm'))).toEqual(['reasoning_text.delta 1 "H"', 'reasoning_text.delta 1 "m"'])
  })

  test('output indexes and ids are given in the order of announcement, without a gap', () => {
    const run = started()
    run.push(
      inTurn(callTo('functions.f', '1<|call|>'), messageOn('commentary', 'x<|end|>'), callTo('functions.f', '{')),
    )
    expect(terminal(run.end()).output.map(({ id }) => id)).toEqual(['fc_0', 'msg_2'])
  })
})
