import { describe, expect, test } from 'vitest'
import { Translator } from '../../support/translator.js'
import { fn } from '../recipients/tools.js'
import { brief, briefItem, callTo, codes, createRun, FIXED, type Run, terminal } from '../translate/run.js'

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
      'function_call_arguments.delta 0 " }"',
      'function_call_arguments.delta 0 " \\n"',
      'function_call_arguments.done 0',
      'output_item.done 0 completed',
    ])
  })

  test.each(['print("hi")', '{a:1} {"b":2}', '{"a":', '"', 'null', '{"s":"\\u00e9\\n"}', ' {"a":"}{"} \n', '[1] 2'])(
    '%s goes through as the arguments of a function call',
    (text) => {
      const run = createRun({ request })
      run.push(callTo('functions.get_weather', `${text}<|call|>`))
      expect(terminal(run.end()).output).toMatchObject([{ arguments: text }])
    },
  )

  test.each([
    ['{"city":"P"} I will now', '{"city":"P"}', ' I will now'],
    ['{"a":1}""', '{"a":1}', '""'],
    ['{"a":1}{"a":2}', '{"a":1}', '{"a":2}'],
    ['{"a":"}\\"}"}}', '{"a":"}\\"}"}', '}'],
    [' {"a":[{}]}\n```', ' {"a":[{}]}', '\n```'],
  ])(
    'of %j, the arguments of a function call are the JSON that is whole, however it is cut',
    (text, shown, dropped) => {
      for (const size of [1, 2, 5, text.length]) {
        const run = createRun({ request })
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
          text.slice(at * size, (at + 1) * size),
        )
        pushCall(run, ...pieces, '<|call|>')
        const deltas = run.events.flatMap((event) => ('delta' in event ? [event.delta] : [])).join('')
        expect(deltas).toBe(shown)
        expect(terminal(run.end()).output).toMatchObject([{ arguments: shown, status: 'completed' }])
        expect(run.diagnostics).toMatchObject([{ code: 'text_after_arguments', subject: 'get_weather', text: dropped }])
      }
    },
  )

  test('what follows the arguments of a function call that is cut off is in a diagnostic', () => {
    const run = createRun({ request })
    pushCall(run, '{"a":1} and')
    expect(terminal(run.end()).output).toMatchObject([{ arguments: '{"a":1}', status: 'incomplete' }])
    expect(run.diagnostics).toMatchObject([{ code: 'call_cut_off', text: ' and' }])
  })

  test('arguments that continue from a snapshot end where they would have', () => {
    const run = createRun({ request })
    pushCall(run, '{"a":"}')
    const snapshot = JSON.parse(JSON.stringify(run.translator.snapshot()))
    const events = Translator.restore(snapshot, { ...FIXED, request }).push('"} there<|call|>')
    expect(events.at(-1)).toMatchObject({ item: { arguments: '{"a":"}"}', status: 'completed' } })
  })

  test.each([
    ['python', 'print(1)', { code: 'print(1)' }],
    ['python', '{1: 2}', { code: '{1: 2}' }],
    ['bash', 'ls "a"\n', { input: 'ls "a"\n' }],
    ['bash', '["ls"]', { input: '["ls"]' }],
    ['bash', '{"cmd":', { input: '{"cmd":' }],
    ['bash', ' {"cmd":"ls"}', { cmd: 'ls' }],
    ['bash', '{"cmd":"ls"} now', { cmd: 'ls' }],
  ])(
    'the arguments of a function %s that was not declared are a JSON object, if the model wrote %j',
    (name, text, args) => {
      for (const policy of ['openai', 'functions-only'] as const) {
        const run = createRun({ request: {}, policy })
        run.push(callTo(name, ''))
        for (const character of text) run.push(character)
        run.push('<|call|>')
        const [item] = terminal(run.end()).output
        expect(item).toMatchObject({ type: 'function_call', name, status: 'completed' })
        expect(JSON.parse((item as { arguments: string }).arguments)).toEqual(args)
        const deltas = run.events.flatMap((event) => ('delta' in event ? [event.delta] : [])).join('')
        expect(deltas).toBe((item as { arguments: string }).arguments)
      }
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
