import { describe, expect, test } from 'vitest'
import { fn } from '../../recipients/tools.js'
import { brief, briefItem, callTo, codes, createRun, type Run, terminal } from '../run.js'

const OF_ITEM = { item_id: 'fc_0', output_index: 0 }
const request = { tools: [fn('get_weather')] }

function pushCall(run: Run, ...pieces: string[]): string[] {
  run.start()
  return brief(run.push(callTo('functions.get_weather'), ...pieces))
}

describe('the events of a function call', () => {
  test('the events of a function call come in order and whole; its call id is not its item id', () => {
    const run = createRun({ request })
    run.start()
    expect(run.push(callTo('functions.get_weather', '{"city":'), '"Paris"}<|call|>')).toEqual([
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: {
          type: 'function_call',
          id: 'fc_0',
          status: 'in_progress',
          call_id: 'call_1',
          name: 'get_weather',
          arguments: '',
        },
      },
      { type: 'response.function_call_arguments.delta', sequence_number: 3, ...OF_ITEM, delta: '{"city":' },
      { type: 'response.function_call_arguments.delta', sequence_number: 4, ...OF_ITEM, delta: '"Paris"}' },
      {
        type: 'response.function_call_arguments.done',
        sequence_number: 5,
        ...OF_ITEM,
        arguments: '{"city":"Paris"}',
      },
      {
        type: 'response.output_item.done',
        sequence_number: 6,
        output_index: 0,
        item: {
          type: 'function_call',
          id: 'fc_0',
          status: 'completed',
          call_id: 'call_1',
          name: 'get_weather',
          arguments: '{"city":"Paris"}',
        },
      },
    ])
    expect(run.diagnostics).toEqual([])
  })

  test.each(['<|call|>', '<|end|>', '<|return|>'])('%s closes a function call as complete', (marker) => {
    expect(pushCall(createRun({ request }), `{}${marker}`)).toEqual([
      'output_item.added 0',
      'function_call_arguments.delta 0 "{}"',
      'function_call_arguments.done 0',
      'output_item.done 0 completed',
    ])
  })

  test('a function call that is cut off is neither done nor whole, and stands incomplete in the response', () => {
    const run = createRun({ request })
    expect(pushCall(run, '{"ci')).toEqual(['output_item.added 0', 'function_call_arguments.delta 0 "{\\"ci"'])
    const events = run.end()
    expect(brief(events)).toEqual(['incomplete'])
    expect(terminal(events).output.map(briefItem)).toEqual(['function_call get_weather incomplete "{\\"ci"'])
  })

  test('a stop inside the arguments of a function call closes it: engines swallow <|call|>', () => {
    const run = createRun({ request })
    pushCall(run, '{}')
    expect(brief(run.end('stop'))).toEqual([
      'function_call_arguments.done 0',
      'output_item.done 0 completed',
      'completed',
    ])
  })
})

describe('the name of a function', () => {
  test.each([
    ['functions.get_weather', 'get_weather'],
    ['functions.math.sum', 'math.sum'],
    ['functions.functions.f', 'functions.f'],
    ['get_weather', 'get_weather'],
    ['constructor', 'constructor'],
    ['functions.__proto__', '__proto__'],
  ])('a call to %s is a call of the function %s', (recipient, name) => {
    const run = createRun({ request })
    run.push(callTo(recipient, '{}<|call|>'))
    expect(terminal(run.end()).output).toMatchObject([{ type: 'function_call', name }])
  })

  test('a function that the request does not have is reported and streamed all the same', () => {
    const run = createRun({ request })
    run.push(callTo('functions.get_wether', '{}<|call|>'))
    expect(run.diagnostics).toMatchObject([{ code: 'undeclared_recipient', subject: 'get_wether' }])
    expect(terminal(run.end()).output.map(briefItem)).toEqual(['function_call get_wether completed "{}"'])
  })
})

describe('its arguments', () => {
  test.each([
    ['nothing', ['<|call|>'], undefined],
    ['white space', [' \n', '\t', '<|call|>'], ' \n\t'],
    ['white space in one piece with the terminator', ['  <|call|>'], '  '],
  ])('%s as the arguments of a function call becomes {} once, with a diagnostic', (_, pieces, dropped) => {
    const run = createRun({ request })
    expect(pushCall(run, ...pieces)).toEqual([
      'output_item.added 0',
      'function_call_arguments.delta 0 "{}"',
      'function_call_arguments.done 0',
      'output_item.done 0 completed',
    ])
    expect(terminal(run.end()).output).toMatchObject([{ arguments: '{}' }])
    expect(codes(run.diagnostics)).toEqual(['blank_arguments'])
    expect(run.diagnostics[0]?.subject).toBe('get_weather')
    expect(run.diagnostics[0]?.text).toBe(dropped)
  })

  test('white space before the arguments is kept, in the first delta that says something', () => {
    expect(pushCall(createRun({ request }), ' \n', ' {', ' } ', '\n', '<|call|>')).toEqual([
      'output_item.added 0',
      'function_call_arguments.delta 0 " \\n {"',
      'function_call_arguments.delta 0 " } "',
      'function_call_arguments.delta 0 "\\n"',
      'function_call_arguments.done 0',
      'output_item.done 0 completed',
    ])
  })

  test.each(['print("hi")', '{"a":1}""', '{"a":', '"', 'null', '{"s":"\\u00e9\\n"}'])(
    '%s goes through as the arguments of a function call',
    (text) => {
      const run = createRun({ request })
      run.push(callTo('functions.get_weather', `${text}<|call|>`))
      expect(terminal(run.end()).output).toMatchObject([{ arguments: text }])
    },
  )

  test('white space of a function call that is cut off is in its arguments or in a diagnostic', () => {
    const run = createRun({ request })
    pushCall(run, '  ')
    const [item] = terminal(run.end()).output
    const kept = item?.type === 'function_call' ? item.arguments : ''
    expect(kept + run.diagnostics.map(({ text }) => text ?? '').join('')).toBe('  ')
  })
})
