import { LIFECYCLE } from '../../../../src/judge/conformance/invariants/lifecycle.js'
import { allResponses, both, describeCases, TRACE } from './cases.js'
import {
  type Draft,
  drop,
  give,
  insert,
  inside,
  type Loose,
  nth,
  type Stream,
  set,
  setResponse,
  twice,
} from './streams.js'

/** The same stream of a response that waits in the background first. */
function queued(events: Stream): Stream {
  for (const { response } of events) if (response !== undefined) (response as Loose)['background'] = true
  const [created, ...rest] = events as [Draft, ...Stream]
  Object.assign(created['response'] as Loose, { status: 'queued' })
  const waiting = structuredClone({ ...created, type: 'response.queued' })
  return [created, waiting, ...rest].map((event, at) => ({ ...event, sequence_number: at }))
}

describeCases(LIFECYCLE, {
  'created-first': {
    'a second beginning is reported': [
      'answer',
      'openai',
      twice('created'),
      ['1 created-first', '1 in-progress-second', '2 in-progress-second'],
    ],
    'a stream that begins with anything else is reported': [
      'answer',
      'openai',
      insert(0, { type: 'keepalive' }),
      ['0 created-first', '1 created-first', '1 in-progress-second', '2 in-progress-second'],
    ],
  },
  'in-progress-second': {
    'a missing response.in_progress is reported at the event in its place': [
      'answer',
      'openai',
      drop('in_progress'),
      ['1 in-progress-second'],
    ],
    'a second response.in_progress is reported': ['answer', 'openai', twice('in_progress'), ['2 in-progress-second']],
    'a response.in_progress after a keepalive is not reported': [
      'answer',
      'openai',
      insert(1, { type: 'keepalive', sequence_number: 1 }),
      [],
    ],
    'a response.queued in the middle is reported': [
      'answer',
      'openai',
      (events) => {
        const queued = { ...nth(events, 'in_progress'), type: 'response.queued' }
        return [...events.slice(0, 4), queued, ...events.slice(4)].map((event, at) => ({
          ...event,
          sequence_number: at,
        }))
      },
      ['4 in-progress-second', '4 fresh-response'],
    ],
    'a response that was created as queued needs response.queued': [
      'answer',
      'openai',
      setResponse('created', { status: 'queued', background: true }),
      ['1 in-progress-second', '1 in-progress-repeats-created', '9 response-constant'],
    ],
    'response.queued does not stand for response.in_progress': [
      'answer',
      'openai',
      set('in_progress', { type: 'response.queued' }),
      ['1 fresh-response', '2 in-progress-second'],
    ],
  },
  'one-terminal-event-last': {
    'a second end is reported': ['answer', 'openai', twice('completed'), ['10 one-terminal-event-last']],
    'a stream without an end is reported at its end': [
      'answer',
      'openai',
      drop('completed'),
      ['9 one-terminal-event-last'],
    ],
    'each event after the end is reported': [
      'answer',
      'openai',
      both(insert(-1, { type: 'keepalive' }), insert(-1, TRACE)),
      ['10 one-terminal-event-last', '11 event-shape', '11 one-terminal-event-last'],
    ],
  },
  'terminal-type-is-status': {
    'a response that is incomplete is not completed': [
      'answer',
      'openai',
      setResponse('completed', { status: 'incomplete' }),
      ['9 terminal-type-is-status'],
    ],
    'a response that is cancelled is not completed': [
      'answer',
      'openai',
      setResponse('completed', { status: 'cancelled' }),
      ['9 terminal-type-is-status'],
    ],
    'a response that is cancelled has not failed': [
      'cancelled',
      'openai',
      both(set('incomplete', { type: 'response.failed' }), setResponse('failed', {})),
      ['11 terminal-type-is-status', '11 failure-says-why'],
    ],
    'a response that failed is not cancelled': [
      'cancelled',
      'openai',
      setResponse('incomplete', { status: 'failed' }),
      ['11 terminal-type-is-status', '11 failure-says-why'],
    ],
    'a cancelled response has no event of its own': [
      'cancelled',
      'openai',
      set('incomplete', { type: 'response.cancelled' }),
      ['11 event-shape', '12 one-terminal-event-last'],
    ],
  },
  'terminal-response-complete': {
    'a response without its output is reported': [
      'answer',
      'openai',
      setResponse('completed', { output: undefined }),
      ['9 event-shape', '9 terminal-response-complete'],
    ],
    'a response without its id is reported': [
      'answer',
      'openai',
      setResponse('completed', { id: undefined }),
      ['9 event-shape', '9 terminal-response-complete', '9 response-id-constant', '9 response-constant'],
    ],
  },
  'fresh-response': {
    'the beginning of a response that waits in the background is not reported': ['answer', 'openai', queued, []],
    'a response.queued that is in progress is reported': [
      'answer',
      'openai',
      (events) => {
        const stream = queued(events)
        setResponse('queued', { status: 'in_progress' })(stream)
        return stream
      },
      ['1 fresh-response'],
    ],
    'a response that begins with usage is reported': [
      'answer',
      'open-responses',
      setResponse('created', { usage: { total_tokens: 1 } }),
      ['0 open-responses-shape', '0 fresh-response'],
    ],
    'a response that is completed from the start is reported in both events': [
      'answer',
      'openai',
      both(setResponse('created', { status: 'completed' }), setResponse('in_progress', { status: 'completed' })),
      ['0 fresh-response', '1 fresh-response'],
    ],
  },
  'in-progress-repeats-created': {
    'another model in the second event is reported': [
      'answer',
      'openai',
      setResponse('in_progress', { model: 'other' }),
      ['1 in-progress-repeats-created'],
    ],
  },
  'response-id-constant': {
    'another id at the end is reported': [
      'answer',
      'openai',
      setResponse('completed', { id: 'resp_other' }),
      ['9 response-id-constant', '9 response-constant'],
    ],
  },
  'created-response-named': {
    'a response without its time is reported': [
      'answer',
      'openai',
      setResponse('created', { created_at: undefined }),
      [
        '0 event-shape',
        '0 created-response-named',
        '0 seconds',
        '1 in-progress-repeats-created',
        '9 response-constant',
      ],
    ],
    'a response without a model is reported': [
      'answer',
      'openai',
      setResponse('created', { model: undefined }),
      ['0 event-shape', '0 created-response-named', '1 in-progress-repeats-created', '9 response-constant'],
    ],
  },
  'response-constant': {
    'another temperature at the end is reported': [
      'answer',
      'openai',
      setResponse('completed', { temperature: 0.5 }),
      ['9 response-constant'],
    ],
  },
  seconds: {
    'a time in milliseconds is reported each time': [
      'answer',
      'openai',
      allResponses({ created_at: 1_700_000_000_000 }),
      ['0 seconds', '1 seconds', '9 seconds'],
    ],
    'a fractional second is reported each time': [
      'answer',
      'open-responses',
      allResponses({ created_at: 1_700_000_000.5 }),
      [
        '0 open-responses-shape',
        '0 seconds',
        '1 open-responses-shape',
        '1 seconds',
        '9 open-responses-shape',
        '9 seconds',
      ],
    ],
    'a fractional completed_at is reported': [
      'answer',
      'open-responses',
      setResponse('completed', { completed_at: 1_700_000_000.5 }),
      ['9 open-responses-shape', '9 seconds'],
    ],
  },
  'completed-without-error': {
    'a completed response with incomplete_details is reported': [
      'answer',
      'openai',
      setResponse('completed', { incomplete_details: { reason: 'max_output_tokens' } }),
      ['9 completed-without-error'],
    ],
    'a completed response with an error is reported': [
      'answer',
      'openai',
      setResponse('completed', { error: { code: 'server_error', message: 'boom' } }),
      ['9 completed-without-error'],
    ],
    'a cancelled response with an error is reported': [
      'cancelled',
      'openai',
      setResponse('incomplete', { error: { code: 'server_error', message: 'aborted' } }),
      ['11 completed-without-error'],
    ],
    'a cancelled response with incomplete_details is reported': [
      'cancelled',
      'openai',
      setResponse('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
      ['11 completed-without-error'],
    ],
  },
  'failure-says-why': {
    'a failed response without an error is reported': [
      'failed',
      'openai',
      setResponse('failed', { error: null }),
      ['9 failure-says-why'],
    ],
    'an incomplete response without a reason is reported': [
      'truncated',
      'openai',
      setResponse('incomplete', { incomplete_details: null }),
      ['8 failure-says-why'],
    ],
  },
  'no-output-text': {
    'a completed response with even an empty error is reported': [
      'answer',
      'openai',
      setResponse('completed', { output_text: '' }),
      ['9 response-constant', '9 no-output-text'],
    ],
  },
  'error-then-failed': {
    'anything between an error and the failure is reported': [
      'failed',
      'open-responses',
      insert(9, TRACE),
      ['9 error-then-failed'],
    ],
    'a stream that ends with an error is not reported': ['failed', 'openai', drop('failed'), []],
  },
  'failed-after-error': {
    'a stream that ends with an error is reported at its end': [
      'failed',
      'open-responses',
      drop('failed'),
      ['9 failed-after-error'],
    ],
  },
  'usage-at-the-end': {
    'a completed response without usage is reported': [
      'answer',
      'openai',
      setResponse('completed', { usage: null }),
      ['9 usage-at-the-end'],
    ],
  },
  'usage-adds-up': {
    'another total is reported': [
      'answer',
      'openai',
      (events) => give(inside(inside(nth(events, 'completed'), 'response'), 'usage'), { total_tokens: 31 }),
      ['9 usage-adds-up'],
    ],
    'a total that is missing is reported': [
      'answer',
      'open-responses',
      (events) => give(inside(inside(nth(events, 'completed'), 'response'), 'usage'), { total_tokens: undefined }),
      ['9 open-responses-shape', '9 usage-adds-up'],
    ],
    'more cached than input is reported': [
      'answer',
      'openai',
      (events) =>
        give(inside(inside(nth(events, 'completed'), 'response'), 'usage'), {
          input_tokens_details: { cached_tokens: 11 },
        }),
      ['9 usage-adds-up'],
    ],
    'more reasoning than output is reported': [
      'answer',
      'openai',
      (events) =>
        give(inside(inside(nth(events, 'completed'), 'response'), 'usage'), {
          output_tokens_details: { reasoning_tokens: 21 },
        }),
      ['9 usage-adds-up'],
    ],
  },
  'usage-counts-output': {
    'a message without output tokens is reported': [
      'answer',
      'openai',
      (events) =>
        give(inside(inside(nth(events, 'completed'), 'response'), 'usage'), {
          output_tokens: 0,
          total_tokens: 10,
          output_tokens_details: { reasoning_tokens: 0 },
        }),
      ['9 usage-counts-output?'],
    ],
  },
  'every-item-done': {
    'an item that is open at the end is reported': [
      'answer',
      'openai',
      drop('output_item.done'),
      ['8 every-item-done', '8 terminal-output-is-done-items'],
    ],
  },
  'stream-not-empty': {
    'an empty stream is reported': [
      'answer',
      'open-responses',
      () => [],
      ['0 one-terminal-event-last', '0 stream-not-empty'],
    ],
  },
})
