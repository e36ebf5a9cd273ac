import { LIFECYCLE } from '../../../src/conformance/invariants/lifecycle.js'
import { allResponses, both, describeCases, TRACE } from './cases.js'
import { drop, give, insert, inside, nth, set, setResponse, twice } from './streams.js'

describeCases(LIFECYCLE, {
  'created-first': {
    'a second beginning is told': ['answer', 'client:openai', twice('created'), ['1 created-first']],
    'a stream that begins with anything else is told': [
      'answer',
      'client:openai',
      insert(0, { type: 'keepalive' }),
      ['0 created-first', '1 created-first'],
    ],
  },
  'in-progress-second': {
    'one that is missing is told at the event in its place': [
      'answer',
      'openai',
      drop('in_progress'),
      ['1 in-progress-second'],
    ],
    'a second one is told': ['answer', 'openai', twice('in_progress'), ['2 in-progress-second']],
    'being queued does not stand for it': [
      'answer',
      'openai',
      set('in_progress', { type: 'response.queued' }),
      ['2 in-progress-second'],
    ],
  },
  'one-terminal-event-last': {
    'a second end is told': ['answer', 'client:codex', twice('completed'), ['10 one-terminal-event-last']],
    'a stream without an end is told at its end': [
      'answer',
      'client:codex',
      drop('completed'),
      ['9 one-terminal-event-last'],
    ],
    'what comes behind the end is told, each event of it': [
      'answer',
      'client:openai-agents',
      both(insert(-1, { type: 'keepalive' }), insert(-1, TRACE)),
      ['10 one-terminal-event-last', '11 one-terminal-event-last'],
    ],
  },
  'terminal-type-is-status': {
    'a response that is incomplete is not completed': [
      'answer',
      'client:openai-agents',
      setResponse('completed', { status: 'incomplete' }),
      ['9 terminal-type-is-status'],
    ],
  },
  'terminal-response-complete': {
    'a response without its output is told': [
      'answer',
      'client:langchain',
      setResponse('completed', { output: undefined }),
      ['9 terminal-response-complete'],
    ],
    'a response without its id is told': [
      'answer',
      'client:openai-agents',
      setResponse('completed', { id: undefined }),
      ['9 terminal-response-complete'],
    ],
  },
  'terminal-has-id': {
    'a response without its id is told': [
      'answer',
      'client:codex',
      setResponse('completed', { id: undefined }),
      ['9 terminal-has-id'],
    ],
  },
  'usage-totals': {
    'a total that is missing is told': [
      'answer',
      'client:codex',
      (events) => give(inside(inside(nth(events, 'completed'), 'response'), 'usage'), { total_tokens: undefined }),
      ['9 usage-totals'],
    ],
    'details that are missing are not': [
      'answer',
      'client:codex',
      (events) =>
        give(inside(inside(nth(events, 'completed'), 'response'), 'usage'), { input_tokens_details: undefined }),
      [],
    ],
  },
  'open-item-kept': {
    'an item that is open and nowhere in the response is told': [
      'answer',
      'client:openai',
      both(drop('output_item.done'), setResponse('completed', { output: [] })),
      ['8 open-item-kept'],
    ],
  },
  'response-completes': {
    'a response that was cut off is told, as a warning': [
      'truncated',
      'client:openai-agents',
      (events) => events,
      ['8 response-completes?'],
    ],
  },
  'fresh-response': {
    'a response that begins with usage is told': [
      'answer',
      'open-responses',
      setResponse('created', { usage: { total_tokens: 1 } }),
      ['0 fresh-response'],
    ],
    'a response that begins completed is told in both events': [
      'answer',
      'openai',
      both(setResponse('created', { status: 'completed' }), setResponse('in_progress', { status: 'completed' })),
      ['0 fresh-response', '1 fresh-response'],
    ],
  },
  'in-progress-repeats-created': {
    'another model in the second event is told': [
      'answer',
      'openai',
      setResponse('in_progress', { model: 'other' }),
      ['1 in-progress-repeats-created'],
    ],
  },
  'response-id-constant': {
    'another id at the end is told': [
      'answer',
      'client:openai',
      setResponse('completed', { id: 'resp_other' }),
      ['9 response-id-constant'],
    ],
  },
  'created-response-named': {
    'a response without its time is told': [
      'answer',
      'client:ai-sdk',
      setResponse('created', { created_at: undefined }),
      ['0 created-response-named'],
    ],
    'a response without a model is told': [
      'answer',
      'client:ai-sdk',
      setResponse('created', { model: undefined }),
      ['0 created-response-named'],
    ],
  },
  'response-constant': {
    'another temperature at the end is told': [
      'answer',
      'openai',
      setResponse('completed', { temperature: 0.5 }),
      ['9 response-constant'],
    ],
  },
  seconds: {
    'half a second is told each time': [
      'answer',
      'open-responses',
      allResponses({ created_at: 1_700_000_000.5 }),
      ['0 seconds', '1 seconds', '9 seconds'],
    ],
    'an end at half a second is told': [
      'answer',
      'open-responses',
      setResponse('completed', { completed_at: 1_700_000_000.5 }),
      ['9 seconds'],
    ],
  },
  'completed-without-error': {
    'a completed response that says why it is incomplete is told': [
      'answer',
      'openai',
      setResponse('completed', { incomplete_details: { reason: 'max_output_tokens' } }),
      ['9 completed-without-error'],
    ],
    'a completed response with an error is told': [
      'answer',
      'openai',
      setResponse('completed', { error: { code: 'server_error', message: 'boom' } }),
      ['9 completed-without-error'],
    ],
  },
  'no-output-text': {
    'even an empty one is told': [
      'answer',
      'client:openai',
      setResponse('completed', { output_text: '' }),
      ['9 no-output-text'],
    ],
  },
  'error-then-failed': {
    'anything between an error and the failure is told': [
      'failed',
      'open-responses',
      insert(9, TRACE),
      ['9 error-then-failed'],
    ],
    'a stream that ends with an error is told at its end': [
      'failed',
      'openai',
      drop('failed'),
      ['9 one-terminal-event-last', '9 error-then-failed'],
    ],
  },
  'usage-at-the-end': {
    'a completed response without usage is told': [
      'answer',
      'openai',
      setResponse('completed', { usage: null }),
      ['9 usage-at-the-end'],
    ],
    'a failed response with usage is told': [
      'failed',
      'openai',
      setResponse('failed', {
        usage: {
          input_tokens: 1,
          input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
          output_tokens: 1,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 2,
        },
      }),
      ['9 usage-at-the-end'],
    ],
  },
  'usage-adds-up': {
    'another total is told': [
      'answer',
      'openai',
      (events) => give(inside(inside(nth(events, 'completed'), 'response'), 'usage'), { total_tokens: 31 }),
      ['9 usage-adds-up'],
    ],
    'a total that is missing is told': [
      'answer',
      'open-responses',
      (events) => give(inside(inside(nth(events, 'completed'), 'response'), 'usage'), { total_tokens: undefined }),
      ['9 usage-adds-up'],
    ],
    'more reasoning than output is told': [
      'answer',
      'openai',
      (events) =>
        give(inside(inside(nth(events, 'completed'), 'response'), 'usage'), {
          output_tokens_details: { reasoning_tokens: 21 },
        }),
      ['9 usage-adds-up'],
    ],
  },
  'every-item-done': {
    'an item that is open at the end is told': [
      'answer',
      'client:codex',
      drop('output_item.done'),
      ['8 every-item-done'],
    ],
  },
  'stream-not-empty': {
    'a stream of nothing is told': [
      'answer',
      'open-responses',
      () => [],
      ['0 one-terminal-event-last', '0 stream-not-empty'],
    ],
  },
})
