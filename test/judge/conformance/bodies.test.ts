import { describe, expect, test } from 'vitest'
import { createCaptureChecker } from '../../../src/judge/conformance/index.js'
import { APIS, type ApiName, accusing, bodyOf, frame } from './accused.js'

// Which clients fail at what else a body may contain. Source: each client was given the same bodies.

const good = (api: ApiName): object[] => APIS[api].good()

/** A good stream with a change of its events. */
const changed = (api: ApiName, change: (events: object[]) => object[]): string => bodyOf(api, change(good(api)))

/** A good stream with an event at a place. */
const inserted = (api: ApiName, at: number, event: object): string =>
  changed(api, (events) => events.toSpliced(at, 0, event))

const doubled = (api: ApiName, at: number): string => inserted(api, at + 1, good(api)[at] as object)

const CHUNK = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'x' } }] }

test.each(Object.keys(APIS) as ApiName[])('nobody is accused of a good stream of %s', (api) => {
  expect(accusing(api, bodyOf(api, good(api)))).toEqual([])
})

describe('where a stream begins:', () => {
  test.each<[string, ApiName, string, string[]]>([
    ['response.created again', 'responses', doubled('responses', 0), ['openai']],
    [
      'response.in_progress first',
      'responses',
      changed('responses', ([created, progress, ...rest]) => [progress, created, ...rest] as object[]),
      ['openai', 'client:openai', 'client:openai-python'],
    ],
    ['message_start again', 'messages', doubled('messages', 0), ['messages', 'messages:anthropic']],
    ['a ping first', 'messages', inserted('messages', 0, { type: 'ping' }), []],
  ])('clients read on at %s', (_name, api, body, profiles) => {
    expect(accusing(api, body)).toEqual(profiles)
  })

  const streamsIn = (profile: 'openai' | 'messages', text: string): number => {
    const checker = createCaptureChecker({ profile })
    return [...checker.push(text), ...checker.end()].filter(({ kind }) => kind === 'stream').length
  }

  test('another answer begins behind the end of the first, and behind an error', () => {
    expect(streamsIn('messages', bodyOf('messages', good('messages')).repeat(2))).toBe(2)
    const failed = bodyOf('responses', [
      ...good('responses').slice(0, 4),
      { type: 'error', sequence_number: 4, error: { type: 'server_error', code: null, message: 'no', param: null } },
    ])
    expect(streamsIn('openai', failed + bodyOf('responses', good('responses')))).toBe(2)
  })

  test('in a list of events, an answer of another id begins where the one before was cut off', () => {
    const lines = (events: readonly object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('')
    const cut = lines(good('responses').slice(0, 4))
    expect(streamsIn('openai', cut + cut)).toBe(1)
    expect(streamsIn('openai', cut + cut.replaceAll('"resp_', '"resp_other_'))).toBe(2)
  })
})

describe('what else stands in a body:', () => {
  test.each<[string, ApiName, string, string[]]>([
    [
      '[DONE] with a blank behind it',
      'responses',
      `${bodyOf('responses', good('responses'))}data: [DONE] \n\n`,
      ['openai', 'client:openai', 'client:ai-sdk', 'client:openai-agents', 'client:langchain'],
    ],
    [
      '[DONE] with a blank behind it',
      'chat',
      bodyOf('chat', good('chat')).replace('[DONE]', '[DONE] '),
      ['chat', 'chat:openai', 'chat:ai-sdk'],
    ],
    [
      'a chunk of Chat Completions',
      'responses',
      inserted('responses', 4, CHUNK),
      ['openai', 'client:openai', 'client:ai-sdk'],
    ],
    ['a chunk of Chat Completions', 'messages', inserted('messages', 3, CHUNK), ['messages', 'messages:ai-sdk']],
    ['a ping of Messages', 'chat', inserted('chat', 1, { type: 'ping' }), ['chat', 'chat:openai', 'chat:ai-sdk']],
    [
      'an event of Responses',
      'chat',
      inserted('chat', 2, { type: 'response.output_text.delta', delta: 'x' }),
      ['chat', 'chat:openai', 'chat:ai-sdk'],
    ],
    [
      'a [DONE] with a name',
      'messages',
      `${bodyOf('messages', good('messages'))}event: data\ndata: [DONE]\n\n`,
      ['messages', 'messages:anthropic', 'messages:anthropic-python'],
    ],
    [
      'a [DONE] in the place of message_stop',
      'messages',
      `${bodyOf('messages', good('messages').slice(0, -1))}event: message_stop\ndata: [DONE]\n\n`,
      ['messages', 'messages:anthropic', 'messages:anthropic-python', 'messages:ai-sdk', 'messages:langchain'],
    ],
    ['a nameless [DONE]', 'messages', `${bodyOf('messages', good('messages'))}data: [DONE]\n\n`, []],
    [
      'no blank line behind the last event',
      'messages',
      bodyOf('messages', good('messages')).trimEnd(),
      ['messages', 'messages:anthropic', 'messages:ai-sdk'],
    ],
    [
      'frames that are all named message',
      'messages',
      bodyOf('messages', good('messages')).replaceAll(/event: .*/g, 'event: message'),
      ['messages'],
    ],
    [
      'frames under names that no client knows',
      'messages',
      bodyOf('messages', good('messages')).replaceAll(/event: .*/g, 'event: chunk'),
      ['messages', 'messages:langchain'],
    ],
    [
      'frames without names',
      'messages',
      bodyOf('messages', good('messages')).replaceAll(/event: .*\n/g, ''),
      ['messages', 'messages:anthropic', 'messages:anthropic-python', 'messages:langchain'],
    ],
    [
      'a delta under the name ping',
      'messages',
      bodyOf('messages', good('messages')).replace('event: content_block_delta', 'event: ping'),
      ['messages', 'messages:anthropic', 'messages:anthropic-python', 'messages:langchain'],
    ],
    [
      'a ping without data',
      'messages',
      bodyOf('messages', good('messages')).replace(frame({ type: 'ping' }), 'event: ping\ndata:\n\n'),
      ['messages', 'messages:ai-sdk'],
    ],
  ])('%s, in a body of %s', (_name, api, body, profiles) => {
    expect(accusing(api, body)).toEqual(profiles)
  })
})
