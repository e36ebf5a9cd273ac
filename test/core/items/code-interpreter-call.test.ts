import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveId } from '../../../src/core/options/ids.js'
import type { CodeOutput, ResponseRequest } from '../../../src/index.js'
import { Translator } from '../../support/translator.js'
import {
  brief,
  briefItem,
  briefOutput,
  callTo,
  createRun,
  FIXED,
  inTurn,
  messageOn,
  type Run,
  runOf,
  terminal,
} from '../translate/run.js'

const OF_ITEM = { item_id: 'ci_0', output_index: 0 }
const CONTAINER = { type: 'code_interpreter', container: 'cntr_host' }
const request: ResponseRequest = { tools: [CONTAINER] }
const withOutputs: ResponseRequest = { tools: [CONTAINER], include: ['code_interpreter_call.outputs'] }
const ADDED = {
  type: 'code_interpreter_call',
  id: 'ci_0',
  status: 'in_progress',
  code: '',
  container_id: 'cntr_host',
  outputs: null,
} as const

describe('the events of a code interpreter call', () => {
  test('the events of a code interpreter call come in order and whole; it is done when its result is there, not before', () => {
    const run = createRun({ request })
    run.start()
    expect(run.push('<|channel|>analysis to=python code<|message|>print(', '1)<|call|>')).toEqual([
      { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item: ADDED },
      { type: 'response.code_interpreter_call.in_progress', sequence_number: 3, ...OF_ITEM },
      { type: 'response.code_interpreter_call_code.delta', sequence_number: 4, ...OF_ITEM, delta: 'print(' },
      { type: 'response.code_interpreter_call_code.delta', sequence_number: 5, ...OF_ITEM, delta: '1)' },
      { type: 'response.code_interpreter_call_code.done', sequence_number: 6, ...OF_ITEM, code: 'print(1)' },
      { type: 'response.code_interpreter_call.interpreting', sequence_number: 7, ...OF_ITEM },
    ])
    expect(run.translator.response.output).toEqual([{ ...ADDED, status: 'interpreting', code: 'print(1)' }])
    const done = { ...ADDED, status: 'completed', code: 'print(1)' }
    expect(run.answer('python', '1')).toEqual([
      { type: 'response.code_interpreter_call.completed', sequence_number: 8, ...OF_ITEM },
      { type: 'response.output_item.done', sequence_number: 9, output_index: 0, item: done },
    ])
    expect(terminal(run.end()).output).toEqual([done])
    expect(run.diagnostics).toEqual([])
  })

  test('a code interpreter call fails without an event of its own, because the API has none', () => {
    const run = createRun({ request })
    run.push(callTo('python', '1/0<|call|>'))
    expect(brief(run.toolResult({ itemId: 'ci_0', error: { message: 'ZeroDivisionError' } }))).toEqual([
      'output_item.done 0 failed',
    ])
    const response = terminal(run.end())
    expect(response.status).toBe('completed')
    expect(response.output.map(briefItem)).toEqual(['code_interpreter_call failed "1/0"'])
  })

  test('a code interpreter call without a result is done incomplete at the end, with no .completed', () => {
    const run = createRun({ request: withOutputs })
    run.push(callTo('python', '1<|call|>'))
    const events = run.end()
    expect(brief(events)).toEqual(['output_item.done 0 incomplete', 'completed'])
    expect(events[0]).toMatchObject({ item: { ...ADDED, status: 'incomplete', code: '1', outputs: null } })
  })

  test('a code interpreter call that is cut off is closed incomplete and never interpreted', () => {
    const run = createRun({ request })
    run.push(callTo('python', 'print('))
    expect(brief(run.end())).toEqual([
      'code_interpreter_call_code.done 0',
      'output_item.done 0 incomplete',
      'incomplete',
    ])
  })

  test('a code interpreter call without code has no delta', () => {
    const run = createRun({ request })
    run.start()
    expect(brief(run.push(callTo('python', '<|call|>')))).toEqual([
      'output_item.added 0',
      'code_interpreter_call.in_progress 0',
      'code_interpreter_call_code.done 0',
      'code_interpreter_call.interpreting 0',
    ])
    expect(run.diagnostics).toEqual([])
  })

  test('the code of a code interpreter call is reported as the model writes it, character for character', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 8 }), (pieces) => {
        fc.pre(!pieces.join('').includes('<'))
        const run = createRun({ request })
        run.push(callTo('python'))
        for (const piece of pieces) {
          expect(run.push(piece)).toMatchObject([{ type: 'response.code_interpreter_call_code.delta', delta: piece }])
        }
        const code = pieces.join('')
        expect(run.push('<|call|>')).toMatchObject([
          { type: 'response.code_interpreter_call_code.done', code },
          { type: 'response.code_interpreter_call.interpreting' },
        ])
        expect(run.translator.response.output).toMatchObject([{ code, status: 'interpreting' }])
      }),
    )
  })

  test('JSON around the code is code like any other', () => {
    const run = createRun({ request })
    run.push(callTo('python', '{"code": "print(1)"}<|call|>'))
    expect(run.translator.response.output.map(briefItem)).toEqual([
      'code_interpreter_call interpreting "{\\"code\\": \\"print(1)\\"}"',
    ])
    expect(run.diagnostics).toEqual([])
  })

  test('the result of a code interpreter call may come while the model writes the next message, which continues', () => {
    const run = createRun({ request })
    run.push(inTurn(callTo('python', '1<|call|>'), messageOn('final', 'Hel')))
    expect(brief(run.toolResult({ itemId: 'ci_0', output: '1' }))).toEqual([
      'code_interpreter_call.completed 0',
      'output_item.done 0 completed',
    ])
    expect(brief(run.push('lo'))).toEqual(['output_text.delta 1 "lo"'])
    expect(briefOutput(terminal(run.end('stop')))).toEqual([
      'code_interpreter_call completed "1"',
      'message completed "Hello"',
    ])
  })

  test.each<[string, (run: Run) => unknown]>([
    ['a failure', (run) => run.fail({ message: 'no' })],
    ['an abort', (run) => run.abort()],
  ])('a code interpreter call that is pending at %s is never done, and stands incomplete', (_, stop) => {
    const run = createRun({ request })
    run.push(callTo('python', '1<|call|>'))
    const before = run.events.length
    stop(run)
    expect(brief(run.events.slice(before)).filter((line) => /item|code/.test(line))).toEqual([])
    expect(run.translator.response.output).toEqual([{ ...ADDED, status: 'incomplete', code: '1' }])
  })

  test('a code interpreter call is a function call if the request declares no code interpreter', () => {
    const run = createRun({ request: {} })
    run.push(callTo('python', '1<|call|>'))
    expect(briefOutput(run.translator.response)).toEqual([
      `function_call python completed ${JSON.stringify('{"code":"1"}')}`,
    ])
  })
})

describe('its outputs', () => {
  const logs: CodeOutput = { type: 'logs', logs: '1\n' }
  const image: CodeOutput = { type: 'image', url: 'https://example.org/plot.png' }
  const outputsOf = (run: Run): unknown[] =>
    run.events.flatMap((event) => ('item' in event && 'outputs' in event.item ? [event.item.outputs] : []))

  test('the outputs of a code interpreter call are null if the request does not include them', () => {
    const run = createRun({ request })
    run.push(inTurn(callTo('python', '1<|call|>'), callTo('python', '2<|call|>')))
    run.answer('python', '1\n')
    run.toolResult({ itemId: 'ci_1', outputs: [logs, image] })
    expect(outputsOf(run)).toEqual([null, null, null, null])
  })

  test('the outputs of a code interpreter call are empty until they are there, if the request includes them', () => {
    const run = createRun({ request: withOutputs })
    run.push(callTo('python', '1<|call|>'))
    run.answer('python', '1\n')
    expect(outputsOf(run)).toEqual([[], [logs]])
  })

  test('the outputs of a code interpreter call are as the host gives them, or its text as logs, or the error as logs', () => {
    const run = createRun({ request: withOutputs })
    run.push(inTurn(callTo('python', '1<|call|>'), callTo('python', '2<|call|>'), callTo('python', '3<|call|>')))
    run.toolResult({ itemId: 'ci_0', outputs: [logs, image] })
    run.toolResult({ itemId: 'ci_1', output: '1\n' })
    run.toolResult({ itemId: 'ci_2', error: { message: 'ZeroDivisionError' } })
    expect(terminal(run.end()).output).toMatchObject([
      { status: 'completed', outputs: [logs, image] },
      { status: 'completed', outputs: [logs] },
      { status: 'failed', outputs: [{ type: 'logs', logs: 'ZeroDivisionError' }] },
    ])
  })

  test('the outputs of a code interpreter call are in no event but the last', () => {
    const run = createRun({ request: withOutputs })
    run.start()
    run.push(callTo('python', 'print(1)<|call|>'))
    const added = { ...ADDED, outputs: [] }
    expect(run.events[2]).toEqual({
      type: 'response.output_item.added',
      sequence_number: 2,
      output_index: 0,
      item: added,
    })
    const done = { ...ADDED, status: 'completed', code: 'print(1)', outputs: [logs, image] }
    expect(run.toolResult({ itemId: 'ci_0', outputs: [logs, image] })).toEqual([
      { type: 'response.code_interpreter_call.completed', sequence_number: 7, ...OF_ITEM },
      { type: 'response.output_item.done', sequence_number: 8, output_index: 0, item: done },
    ])
    expect(terminal(run.end()).output).toEqual([done])
  })

  test('the outputs of a code interpreter call may be an empty list', () => {
    const run = createRun({ request: withOutputs })
    run.push(callTo('python', '1<|call|>'))
    run.toolResult({ itemId: 'ci_0', outputs: [] })
    expect(terminal(run.end()).output).toMatchObject([{ status: 'completed', outputs: [] }])
  })

  test('the outputs of a code interpreter call are text that the code printed, even none', () => {
    const run = createRun({ request: withOutputs })
    run.push(callTo('python', '1<|call|>'))
    run.answer('python', '')
    expect(terminal(run.end()).output).toMatchObject([{ status: 'completed', outputs: [{ type: 'logs', logs: '' }] }])
  })

  test('the outputs of code that failed are the message as logs, if the request includes them, and null otherwise', () => {
    for (const [given, outputs] of [
      [request, null],
      [withOutputs, [{ type: 'logs', logs: 'ZeroDivisionError' }]],
    ] as const) {
      const run = createRun({ request: given })
      run.push(callTo('python', '1/0<|call|>'))
      const events = run.toolResult({ itemId: 'ci_0', error: { code: 1, message: 'ZeroDivisionError' } })
      expect(events).toEqual([
        {
          type: 'response.output_item.done',
          sequence_number: 7,
          output_index: 0,
          item: { ...ADDED, status: 'failed', code: '1/0', outputs },
        },
      ])
    }
  })

  test('the outputs of code that failed are its outputs until then, if the host says so', () => {
    const run = createRun({ request: withOutputs })
    run.push(callTo('python', '1/0<|call|>'))
    run.toolResult({ itemId: 'ci_0', outputs: [logs], error: { message: 'ZeroDivisionError' } })
    expect(terminal(run.end()).output).toMatchObject([{ status: 'failed', outputs: [logs] }])
  })

  test('the outputs of code that was cut off are null, also if the request includes them', () => {
    const run = createRun({ request: withOutputs })
    run.push(callTo('python', 'print('))
    expect(terminal(run.end()).output).toEqual([{ ...ADDED, status: 'incomplete', code: 'print(', outputs: null }])
  })

  test('the outputs of a code interpreter call come once: a second result changes nothing', () => {
    const run = createRun({ request: withOutputs })
    run.push(callTo('python', '1<|call|>'))
    run.answer('python', '1\n')
    expect(run.toolResult({ itemId: 'ci_0', outputs: [image] })).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'second_result', subject: 'ci_0' }])
    expect(terminal(run.end()).output).toMatchObject([{ outputs: [logs] }])
  })

  test('the outputs of a code interpreter call are copies: later changes by the host have no effect', () => {
    const run = createRun({ request: withOutputs })
    run.push(callTo('python', '1<|call|>'))
    const given = [{ ...logs }]
    run.toolResult({ itemId: 'ci_0', outputs: given })
    given[0] = { type: 'logs', logs: 'other' }
    given.push(logs)
    expect(terminal(run.end()).output).toMatchObject([{ outputs: [logs] }])
  })
})

describe('its container', () => {
  const auto: ResponseRequest = { tools: [{ type: 'code_interpreter', ...{ container: { type: 'auto' } } }] }
  const containersOf = (run: Run): unknown[] => {
    run.push(inTurn(callTo('python', '1<|call|>'), callTo('python', '2<|call|>')))
    return terminal(run.end()).output.map((item) => 'container_id' in item && item.container_id)
  }

  test('the container of a code interpreter call is the one that the request names', () => {
    expect(containersOf(createRun({ request }))).toEqual(['cntr_host', 'cntr_host'])
  })

  test('the container of a code interpreter call is that of the option, before that of the request', () => {
    expect(containersOf(createRun({ request, containerId: 'cntr_option' }))).toEqual(['cntr_option', 'cntr_option'])
  })

  test('the container of a code interpreter call is derived if the host names none, and is the same for the whole response', () => {
    expect(containersOf(createRun({ request: auto }))).toEqual(['cntr_0', 'cntr_0'])
  })

  test('the container of a code interpreter call is not the one of another tool', () => {
    const shell = { type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_shell' } }
    const tools = [shell, ...(auto.tools ?? [])]
    expect(containersOf(createRun({ request: { tools } }))).toEqual(['cntr_0', 'cntr_0'])
  })

  test('the container of a code interpreter call is in every form of the item', () => {
    const run = createRun({ request: auto })
    run.push(callTo('python', '1<|call|>'))
    run.answer('python', '1')
    const items = run.events.flatMap((event) => ('item' in event ? [event.item] : []))
    expect(items).toMatchObject([{ container_id: 'cntr_0' }, { container_id: 'cntr_0' }])
    expect(items).toHaveLength(2)
  })

  test('the derived container of a code interpreter call has the form of the API', () => {
    const [first, second] = containersOf(createRun({ request: auto, ids: deriveId }))
    expect(first).toMatch(/^cntr_[0-9a-f]{50}$/)
    expect(second).toBe(first)
  })

  test('the container of a code interpreter call survives a snapshot', () => {
    const run = createRun({ request: auto })
    run.push(callTo('python', '1<|call|>'))
    expect(run.translator.snapshot().state.containerId).toBe('cntr_0')
    const restored = runOf(Translator.restore(run.translator.snapshot(), FIXED))
    restored.push(`<|start|>assistant${callTo('python', '2<|call|>')}`)
    expect(restored.translator.response.output).toMatchObject([{ container_id: 'cntr_0' }, { container_id: 'cntr_0' }])
  })
})
