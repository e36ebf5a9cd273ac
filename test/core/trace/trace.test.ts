import { describe, expect, test } from 'vitest'
import { urlCitations } from '../../../src/core/citations/url-citations.js'
import { loadTokenTable, type Trace } from '../../../src/index.js'
import { encodeHarmony, encodeText } from '../../support/tokens.js'
import { fn } from '../recipients/tools.js'
import { callTo, createRun, inTurn, messageOn, type Run, toolMessage } from '../translate/run.js'

const tokenTable = await loadTokenTable()
const request = { tools: [fn('f')] }

/** Events with their tokens: `output_text.delta 3-4`. */
function ranges(run: Run): string[] {
  return run.traces.flatMap((trace) =>
    trace.type === 'event' ? [`${trace.event.type.replace('response.', '')} ${trace.from}-${trace.to}`] : [],
  )
}

const ofType = <Type extends Trace['type']>(run: Run, type: Type): Extract<Trace, { type: Type }>[] =>
  run.traces.filter((trace) => trace.type === type) as Extract<Trace, { type: Type }>[]

describe('events and the tokens they came from', () => {
  test('each event is traced to the token that it came from', () => {
    const run = createRun({ tokenTable })
    const ids = encodeHarmony('<|channel|>final<|message|>Hello world<|return|>')
    expect(ids).toHaveLength(6)
    run.push(...ids)
    run.end()
    expect(ranges(run)).toEqual([
      'created -1--1',
      'in_progress -1--1',
      'output_item.added 2-2',
      'content_part.added 2-2',
      'output_text.delta 3-3',
      'output_text.delta 4-4',
      'output_text.done 5-5',
      'content_part.done 5-5',
      'output_item.done 5-5',
      'completed 5-5',
    ])
  })

  test('every event is traced once, in the order in which it is sent', () => {
    const run = createRun({ request })
    run.push(inTurn(messageOn('analysis', 'Hm.<|end|>'), callTo('functions.f', ' <|call|>'), messageOn('final', 'Hi')))
    run.fail({ message: 'no' })
    expect(ofType(run, 'event').map(({ event }) => event)).toEqual(run.events)
  })

  test('a delta is traced to all of its tokens, also to those of one character', () => {
    const run = createRun({ tokenTable })
    run.push(encodeHarmony('<|channel|>final<|message|>'))
    run.push(encodeText('Hello there world'))
    const character = encodeText('🫠')
    run.push(...character)
    expect(ranges(run).slice(-2)).toEqual(['output_text.delta 3-5', `output_text.delta 6-${5 + character.length}`])
  })

  test('each of several items of one push is traced to its own tokens', () => {
    const run = createRun({ tokenTable })
    const ids = encodeHarmony('<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Hi')
    run.push(ids)
    const deltas = ranges(run).filter((line) => line.includes('.delta'))
    const hi = ids.length - 1
    expect(deltas).toEqual(['reasoning_text.delta 3-4', `output_text.delta ${hi}-${hi}`])
  })

  test('text that a header turned into is traced from the first token of the header', () => {
    const run = createRun()
    run.push('<|channel|>', 'analysis need', ' most recent', ' CPI', '<|end|>')
    expect(ranges(run).find((line) => line.startsWith('reasoning_text.delta'))).toBe('reasoning_text.delta 0-2')
  })

  test("text that ends a message of the host's is traced from its own first token", () => {
    const run = createRun({ tokenTable })
    run.push(
      { host: '<|start|>f to=assistant<|message|>1' },
      encodeText('It is one, and that is all that I can say.'),
      '<|return|>',
    )
    const deltas = ranges(run).filter((line) => line.includes('.delta'))
    expect(deltas[0]).toMatch(/^output_text.delta 1-/)
  })

  test('a text chunk is traced as one token', () => {
    const run = createRun()
    run.push('<|channel|>final<|message|>', 'a', ' b', '<|return|>')
    const deltas = ranges(run).filter((line) => line.includes('delta'))
    expect(deltas).toEqual(['output_text.delta 1-1', 'output_text.delta 2-2'])
  })

  test('a delta that begins with half a character of the push before is traced from there', () => {
    const run = createRun({ tokenTable })
    run.push(...encodeHarmony('<|channel|>final<|message|>'))
    const [hello = 0] = encodeText('Hello')
    const [half = 0, ...rest] = encodeText('🫠')
    run.push([hello, half])
    run.push(rest)
    expect(ranges(run).slice(-2)).toEqual(['output_text.delta 3-4', `output_text.delta 4-${4 + rest.length}`])
  })

  test('a delta that begins with text of the push before, which could have become a marker, comes from there', () => {
    const run = createRun()
    run.push('<|channel|>final<|message|>', 'a <', ' b')
    expect(ranges(run).slice(-2)).toEqual(['output_text.delta 1-1', 'output_text.delta 1-2'])
  })

  test('a delta that begins with white space that was held back is traced from there', () => {
    const run = createRun({ request })
    run.push(callTo('functions.f'), ' ', '{}')
    expect(ranges(run).at(-1)).toBe('function_call_arguments.delta 1-2')
  })

  test('the delta of a call that is announced whole is traced from its first token', () => {
    const run = createRun({ request, calls: 'whole' })
    run.push(callTo('functions.f'), '{', '}', '<|call|>')
    expect(ranges(run).at(-3)).toMatch(/^function_call_arguments.delta 1-[23]$/)
  })
})

describe('tokens', () => {
  test("every token is traced with its text, its author and the parser's position", () => {
    const run = createRun({ tokenTable })
    run.push(encodeHarmony('<|channel|>final<|message|>Hi<|end|>'))
    run.push({ host: encodeHarmony('<|start|>user') }, { host: '<|message|>x' })
    expect(ofType(run, 'token').map(({ index, text, origin, position }) => [index, text, origin, position])).toEqual([
      [0, '<|channel|>', 'model', 'header'],
      [1, 'final', 'model', 'header'],
      [2, '<|message|>', 'model', 'header'],
      [3, 'Hi', 'model', 'content'],
      [4, '<|end|>', 'model', 'content'],
      [5, '<|start|>', 'host', 'between'],
      [6, 'user', 'host', 'header'],
      [7, '<|message|>x', 'host', 'header'],
    ])
    expect(ofType(run, 'token').map(({ token }) => token)).toEqual([
      200005,
      17196,
      200008,
      12194,
      200007,
      200006,
      1428,
      null,
    ])
  })

  test('half characters are traced as U+FFFD, ids outside the vocabulary by their number', () => {
    const run = createRun({ tokenTable })
    const [half = 0] = encodeText('🫠')
    run.push(half, 300000)
    expect(ofType(run, 'token').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^\ufffd+$/),
      expect.stringContaining('300000'),
    ])
  })

  test("the parser's results are traced between the tokens, except for repairs, which are diagnostics", () => {
    const run = createRun()
    run.push('<|channel|>final<|message|>Hi<|message|><|return|>')
    expect(ofType(run, 'harmony')).toEqual([
      {
        type: 'harmony',
        index: 0,
        event: { type: 'message_start', origin: 'model', header: { role: 'assistant', channel: 'final' } },
      },
      { type: 'harmony', index: 0, event: { type: 'message_text', origin: 'model', text: 'Hi' } },
      { type: 'harmony', index: 0, event: { type: 'message_end', origin: 'model', terminator: 'return' } },
    ])
  })
})

test("the host's tokens are traced, and cause no event except the result's", () => {
  const run = createRun({ policy: 'vllm' })
  run.push(callTo('python', '1<|call|>'), toolMessage('python', '1'))
  expect(ofType(run, 'token').map(({ origin }) => origin)).toEqual(['model', 'host'])
  expect(ranges(run).slice(-2)).toEqual(['mcp_call.completed 1-1', 'output_item.done 1-1'])
})

test('text that is held back as the beginning of a citation mark comes from the tokens that spell it', () => {
  const run = createRun({ citations: urlCitations({ resolve: () => ({ url: 'https://e.com', title: 'E' }) }) })
  for (const text of ['<|channel|>final<|message|>', 'So【', '3†', 'L1】', '!', '<|return|>']) run.push(text)
  run.end('stop')
  const deltas = ofType(run, 'event').filter(({ event }) => event.type === 'response.output_text.delta')
  expect(deltas.map(({ event, from, to }) => `${'delta' in event && event.delta} ${from}-${to}`)).toEqual([
    'So 1-1',
    ' ([e.com](https://e.com/)) 1-3',
    '! 4-4',
  ])
})
