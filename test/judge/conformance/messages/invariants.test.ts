import { describe, expect, test } from 'vitest'
import { checkEvents, createChecker, INVARIANTS, MESSAGES_INVARIANTS } from '../../../../src/judge/conformance/index.js'
import { BASES, type BaseName, type Damage, type Draft, OTHER_BLOCKS, reported } from './streams.js'

/** Changes the event at an index. */
const at =
  (index: number, change: (event: Draft) => void): Damage =>
  (events) => {
    change(events[index])
  }
const drop =
  (index: number): Damage =>
  (events) => {
    events.splice(index, 1)
  }
const twice =
  (index: number): Damage =>
  (events) => {
    events.splice(index, 0, structuredClone(events[index]))
  }
const move =
  (from: number, to: number): Damage =>
  (events) => {
    events.splice(to, 0, ...events.splice(from, 1))
  }

/** By rule, what it finds in a damaged stream: all that is reported. */
const CASES: Readonly<Record<string, Readonly<Record<string, readonly [BaseName, Damage, ...string[]]>>>> = {
  'messages-event-shape': {
    'a message without a model': ['text', at(0, ({ message }) => delete message.model), '0 messages-event-shape'],
    'a usage that is null': ['text', at(0, ({ message }) => (message.usage = null)), '0 messages-event-shape'],
    'a text that is null': ['text', at(3, ({ delta }) => (delta.text = null)), '3 messages-event-shape'],
    'an unknown stop_reason': ['cut', at(4, ({ delta }) => (delta.stop_reason = 'length')), '4 messages-event-shape'],
    'an error without a message': ['failed', at(3, ({ error }) => delete error.message), '3 messages-event-shape'],
    'no object': ['text', (events) => events.with(1, null), '1 messages-event-shape'],
    'an event without a type': ['text', at(1, (event) => delete event.type), '1 messages-event-shape'],
  },
  'messages-event-known': {
    'an event of another API': ['text', at(1, (event) => (event.type = 'response.created')), '1 messages-event-known'],
  },
  'messages-start-first': {
    'no message_start': ['cut', drop(0), ...[0, 1, 2, 3, 4].map((at) => `${at} messages-start-first`)],
    'two of them': ['text', twice(0), '1 messages-start-first'],
  },
  'messages-begins-empty': {
    'a message with content': [
      'text',
      at(0, ({ message }) => message.content.push({ type: 'text', text: 'Hi', citations: null })),
      '0 messages-begins-empty',
    ],
    'a message that has ended': [
      'text',
      at(0, ({ message }) => (message.stop_reason = 'end_turn')),
      '0 messages-begins-empty',
    ],
  },
  'messages-delta-after-blocks': {
    'a block that never stops': ['cut', drop(3), '3 messages-delta-after-blocks'],
    'a block after it': [
      'calls',
      (events) => [...events.slice(0, 7), events[9], ...events.slice(7, 9), events[10]],
      '8 messages-delta-after-blocks',
    ],
  },
  'messages-stop-last': {
    'no message_stop': ['text', drop(7), '7 messages-stop-last'],
    'a text after it': ['text', (events) => [...events, events[1]], '8 messages-stop-last'],
    'an event after the error': ['failed', (events) => [...events, { type: 'ping' }], '4 messages-stop-last'],
  },
  'messages-stop-reason': {
    'no message_delta': ['text', drop(6), '6 messages-stop-reason'],
    'a stop_reason that is null': ['text', at(6, ({ delta }) => (delta.stop_reason = null)), '7 messages-stop-reason'],
  },
  'messages-block-index': {
    'a block at another index': [
      'cut',
      (events) => events.map((event) => ('index' in event ? { ...event, index: 1 } : event)),
      '1 messages-block-index',
    ],
  },
  'messages-one-block': {
    'a block that begins in another one': ['thought', drop(4), '4 messages-one-block'],
  },
  'messages-block-is-open': {
    'a delta of another block': ['text', at(3, (event) => (event.index = 1)), '3 messages-block-is-open'],
    'a delta after the stop': ['cut', move(3, 2), '3 messages-block-is-open'],
    'two stops': ['cut', twice(3), '4 messages-block-is-open'],
  },
  'messages-block-begins-empty': {
    'a text at once': ['text', at(2, (event) => (event.content_block.text = 'Hi')), '2 messages-block-begins-empty'],
    'an input at once': [
      'call',
      at(1, (event) => (event.content_block.input = { city: 'Oslo' })),
      '1 messages-block-begins-empty',
    ],
  },
  'messages-delta-of-block': {
    'text in a call': [
      'calls',
      at(5, (event) => (event.delta = { type: 'text_delta', text: 'x' })),
      '5 messages-delta-of-block',
    ],
  },
  'messages-input-json': {
    'half an object': ['call', drop(3), '3 messages-input-json'],
    'a list': ['calls', at(5, ({ delta }) => (delta.partial_json = '[]')), '6 messages-input-json'],
  },
  'messages-input-encoded-once': {
    'JSON in a text': ['calls', at(5, ({ delta }) => (delta.partial_json = '"{}"')), '6 messages-input-encoded-once'],
  },
  'messages-call-named': {
    'an empty id': ['call', at(1, (event) => (event.content_block.id = '')), '1 messages-call-named'],
    'an empty name': ['call', at(1, (event) => (event.content_block.name = '')), '1 messages-call-named'],
    'an id twice': ['calls', at(7, (event) => (event.content_block.id = 'toolu_1')), '7 messages-call-named'],
  },
  'messages-thinking-signed': {
    'no signature': ['thought', drop(3), '3 messages-thinking-signed'],
  },
  'messages-signature-not-empty': {
    'an empty signature': ['thought', at(3, ({ delta }) => (delta.signature = '')), '3 messages-signature-not-empty'],
  },
  'messages-tool-use-ends': {
    'tool_use without a call': [
      'cut',
      at(4, ({ delta }) => (delta.stop_reason = 'tool_use')),
      '4 messages-tool-use-ends',
    ],
    'a call without tool_use': [
      'call',
      at(5, ({ delta }) => (delta.stop_reason = 'end_turn')),
      '5 messages-tool-use-ends',
    ],
  },
  'messages-stop-sequence': {
    'none where one ended it': [
      'stopped',
      at(4, ({ delta }) => (delta.stop_sequence = null)),
      '4 messages-stop-sequence',
    ],
    'one where none ended it': ['cut', at(4, ({ delta }) => (delta.stop_sequence = 'END')), '4 messages-stop-sequence'],
  },
  'messages-one-delta': {
    'a second one': [
      'cut',
      (events) => [...events.slice(0, 4), { ...events[4], usage: { output_tokens: 2 } }, ...events.slice(4)],
      '5 messages-one-delta',
    ],
  },
  'messages-usage-grows': {
    'fewer tokens than in message_start': [
      'cut',
      at(0, ({ message }) => (message.usage.output_tokens = 12)),
      '4 messages-usage-grows',
    ],
  },
}

test.each(Object.keys(BASES))('nothing is reported of the good stream %s', (name) => {
  expect(reported(name as BaseName)).toEqual([])
})

describe.each(Object.entries(CASES))('%s', (_rule, cases) => {
  test.each(Object.entries(cases))('it finds %s, and nothing else is reported', (_name, [base, damage, ...found]) => {
    expect(reported(base, damage)).toEqual(found)
  })
})

test('every rule for events has a case that it finds, and its id is like no other', () => {
  // The framing is the capture reader's matter, and what a client needs its model's.
  const framing = ['messages-event-named', 'messages-no-done']
  const checked = MESSAGES_INVARIANTS.filter(
    ({ id, neededBy }) => !framing.includes(id) && neededBy.includes('messages'),
  )
  expect(Object.keys(CASES).sort()).toEqual(checked.map(({ id }) => id).sort())
  const ids = [...INVARIANTS, ...MESSAGES_INVARIANTS].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('the blocks that only Anthropic sends are right, as is an answer that ends with a compaction', () => {
  expect(checkEvents(OTHER_BLOCKS as never, { profile: 'messages' })).toEqual([])
  const end = at(4, ({ delta }) => (delta.stop_reason = 'compaction'))
  expect(reported('cut', end)).toEqual([])
})

test('a rule that is left out is not reported', () => {
  const events = BASES.text.slice(0, -1) as never
  expect(checkEvents(events, { profile: 'messages', without: ['messages-stop-last'] })).toEqual([])
})

test('a rule of another API cannot be left out, and no stream of messages is resumed', () => {
  expect(() => createChecker({ profile: 'messages', without: ['created-first'] })).toThrow('ids of MESSAGES_INVARIANTS')
  expect(() => createChecker({ profile: 'messages', resumed: true })).toThrow('resumed')
})
