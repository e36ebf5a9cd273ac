import { WIRE } from '../../../src/conformance/invariants/wire.js'
import { describeCases, TRACE } from './cases.js'
import { insert, nth, set, setItem } from './streams.js'

describeCases(WIRE, {
  'event-has-type': {
    'what has no type is told, and nothing else of it': [
      'answer',
      'client:codex',
      (events) => {
        events.splice(5, 0, {} as never)
      },
      ['5 event-has-type'],
    ],
  },
  'sequence-numbers': {
    'a gap is told where it is, once': [
      'answer',
      'open-responses',
      (events) => {
        for (const [number, event] of events.entries()) event['sequence_number'] = number < 4 ? number : number + 1
      },
      ['4 sequence-numbers'],
    ],
    'a number that comes twice is told at the second': [
      'answer',
      'openai',
      (events) => {
        for (const [number, event] of events.entries()) event['sequence_number'] = number < 4 ? number : number - 1
      },
      ['4 sequence-numbers'],
    ],
    'a stream that begins at 1 is told once': [
      'answer',
      'open-responses',
      (events) => {
        for (const [number, event] of events.entries()) event['sequence_number'] = number + 1
      },
      ['0 sequence-numbers'],
    ],
  },
  'failed-has-sequence-number': {
    'a failure without one is told': [
      'failed',
      'client:ai-sdk',
      set('failed', { sequence_number: undefined }),
      ['9 failed-has-sequence-number'],
    ],
  },
  'nested-error': {
    'a flat error is told': [
      'failed',
      'client:codex',
      set('error', { error: undefined, code: 'server_error', message: 'boom', param: null }),
      ['8 nested-error'],
    ],
  },
  'no-foreign-error': {
    'an error beside a delta is told': [
      'answer',
      'client:langchain',
      set('output_text.delta', { error: { message: 'x' } }),
      ['4 no-foreign-error'],
    ],
    'one that is null is not': ['answer', 'client:langchain', set('output_text.delta', { error: null }), []],
  },
  'no-empty-delta': {
    'a delta that says nothing is told': [
      'answer',
      'openai',
      (events) => insert(5, { ...nth(events, 'output_text.delta'), delta: '' })(events),
      ['5 no-empty-delta'],
    ],
  },
  obfuscation: {
    'a delta of a length that tells something is told': [
      'answer',
      'openai',
      set('output_text.delta', { obfuscation: 'abc' }),
      ['4 obfuscation?'],
    ],
    'one that is filled up to 16 is not': [
      'answer',
      'openai',
      set('output_text.delta', { obfuscation: 'abcdefghijklmn' }),
      [],
    ],
    'nothing else is obfuscated': [
      'answer',
      'openai',
      set('output_item.added', { obfuscation: 'abcdefghijklmnop' }),
      ['2 obfuscation?', '2 event-keys?'],
    ],
  },
  'known-event': {
    'an extension is told': ['answer', 'client:openai', insert(4, TRACE), ['4 known-event']],
  },
  'open-responses-event': {
    'an event that nobody announced is told': [
      'answer',
      'open-responses',
      insert(4, { type: 'response.acme' }),
      ['4 open-responses-event'],
    ],
    'an extension is not': ['answer', 'open-responses', insert(4, TRACE), []],
  },
  'event-shape': {
    'a field that is something else is told': [
      'answer',
      'openai',
      setItem('message', { status: 'odd' }, ['added']),
      ['2 event-shape'],
    ],
  },
  'event-keys': {
    'a field that nobody knows is told': ['answer', 'openai', set('output_text.delta', { acme: 1 }), ['4 event-keys?']],
  },
  'item-is-object': {
    'an announcement of nothing is told': [
      'answer',
      'client:langchain',
      set('output_item.added', { item: undefined }),
      ['2 item-is-object'],
    ],
  },
})
