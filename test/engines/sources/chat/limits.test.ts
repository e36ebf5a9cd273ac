import { describe, expect, test } from 'vitest'
import { MAX_CALLS, MAX_WAITING } from '../../../../src/engines/sources/chat/call-list.js'
import { MAX_WORD } from '../../../../src/engines/sources/chat/chat-chunk.js'
import { MAX_INPUT } from '../../../../src/engines/sources/chat/free-text.js'
import { MAX_BEFORE_TAG } from '../../../../src/engines/sources/chat/think-tags.js'
import { HELD_JSON, MAX_AFTER_CALLS } from '../../../../src/engines/sources/chat/turn-writer.js'
import { createChatEngine } from '../../../../src/engines/sources/chat.js'
import { MAX_EVENT_LENGTH } from '../../../../src/engines/sources/http/event-reader.js'
import { errorOf } from '../../../support/error-of.js'
import { readTokens } from '../../../support/read-tokens.js'
import { encodeHarmony } from '../../../support/tokens.js'
import { call, chunk, ends, piece, say, TIME, think, turnOf, WEATHER } from './chunks.js'

const promptFields = { tools: [WEATHER, TIME] }
const first = piece(0, '{', { id: 'a', name: 'get_weather' })
/** More than a limit, in pieces. */
const endless = (most: number): string[] => Array.from({ length: 17 }, () => 'x'.repeat(most / 16))

describe('a server that sends without an end', () => {
  test.each<[string, object[], number, string]>([
    [
      'the arguments of a call that waits for another',
      [first, piece(1, '{"a":"', { id: 'b', name: 'get_time' }), ...endless(MAX_WAITING).map((text) => piece(1, text))],
      ...([MAX_WAITING, 'characters of arguments that wait'] as const),
    ],
    [
      'the arguments of calls that wait together',
      [first, ...endless(MAX_WAITING).map((text, nth) => piece(1 + nth, text, { id: `b${nth}`, name: 'get_time' }))],
      ...([MAX_WAITING, 'characters of arguments that wait'] as const),
    ],
    [
      'the arguments of a call without a name',
      endless(MAX_WAITING).map((text) => call({ index: 0, id: 'a', function: { arguments: text } })),
      ...([MAX_WAITING, 'characters of arguments that wait'] as const),
    ],
    [
      'calls',
      Array.from({ length: MAX_CALLS + 1 }, (_, nth) => piece(nth, '{}', { id: `${nth}`, name: 'get_time' })),
      ...([MAX_CALLS, 'calls in a turn'] as const),
    ],
    [
      'calls in one chunk',
      [
        chunk({
          tool_calls: Array.from({ length: 5_000 }, () => ({ function: { name: 'get_time', arguments: '{}' } })),
        }),
      ],
      ...([MAX_CALLS, 'calls in a turn'] as const),
    ],
    [
      'the name of a call',
      [piece(0, '{}', { id: 'a', name: 'x'.repeat(MAX_WORD + 1) })],
      ...([MAX_WORD, 'characters of a name or an id'] as const),
    ],
    [
      'the id of a call',
      [piece(0, '{}', { id: 'x'.repeat(MAX_WORD + 1), name: 'get_time' })],
      ...([MAX_WORD, 'characters of a name or an id'] as const),
    ],
    [
      'text after a call',
      [first, ...endless(MAX_AFTER_CALLS).map(say)],
      ...([MAX_AFTER_CALLS, 'characters after a call'] as const),
    ],
    [
      'reasoning after a call',
      [first, ...endless(MAX_AFTER_CALLS).map(think)],
      ...([MAX_AFTER_CALLS, 'characters after a call'] as const),
    ],
  ])('fails for %s', (_, chunks, most, what) => {
    expect(() => turnOf(chunks, { promptFields })).toThrow(
      `the chat server: expected at most ${most} ${what}, got more`,
    )
  })

  test('fails for the arguments of a tool that takes text, in any other shape', () => {
    const patch = { recipient: 'functions.apply_patch', body: 'text' } as const
    const begins = piece(0, '{"other":"', { id: 'a', name: 'apply_patch' })
    expect(() =>
      turnOf([begins, ...endless(MAX_INPUT).map((text) => piece(0, text))], { promptFields: { tools: [patch] } }),
    ).toThrow(`expected at most ${MAX_INPUT} characters of arguments that are not \`input\`, got more`)
  })

  test('keeps nothing of what is written as it arrives: arguments, reasoning, the text of a tool, an answer', () => {
    const pieces = endless(MAX_WAITING)
    const patch = { recipient: 'functions.apply_patch', body: 'text' } as const
    const begins = piece(0, '{"input":"', { id: 'a', name: 'apply_patch' })
    for (const [chunks, tools] of [
      [pieces.map((text) => piece(0, text)), [WEATHER]],
      [pieces.map(think), [WEATHER]],
      [pieces.map((text) => piece(0, text)), [patch]],
      [pieces.map(say), []],
    ] as const) {
      const isCall = 'tool_calls' in Object(chunks[0]).choices[0].delta
      const opened = isCall ? [tools[0]?.body === 'text' ? begins : first] : []
      const { steps } = turnOf([...opened, ...chunks], { promptFields: { tools }, isDone: false })
      expect(steps.slice(opened.length)).toHaveLength(pieces.length)
    }
  })

  test('is not waited for where one call is allowed: the others are dropped', () => {
    const others = endless(MAX_WAITING).flatMap((text, nth) => [
      piece(1 + nth, '{', { id: `b${nth}`, name: 'get_time' }),
      piece(1 + nth, text),
      call({ id: `c${nth}`, function: { name: 'get_time', arguments: text } }),
      call({ function: { arguments: text } }),
    ])
    const chunks = [first, ...others, piece(0, '}'), ends('tool_calls')]
    expect(turnOf(chunks, { promptFields: { ...promptFields, isParallel: false } }).text).toBe(
      '[channel]commentary to=functions.get_weather [constrain]json[message]{}[call]',
    )
  })

  test('has answered, where JSON is demanded, after more content than may be a preamble', () => {
    const pieces = endless(HELD_JSON)
    const { steps } = turnOf(pieces.map(say), {
      promptFields: { ...promptFields, format: { name: 'a' } },
      isDone: false,
    })
    expect(steps).toEqual([`[channel]final[message]${pieces.join('')}`])
  })

  test('has answered after more white space than may precede a tag', () => {
    const pieces = Array.from({ length: MAX_BEFORE_TAG + 2 }, () => say(' '))
    const { steps } = turnOf(pieces, { traits: { thinkTags: 'both' }, isDone: false })
    expect(steps).toEqual([`[channel]final[message]${' '.repeat(MAX_BEFORE_TAG + 1)}`, ' '])
  })

  test('of a chunk without an end is cancelled', async () => {
    let sent = 0
    let isCancelled = false
    const mebibyte = new TextEncoder().encode('x'.repeat(1024 * 1024))
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: {"choices":[{"delta":{"content":"')),
      pull(controller) {
        sent += mebibyte.length
        controller.enqueue(mebibyte)
      },
      cancel() {
        isCancelled = true
      },
    })
    const engine = createChatEngine({ url: 'http://chat.invalid', model: 'm', fetch: async () => new Response(body) })
    const prompt = encodeHarmony('<|start|>user<|message|>Hi<|end|><|start|>assistant')
    expect(await errorOf(readTokens(engine.generate(prompt)))).toMatchObject({
      code: 'server_error',
      message: expect.stringContaining(`expected events of at most ${MAX_EVENT_LENGTH} characters`),
    })
    expect([isCancelled, sent < 2 * MAX_EVENT_LENGTH]).toEqual([true, true])
  })
})

describe('numbers', () => {
  test.each([Number.MAX_VALUE, Number.MAX_SAFE_INTEGER, 4_294_967_295, -1, 0.5])('an index of %d is a key', (index) => {
    const chunks = [
      piece(index, '{', { id: 'a', name: 'get_time' }),
      piece(0, '{}', { id: 'b', name: 'get_weather' }),
      piece(index, '}'),
      ends('stop'),
    ]
    expect(turnOf(chunks, { promptFields }).text).toMatch(
      /to=functions\.get_time .*\{\}.*to=functions\.get_weather .*\{\}/,
    )
  })

  test.each([Number.MAX_VALUE, Number.MAX_SAFE_INTEGER + 1, -1, 0.5, '9', null])('a count of %j is none', (count) => {
    const usage = { prompt_tokens: count, completion_tokens: count, total_tokens: count }
    expect(turnOf([say('Hi'), ends('stop'), { choices: [], usage }]).usage).toBeUndefined()
  })
})
