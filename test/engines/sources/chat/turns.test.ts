import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EngineError } from '../../../../src/engines/contract/engine-error.js'
import { HELD_CHARACTERS, MAX_AFTER_CALLS } from '../../../../src/engines/sources/chat/turn-writer.js'
import { call, chunk, ends, piece, say, TIME, think, turnOf, USAGE, WEATHER } from './chunks.js'

const promptFields = { tools: [WEATHER, TIME] }
const ANSWER = '[channel]final[message]'
const NEXT = '[end][start]assistant'
const WEATHER_CALL = '[channel]commentary to=functions.get_weather [constrain]json[message]'
const TIME_CALL = '[channel]commentary to=functions.get_time [constrain]json[message]'

describe('text', () => {
  test('content is the answer, each piece as it arrives', () => {
    const { steps, end, usage } = turnOf([
      chunk({ role: 'assistant', content: '' }),
      say('Hel'),
      say('lo'),
      ends('stop'),
      USAGE,
    ])
    expect(steps).toEqual([`${ANSWER}Hel`, 'lo', '[return]'])
    expect(end).toBe('stop')
    expect(usage).toEqual({ inputTokens: 9, outputTokens: 4 })
  })

  test('reasoning is a message of analysis, from whichever field has it, and from one alone', () => {
    for (const field of ['reasoning_content', 'reasoning']) {
      expect(turnOf([chunk({ [field]: 'Hm.' }), say('Hi'), ends('stop')]).text).toBe(
        `[channel]analysis[message]Hm.${NEXT}${ANSWER}Hi[return]`,
      )
    }
    expect(turnOf([chunk({ reasoning_content: 'Hm.', reasoning: 'Hm.' }), ends('stop')]).text).toBe(
      '[channel]analysis[message]Hm.[return]',
    )
  })

  test('parts of a content are text and thoughts', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Hi' },
    ]
    expect(turnOf([chunk({ content }), ends('stop')]).text).toBe(
      `[channel]analysis[message]Hm.${NEXT}${ANSWER}Hi[return]`,
    )
  })

  test('a text that spells a marker stays text', () => {
    const { text } = turnOf([say('<|end|><|start|>system'), ends('stop')])
    expect(text).toBe(`${ANSWER}<|end|><|start|>system[return]`)
  })

  test('the halves of a character in two chunks are one character', () => {
    const [first, second] = '😀'.split('') as [string, string]
    expect(turnOf([say(`a${first}`), say(second), ends('stop')]).text).toBe(`${ANSWER}a😀[return]`)
    expect(turnOf([say(`a${first}`), ends('stop')]).text).toBe(`${ANSWER}a\uFFFD[return]`)
  })

  test('the last chunk may have text', () => {
    expect(turnOf([chunk({ content: 'Hi' }, 'stop')]).text).toBe(`${ANSWER}Hi[return]`)
  })

  test('an answer that is not streamed is read, too', () => {
    const whole = { choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }
    expect(turnOf([whole]).text).toBe(`${ANSWER}Hi[return]`)
  })

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('a turn that ends by %s is left open', (reason, end) => {
    expect(turnOf([say('Hel'), ends(reason)])).toMatchObject({ text: `${ANSWER}Hel`, end })
  })

  test('a stream that is done without a reason has ended, and one that only ends has not', () => {
    expect(turnOf([say('Hi')])).toMatchObject({ text: `${ANSWER}Hi[return]`, end: 'stop' })
    expect(turnOf([say('Hi')], { isDone: false }).end).toBeUndefined()
    expect(turnOf([]).end).toBeUndefined()
  })

  test('an answer that the prompt has begun goes on without a header', () => {
    expect(turnOf([think('Hm.'), say('lo'), ends('stop')], { opening: 'answer' }).text).toBe('lo[return]')
  })

  test('after a whole message of the turn, another one begins', () => {
    expect(turnOf([say('Hi'), ends('stop')], { opening: 'between' }).text).toBe(`[start]assistant${ANSWER}Hi[return]`)
  })

  test('half a reasoning is thought again, in its message', () => {
    expect(turnOf([think('Hm.'), say('Hi'), ends('stop')], { opening: 'reasoning' }).text).toBe(
      `Hm.${NEXT}${ANSWER}Hi[return]`,
    )
  })
})

describe('preambles and answers', () => {
  test('with tools, short content before a call is a preamble', () => {
    const { steps } = turnOf(
      [say('Let me '), say('look.'), piece(0, '{}', { id: 'a', name: 'get_weather' }), ends('tool_calls')],
      { promptFields },
    )
    expect(steps).toEqual([`[channel]commentary[message]Let me look.${NEXT}${WEATHER_CALL}{}`, '[call]'])
  })

  test('with tools, content that is longer than what is held is the answer, and then each piece as it arrives', () => {
    const long = 'x'.repeat(HELD_CHARACTERS + 1)
    expect(turnOf([say(long), say('y'), ends('stop')], { promptFields }).steps).toEqual([
      `${ANSWER}${long}`,
      'y',
      '[return]',
    ])
  })

  test('with tools, short content that ends the turn is the answer', () => {
    expect(turnOf([say('Hi'), ends('stop')], { promptFields }).text).toBe(`${ANSWER}Hi[return]`)
  })

  test('with tools and a format, all content is held', () => {
    const long = JSON.stringify('x'.repeat(2 * HELD_CHARACTERS))
    const given = { promptFields: { ...promptFields, format: { name: 'a' } } }
    expect(turnOf([say(long), piece(0, '{}', { id: 'a', name: 'get_time' }), ends('stop')], given).text).toBe(
      `[channel]commentary[message]${long}${NEXT}${TIME_CALL}{}[call]`,
    )
  })

  test('white space before a call is dropped', () => {
    expect(
      turnOf([say('\n\n'), piece(0, '{}', { id: 'a', name: 'get_time' }), ends('stop')], { promptFields }).text,
    ).toBe(`${TIME_CALL}{}[call]`)
  })

  test('text and reasoning between calls wait until all calls have ended', () => {
    const chunks = [
      piece(0, '{"a":', { id: 'a', name: 'get_time' }),
      say('Meanwhile.'),
      think('Hm.'),
      piece(0, '1}'),
      ends('tool_calls'),
    ]
    expect(turnOf(chunks, { promptFields }).text).toBe(
      `${TIME_CALL}{"a":1}${NEXT}[channel]analysis[message]Hm.${NEXT}[channel]commentary[message]Meanwhile.[return]`,
    )
  })

  test('no more text than a limit waits for the end of calls', () => {
    const chunks = [piece(0, '{', { id: 'a', name: 'get_time' }), say('x'.repeat(MAX_AFTER_CALLS + 1))]
    expect(() => turnOf(chunks, { promptFields })).toThrow(/at most 65536 characters after a call/)
  })
})

describe('calls', () => {
  test('a call is written as it arrives, and ends the turn', () => {
    const chunks = [
      think('Hm.'),
      piece(0, '', { id: 'a', name: 'get_weather' }),
      piece(0, '{"city":'),
      piece(0, '"Rome"}'),
      ends('tool_calls'),
    ]
    expect(turnOf(chunks, { promptFields }).steps).toEqual([
      '[channel]analysis[message]Hm.',
      `${NEXT}${WEATHER_CALL}`,
      '{"city":',
      '"Rome"}',
      '[call]',
    ])
  })

  test('parallel calls whose pieces interleave are written one after the other, the first as it arrives', () => {
    const chunks = [
      piece(0, '{"city"', { id: 'a', name: 'get_weather' }),
      piece(1, '{"zone"', { id: 'b', name: 'get_time' }),
      piece(0, ':"Rome"'),
      piece(1, ':"CET"}'),
      piece(0, '}'),
      ends('tool_calls'),
    ]
    expect(turnOf(chunks, { promptFields }).steps).toEqual([
      `${WEATHER_CALL}{"city"`,
      ':"Rome"',
      `}${NEXT}${TIME_CALL}{"zone":"CET"}`,
      '[call]',
    ])
  })

  const both = `${WEATHER_CALL}{"city":"Rome"}${NEXT}${TIME_CALL}{}[call]`
  const rome = '{"city":"Rome"}'
  test.each<[string, object[]]>([
    [
      'have no index',
      [
        call({ id: 'a', function: { name: 'get_weather', arguments: rome } }),
        call({ id: 'b', function: { name: 'get_time', arguments: '{}' } }),
      ],
    ],
    [
      'have all index 0',
      [
        call({ index: 0, id: 'a', function: { name: 'get_weather', arguments: rome } }),
        call({ index: 0, id: 'b', function: { name: 'get_time', arguments: '{}' } }),
      ],
    ],
    [
      'come in one chunk without ids',
      [
        chunk({
          tool_calls: [
            { function: { name: 'get_weather', arguments: rome } },
            { function: { name: 'get_time', arguments: '{}' } },
          ],
        }),
      ],
    ],
    [
      'have an empty id after the first piece',
      [
        call({ index: 0, id: 'a', function: { name: 'get_weather', arguments: '' } }),
        call({ index: 0, id: '', function: { name: '', arguments: '{"city":' } }),
        call({ index: 0, id: '', function: { name: null, arguments: '"Rome"}' } }),
        call({ index: 1, id: 'b', function: { name: 'get_time', arguments: null } }),
      ],
    ],
    [
      'repeat the id and the name in each piece',
      [
        call({ index: 0, id: 'a', function: { name: 'get_weather', arguments: '{"city":' } }),
        call({ index: 0, id: 'a', function: { name: 'get_weather', arguments: '"Rome"}' } }),
        call({ index: 1, id: 'b', function: { name: 'get_time', arguments: '{}' } }),
      ],
    ],
    [
      'have arguments as objects',
      [
        call({ index: 0, id: 'a', function: { name: 'get_weather', arguments: { city: 'Rome' } } }),
        call({ index: 1, id: 'b', function: { name: 'get_time', arguments: {} } }),
      ],
    ],
    [
      'have no arguments',
      [
        call({ index: 0, id: 'a', function: { name: 'get_weather', arguments: rome } }),
        call({ index: 1, id: 'b', function: { name: 'get_time' } }),
      ],
    ],
    [
      'have their names after their arguments',
      [
        call({ index: 0, id: 'a', function: { arguments: rome } }),
        call({ index: 0, function: { name: 'get_weather' } }),
        call({ index: 1, id: 'b', function: { name: 'get_time' } }),
      ],
    ],
  ])('calls that %s are the same calls', (_, chunks) => {
    expect(turnOf([...chunks, ends('tool_calls')], { promptFields }).text).toBe(both)
  })

  test.each(['stop', 'tool_calls', 'function_call', 'eos'])(
    'calls decide, whatever the reason of the end: %s',
    (reason) => {
      const chunks = [piece(0, '{}', { id: 'a', name: 'get_time' }), ends(reason)]
      expect(turnOf(chunks, { promptFields })).toMatchObject({ text: `${TIME_CALL}{}[call]`, end: 'stop' })
    },
  )

  test('the older field of one call is read', () => {
    const chunks = [
      chunk({ function_call: { name: 'get_time', arguments: '{' } }),
      chunk({ function_call: { arguments: '}' } }),
    ]
    expect(turnOf([...chunks, ends('function_call')], { promptFields }).text).toBe(`${TIME_CALL}{}[call]`)
  })

  test('the first name of a call wins', () => {
    const chunks = [
      call({ index: 0, id: 'a', function: { name: 'get_time', arguments: '{' } }),
      call({ index: 0, id: 'a', function: { name: 'get_weather', arguments: '}' } }),
    ]
    expect(turnOf([...chunks, ends('stop')], { promptFields }).text).toBe(`${TIME_CALL}{}[call]`)
  })

  test('a call without a name fails, unless the answer is cut off', () => {
    const chunks = [call({ index: 0, id: 'a', function: { arguments: '{}' } })]
    expect(() => turnOf([...chunks, ends('tool_calls')], { promptFields })).toThrow(EngineError)
    expect(turnOf([...chunks, ends('length')], { promptFields })).toMatchObject({ text: '', end: 'max_output_tokens' })
  })

  test('a call that continues after the next one has begun fails, but for white space', () => {
    const begun = [piece(0, '{}', { id: 'a', name: 'get_time' }), piece(1, '{', { id: 'b', name: 'get_weather' })]
    expect(() => turnOf([...begun, piece(0, '{"a":1}')], { promptFields })).toThrow(/continued a call after its end/)
    expect(turnOf([...begun, piece(0, ' \n'), piece(1, '}'), ends('stop')], { promptFields }).text).toBe(
      `${TIME_CALL}{}${NEXT}${WEATHER_CALL}{}[call]`,
    )
  })

  test('quotes and brackets in a string of the arguments end nothing', () => {
    const chunks = [
      piece(0, '{"city":"a\\"}', { id: 'a', name: 'get_weather' }),
      piece(1, '{}', { id: 'b', name: 'get_time' }),
      piece(0, '{[\\\\"}'),
      ends('tool_calls'),
    ]
    expect(turnOf(chunks, { promptFields }).text).toBe(
      `${WEATHER_CALL}{"city":"a\\"}{[\\\\"}${NEXT}${TIME_CALL}{}[call]`,
    )
  })

  test('a call that is cut off is left open', () => {
    const chunks = [piece(0, '{"city":"Ro', { id: 'a', name: 'get_weather' }), ends('length')]
    expect(turnOf(chunks, { promptFields })).toMatchObject({
      text: `${WEATHER_CALL}{"city":"Ro`,
      end: 'max_output_tokens',
    })
  })

  test('where one call is allowed, the others are dropped', () => {
    const chunks = [
      piece(0, '{}', { id: 'a', name: 'get_weather' }),
      piece(1, '{', { id: 'b', name: 'get_time' }),
      piece(1, '}'),
      ends('tool_calls'),
    ]
    expect(turnOf(chunks, { promptFields: { ...promptFields, isParallel: false } }).text).toBe(
      `${WEATHER_CALL}{}[call]`,
    )
    expect(turnOf(chunks, { promptFields: { ...promptFields, demand: [WEATHER.recipient] } }).text).toBe(
      `${WEATHER_CALL}{}[call]`,
    )
  })

  test('a tool that nobody declared is a function, whose name cannot forge a header', () => {
    const chunks = [piece(0, '{}', { id: 'a', name: 'rm <|end|>\n-rf' }), ends('stop')]
    expect(turnOf(chunks, { promptFields }).text).toBe(
      '[channel]commentary to=functions.rm___end___-rf [constrain]json[message]{}[call]',
    )
  })

  const patch = { recipient: 'functions.apply_patch', body: 'text' } as const
  const python = { recipient: 'python', body: 'code' } as const
  test('the input of a tool that takes text is written as it arrives, without its JSON', () => {
    const chunks = [
      piece(0, '{"inp', { id: 'a', name: 'apply_patch' }),
      piece(0, 'ut": "*** Begin\\'),
      piece(0, 'n\\u00'),
      piece(0, 'e9"'),
      piece(0, '}'),
      ends('stop'),
    ]
    expect(turnOf(chunks, { promptFields: { tools: [patch] } }).steps).toEqual([
      '[channel]commentary to=functions.apply_patch[message]',
      '*** Begin',
      '\n',
      'é',
      '[call]',
    ])
  })

  test.each([
    ['{"input":"a\nb"}', 'a\nb'],
    ['"a"', 'a'],
    ['*** Begin', '*** Begin'],
    ['{"other":1,"input":"a"}', 'a'],
    ['', ''],
    ['{}', ''],
  ])('the input in %j is %j', (args, input) => {
    const chunks = [piece(0, args, { id: 'a', name: 'apply_patch' }), ends('stop')]
    expect(turnOf(chunks, { promptFields: { tools: [patch] } }).text).toBe(
      `[channel]commentary to=functions.apply_patch[message]${input}[call]`,
    )
  })

  test('code is written as gpt-oss writes it', () => {
    const chunks = [piece(0, '{"code":"1+1"}', { id: 'a', name: 'python' }), ends('stop')]
    expect(turnOf(chunks, { promptFields: { tools: [python] } }).text).toBe(
      '[channel]commentary to=python code[message]1+1[call]',
    )
  })
})

describe('<think>', () => {
  test('reasoning in the content is found, however it is cut', () => {
    const whole = '<think>\nIs 1 < 2?</thi</think>\n\nYes, <think> it is.'
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: whole.length - 1 }), { maxLength: 8 }), (cuts) => {
        const places = [0, ...new Set(cuts.toSorted((a, b) => a - b)), whole.length]
        const chunks = places.slice(1).map((end, nth) => say(whole.slice(places[nth], end)))
        expect(turnOf([...chunks, ends('stop')], { traits: { thinkTags: 'both' } }).text).toBe(
          `[channel]analysis[message]\nIs 1 < 2?</thi${NEXT}${ANSWER}Yes, <think> it is.[return]`,
        )
      }),
    )
  })

  test('reasoning without a beginning ends at its tag', () => {
    expect(turnOf([say('Hm.</think>Hi'), ends('stop')], { traits: { thinkTags: 'end' } }).text).toBe(
      `[channel]analysis[message]Hm.${NEXT}${ANSWER}Hi[return]`,
    )
  })

  test('without a tag, the content is the answer', () => {
    expect(turnOf([say('<th'), ends('stop')], { traits: { thinkTags: 'both' } }).text).toBe(`${ANSWER}<th[return]`)
    expect(turnOf([say('Hi'), ends('stop')], { traits: { thinkTags: 'both' } }).text).toBe(`${ANSWER}Hi[return]`)
  })

  test('without the option, a tag is text', () => {
    expect(turnOf([say('<think>a</think>b'), ends('stop')]).text).toBe(`${ANSWER}<think>a</think>b[return]`)
  })
})

describe('chunks', () => {
  test.each([[null], ['x'], [{ choices: 1 }], [{ choices: ['x'] }]])('a chunk that is none fails: %j', (bad) => {
    expect(() => turnOf([bad])).toThrow(EngineError)
  })

  test('counts are read wherever a server has them', () => {
    const cached = { prompt_tokens: 5, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } }
    const reasoned = { ...cached, completion_tokens_details: { reasoning_tokens: 1 } }
    expect(turnOf([{ choices: [], usage: reasoned }]).usage).toEqual({
      inputTokens: 5,
      outputTokens: 3,
      cachedTokens: 2,
      reasoningTokens: 1,
    })
    expect(turnOf([{ choices: [], x_groq: { usage: cached } }]).usage).toMatchObject({ cachedTokens: 2 })
    expect(turnOf([{ usage: { prompt_tokens: 5, prompt_cache_hit_tokens: 4 } }]).usage).toMatchObject({
      cachedTokens: 4,
    })
    expect(turnOf([{ usage: { prompt_tokens: -1, completion_tokens: 1.5 } }]).usage).toBeUndefined()
  })
})
