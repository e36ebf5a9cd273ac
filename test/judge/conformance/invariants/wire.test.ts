import { WIRE } from '../../../../src/judge/conformance/invariants/wire.js'
import { allResponses, both, describeCases, TRACE } from './cases.js'
import { type Draft, insert, nth, set, setItem, setResponse } from './streams.js'

describeCases(WIRE, {
  'event-has-type': {
    'an event without a type is reported, and nothing else about it': [
      'answer',
      'openai',
      (events) => {
        events.splice(5, 0, {} as never)
      },
      ['5 event-has-type'],
    ],
  },
  'sequence-numbers': {
    'a gap is reported once, at its position': [
      'answer',
      'open-responses',
      (events) => {
        for (const [number, event] of events.entries()) event['sequence_number'] = number < 4 ? number : number + 1
      },
      ['4 sequence-numbers'],
    ],
    'a number that comes twice is reported at the second': [
      'answer',
      'openai',
      (events) => {
        for (const [number, event] of events.entries()) event['sequence_number'] = number < 4 ? number : number - 1
      },
      ['4 sequence-numbers'],
    ],
    'an error that takes the place of another event may leave its number out': [
      'failed',
      'openai',
      (events) => {
        for (const event of events.splice(-2))
          events.push({ ...event, sequence_number: Number(event['sequence_number']) + 1 })
      },
      [],
    ],
    'a keepalive may have the last number again, or one of its own': [
      'answer',
      'openai',
      (events) => {
        events.splice(4, 0, { type: 'keepalive', sequence_number: 3 } as never)
        events.splice(3, 0, { type: 'keepalive', sequence_number: 3 } as never)
        for (const event of events.slice(4)) event['sequence_number'] = Number(event['sequence_number']) + 1
      },
      [],
    ],
    'a keepalive with another number is reported': [
      'answer',
      'openai',
      (events) => {
        events.splice(4, 0, { type: 'keepalive', sequence_number: 1 } as never)
      },
      ['4 sequence-numbers', '5 sequence-numbers'],
    ],
    'a stream that begins at 1 is reported once': [
      'answer',
      'open-responses',
      (events) => {
        for (const [number, event] of events.entries()) event['sequence_number'] = number + 1
      },
      ['0 sequence-numbers'],
    ],
  },
  'older-wire': {
    'a stream from before August 2025 is recognized, and fields that it lacks are not reported': [
      'answer',
      'openai',
      (events) => {
        for (const event of events) {
          delete event['sequence_number']
          delete event['logprobs']
        }
        allResponses({ created_at: 1_750_000_000, prompt_cache_key: undefined, top_logprobs: undefined })(events)
      },
      ['0 older-wire'],
    ],
    'other mistakes in a stream from before August 2025 are reported': [
      'answer',
      'openai',
      both(
        allResponses({ created_at: 1_750_000_000, prompt_cache_key: undefined }),
        set('output_text.done', { text: 'Hi', sequence_number: undefined }),
      ),
      ['0 older-wire', '6 sequence-numbers', '6 event-shape', '6 text-is-deltas', '7 text-done-event'],
    ],
    'a stream from before August 2025 that lacks nothing is not reported': [
      'answer',
      'openai',
      allResponses({ created_at: 1_750_000_000 }),
      [],
    ],
    'a stream of another time that lacks something is not recognized as older': [
      'answer',
      'openai',
      setResponse('created', { prompt_cache_key: undefined }),
      ['0 event-shape', '1 in-progress-repeats-created', '9 response-constant'],
    ],
  },
  'nested-error': {
    'a flat error is reported': [
      'failed',
      'openai',
      set('error', { error: undefined, code: 'server_error', message: 'boom', param: null }),
      ['8 nested-error', '8 event-shape', '8 event-keys?'],
    ],
  },
  'no-foreign-error': {
    'an error beside a delta is reported': [
      'answer',
      'openai',
      set('output_text.delta', { error: { message: 'x' } }),
      ['4 no-foreign-error', '4 event-keys?'],
    ],
    'an error that is null is not reported': [
      'answer',
      'openai',
      set('output_text.delta', { error: null }),
      ['4 event-keys?'],
    ],
  },
  'no-empty-delta': {
    'a delta that is empty is reported': [
      'answer',
      'openai',
      (events) => insert(5, { ...nth(events, 'output_text.delta'), delta: '' })(events),
      ['5 no-empty-delta'],
    ],
  },
  obfuscation: {
    'a delta whose length reveals the obfuscated text is reported': [
      'answer',
      'openai',
      set('output_text.delta', { obfuscation: 'abc' }),
      ['4 obfuscation?'],
    ],
    'a delta that is filled up to 16 is not reported': [
      'answer',
      'openai',
      set('output_text.delta', { obfuscation: 'abcdefghijklmn' }),
      [],
    ],
    'an emoji counts as one, as OpenAI counts': [
      'answer',
      'openai',
      both(
        set('output_text.delta', { delta: '\u{1f4e7}', obfuscation: 'abcdefghijklmno' }),
        set('output_text.delta', { delta: 'Hi you' }, 1),
        set('output_text.done', { text: '\u{1f4e7}Hi you' }),
      ),
      ['7 text-done-event'],
    ],
    'obfuscation of anything else is reported': [
      'answer',
      'openai',
      set('output_item.added', { obfuscation: 'abcdefghijklmnop' }),
      ['2 obfuscation?', '2 event-keys?'],
    ],
  },
  'open-responses-event': {
    'an event that was never announced is reported': [
      'answer',
      'open-responses',
      insert(4, { type: 'response.acme' }),
      ['4 open-responses-event'],
    ],
    'an extension is not reported': ['answer', 'open-responses', insert(4, TRACE), []],
  },
  'open-responses-shape': {
    'a field that is something else is reported': [
      'answer',
      'open-responses',
      setItem('message', { status: 'odd' }, ['added']),
      ['2 open-responses-shape'],
    ],
    'a field of the response that is missing is reported': [
      'answer',
      'open-responses',
      setResponse('created', { presence_penalty: undefined }),
      ['0 open-responses-shape'],
    ],
    'a field that is unknown is not reported': ['answer', 'open-responses', set('output_text.delta', { acme: 1 }), []],
  },
  'event-shape': {
    'a field that is something else is reported': [
      'answer',
      'openai',
      setItem('message', { status: 'odd' }, ['added']),
      ['2 event-shape'],
    ],
  },
  'event-keys': {
    'a field that is unknown is reported': [
      'answer',
      'openai',
      set('output_text.delta', { acme: 1 }),
      ['4 event-keys?'],
    ],
  },
  'logprobs-spell-text': {
    'tokens of another text are reported': [
      'answer',
      'openai',
      set('output_text.delta', { logprobs: [{ token: 'Ho', logprob: -1, bytes: [72, 111], top_logprobs: [] }] }),
      ['4 logprobs-spell-text'],
    ],
    'a character that is cut between two tokens is none': [
      'answer',
      'openai',
      set('output_text.delta', {
        logprobs: [[72], [105]].map((bytes) => ({ token: '\ufffd', logprob: -1, bytes, top_logprobs: [] })),
      }),
      [],
    ],
    'a character that is cut between two deltas is none': [
      'answer',
      'openai',
      (events) => inTwoDeltas(events, [97, 32, 0xf0, 0x9f], [0x8c, 0x8b]),
      [],
    ],
    'a character of which the next delta has other bytes is reported': [
      'answer',
      'openai',
      (events) => inTwoDeltas(events, [97, 32, 0xf0, 0x9f], [0x8c, 0x8c]),
      ['5 logprobs-spell-text'],
    ],
  },
  'item-is-object': {
    'an announcement without an item is reported': [
      'answer',
      'openai',
      set('output_item.added', { item: undefined }),
      [
        '2 event-shape',
        '2 item-is-object',
        '2 item-has-id',
        '3 item-id-matches',
        '4 event-of-its-item',
        '4 item-id-matches',
        '5 event-of-its-item',
        '5 item-id-matches',
        '6 event-of-its-item',
        '6 item-id-matches',
        '7 item-id-matches',
        '8 item-identity',
        '8 item-constant',
        '8 item-constant',
        '8 item-constant',
      ],
    ],
  },
})

/** The same answer with the text `a 🌋`, in two deltas whose tokens have these bytes. */
function inTwoDeltas(events: object[], ...bytes: readonly number[][]): Draft[] {
  const json = JSON.stringify(events).replaceAll('Hi you', 'a 🌋').replace('"Hi"', '"a "').replace('" you"', '"🌋"')
  const changed = JSON.parse(json) as Draft[]
  for (const [at, list] of bytes.entries()) {
    const logprobs = [{ token: '\ufffd', logprob: -1, bytes: list, top_logprobs: [] }]
    Object.assign(nth(changed, 'output_text.delta', at), { logprobs })
  }
  return changed
}
