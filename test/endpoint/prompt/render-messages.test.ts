import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { FIRST_SPECIAL, SPECIAL } from '../../../src/core/harmony/vocabulary.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import type { PromptMessage } from '../../../src/endpoint/prompt/prompt-message.js'
import { renderMessages, renderMessagesInSlices } from '../../../src/endpoint/prompt/render-messages.js'
import { atOnce, createWork } from '../../../src/shared/slices.js'
import { loadOfficial, type Official } from '../../support/official-parser.js'
import { RUNS, runs, sized } from '../../support/runs.js'
import { encodeHarmony, encodeText } from '../../support/tokens.js'
import { conversation } from './conversations.js'

const tokenTable = await loadTokenTable()
const render = (...messages: PromptMessage[]): number[] => Array.from(renderMessages(messages, { tokenTable }).tokens)

let official: Official
beforeAll(async () => {
  official = await loadOfficial()
}, 180_000)

describe('the tokens of a conversation', () => {
  test('the tokens of a conversation are those of the official renderer', () => {
    fc.assert(
      fc.property(conversation(), ({ official: theirs, ours }) => {
        expect(render(...ours)).toEqual(official.renderConversation(theirs))
      }),
      { numRuns: RUNS },
    )
  })

  test('the tokens of a conversation are the same in slices, and none where there are more than wanted', () => {
    const rest = fc.record({
      slice: fc.integer({ min: 1, max: 500 }),
      share: fc.double({ min: 0, max: 1.2, noNaN: true }),
    })
    fc.assert(
      fc.property(conversation(), rest, ({ ours }, { slice, share }) => {
        const whole = renderMessages(ours, { tokenTable })
        const max = Math.floor(whole.tokens.length * share)
        const rendering = renderMessagesInSlices(ours, { tokenTable, work: createWork(slice), max })
        expect(atOnce(rendering)).toEqual(whole.tokens.length > max ? undefined : whole)
      }),
      { numRuns: RUNS },
    )
  })

  test('the tokens before a completion are those of the official renderer, without the beginning of the answer', () => {
    const messages: PromptMessage[] = [{ role: 'user', content: 'Hi' }]
    const theirs = official.renderForCompletion([{ role: 'user', content: 'Hi' as never }], 'assistant')
    expect([...render(...messages), SPECIAL.start, ...encodeText('assistant')]).toEqual(theirs)
  })

  test('the tokens of each message are those of the official renderer', () => {
    fc.assert(
      fc.property(conversation(), ({ official: theirs, ours }) => {
        // The system message's sentence about functions depends on the developer message.
        const own = ours.flatMap((message, at) => (message.role === 'system' ? [] : [{ message, their: theirs[at] }]))
        for (const { message, their } of own) expect(render(message)).toEqual(official.render(their as never))
      }),
      { numRuns: runs(50) },
    )
  })
})

describe('a control token', () => {
  test('a control token comes from the structure of a message alone, whatever its texts spell', () => {
    fc.assert(
      fc.property(conversation(), ({ ours }) => {
        const expected = ours.flatMap(({ role, channel, constrained, recipient }) => [
          SPECIAL.start,
          ...(channel === undefined ? [] : [SPECIAL.channel]),
          ...(constrained ? [SPECIAL.constrain] : []),
          SPECIAL.message,
          role === 'assistant' && recipient !== undefined ? SPECIAL.call : SPECIAL.end,
        ])
        expect(render(...ours).filter((id) => id >= FIRST_SPECIAL)).toEqual(expected)
      }),
      { numRuns: runs(50) },
    )
  })
})

describe('a header', () => {
  test.each<[string, PromptMessage, string]>([
    ['a role', { role: 'user', content: 'Hi' }, '<|start|>user<|message|>Hi<|end|>'],
    ['a name', { role: 'user', name: 'ann', content: '' }, '<|start|>user:ann<|message|><|end|>'],
    [
      'a call',
      {
        role: 'assistant',
        recipient: 'functions.f',
        channel: 'commentary',
        contentType: 'json',
        constrained: true,
        content: '{}',
      },
      '<|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>{}<|call|>',
    ],
    [
      'a content type',
      { role: 'assistant', recipient: 'python', channel: 'analysis', contentType: 'code', content: '1' },
      '<|start|>assistant to=python<|channel|>analysis code<|message|>1<|call|>',
    ],
    [
      'a tool',
      { role: 'tool', name: 'functions.f', recipient: 'assistant', channel: 'commentary', content: '1' },
      '<|start|>functions.f to=assistant<|channel|>commentary<|message|>1<|end|>',
    ],
    ['everybody for a recipient', { role: 'user', recipient: 'all', content: '1' }, '<|start|>user<|message|>1<|end|>'],
  ])('the header of a message with %s is written as Harmony writes it', (_, message, expected) => {
    expect(official.encode(expected).length).toBeGreaterThan(3)
    expect(render(message)).toEqual(encodeHarmony(expected))
  })

  test.each<[string, object, string]>([
    ['a role that does not exist', { role: 'nobody' }, 'messages[0].role: expected one of assistant, user'],
    ['a tool without a name', { role: 'tool' }, 'messages[0].name: expected the name of the tool'],
    ['a tool with the name of a role', { role: 'tool', name: 'system' }, 'the name of a tool, not of a role'],
    ['a tool whose name begins like a role', { role: 'tool', name: 'user:ann' }, 'the name of a tool, not of a role'],
    ['an empty name', { role: 'user', name: '' }, 'messages[0].name: expected a word'],
    ['an empty recipient', { role: 'user', recipient: '' }, 'messages[0].recipient: expected a word'],
    ['an empty channel', { role: 'user', channel: '' }, 'messages[0].channel: expected a word'],
    ['white space in a name', { role: 'tool', name: 'a b' }, 'messages[0].name: expected the name of the tool'],
    ['white space in a recipient', { role: 'user', recipient: 'a\nb' }, 'messages[0].recipient: expected a word'],
    ['white space in a channel', { role: 'user', channel: 'a\u0085b' }, 'messages[0].channel: expected a word'],
    ['white space in a content type', { role: 'user', contentType: ' x' }, 'messages[0].contentType: expected a word'],
    ['a recipient that is no string', { role: 'user', recipient: 1 }, 'messages[0].recipient: expected a word'],
    ['a content that is no string', { role: 'user', content: ['a'] }, 'messages[0].content: expected a string'],
  ])('a message with %s is the caller’s mistake', (_, wrong, message) => {
    const made = { content: '', ...wrong } as PromptMessage
    expect(() => render(made)).toThrowError(
      expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_option' }),
    )
    expect(() => render(made)).toThrow(message)
  })
})

describe('the spans of messages', () => {
  test('the spans of messages lie one after the other, from <|start|> to the terminator', () => {
    fc.assert(
      fc.property(conversation(), ({ ours }) => {
        const { tokens, messages } = renderMessages(ours, { tokenTable })
        expect(messages.map(({ start }) => start)).toEqual([0, ...messages.map(({ end }) => end)].slice(0, ours.length))
        expect(messages.at(-1)?.end ?? 0).toBe(tokens.length)
        for (const [at, { start, end }] of messages.entries()) {
          expect(Array.from(tokens.subarray(start, end))).toEqual(render(ours[at] as PromptMessage))
        }
      }),
      { numRuns: runs(50) },
    )
  })

  test('the span of a message says whose message it is, and which item it came from', () => {
    const { messages } = renderMessages(
      [
        { role: 'user', content: 'x', item: 3 },
        { role: 'assistant', channel: 'analysis', recipient: 'python', content: 'y' },
      ],
      { tokenTable },
    )
    expect(messages).toEqual([
      { role: 'user', start: 0, end: 5, item: 3 },
      { role: 'assistant', channel: 'analysis', recipient: 'python', start: 5, end: 15 },
    ])
  })
})

describe('a message whose tokens are known', () => {
  test('a message whose tokens are known is rendered as it was sampled', () => {
    const sampled = encodeHarmony('<|start|>assistant<|channel|>commentary to=python<|message|>1<|call|>')
    const message: PromptMessage = { role: 'assistant', recipient: 'python', channel: 'commentary', content: '1' }
    const user: PromptMessage = { role: 'user', content: 'x' }
    expect(render(user, { ...message, tokens: sampled }, user)).toEqual([...render(user), ...sampled, ...render(user)])
    expect(render(message)).not.toEqual(sampled)
  })
})

describe('a long conversation', () => {
  // More tokens than a call takes as arguments.
  const MESSAGES = sized(100_000, 10_000)

  test(`a conversation of ${MESSAGES} messages is rendered`, () => {
    const content = 'The quick brown fox jumps over the lazy dog, and so on and on. '.repeat(2).slice(0, 100)
    const one: PromptMessage = { role: 'user', content }
    const { tokens, messages } = renderMessages(new Array(MESSAGES).fill(one), { tokenTable })
    const expected = render(one)
    expect(messages).toHaveLength(MESSAGES)
    expect(tokens).toHaveLength(MESSAGES * expected.length)
    expect(Array.from(tokens.subarray(-expected.length))).toEqual(expected)
  })

  const MEGABYTES = sized(10, 2)

  test(`a message with ${MEGABYTES} MB of text is rendered`, () => {
    const content = 'lorem ipsum '.repeat((MEGABYTES * 1_000_000) / 12)
    const { tokens } = renderMessages([{ role: 'user', content }], { tokenTable })
    expect(tokens.length).toBeGreaterThan(MEGABYTES * 100_000)
  })
})
