import { TERMINAL_OUTPUT } from '../../../../src/judge/conformance/invariants/terminal-output.js'
import { allResponses, describeCases } from './cases.js'
import { inside, itemsIn, nth, setItem, setResponse } from './streams.js'

describeCases(TERMINAL_OUTPUT, {
  'terminal-output-is-done-items': {
    'an empty output is reported': [
      'answer',
      'openai',
      setResponse('completed', { output: [] }),
      ['9 terminal-output-is-done-items'],
    ],
    'an output in another order is reported': [
      'calls',
      'openai',
      (events) => (inside(nth(events, 'completed'), 'response')['output'] as unknown[]).reverse() && events,
      ['10 terminal-output-is-done-items'],
    ],
  },
  'terminal-output-not-empty': {
    'an empty output is reported, as a warning, if the response comes from ChatGPT’s Codex backend': [
      'answer',
      'openai',
      (events) => {
        allResponses({ store: false, safety_identifier: 'user-1', prompt_cache_key: 'a' })(events)
        setResponse('completed', { output: [] })(events)
      },
      ['9 terminal-output-not-empty?'],
    ],
    'an output of which something is missing is no warning, if the response comes from that backend': [
      'talk',
      'openai',
      (events) => {
        allResponses({ store: false, safety_identifier: 'user-1', prompt_cache_key: 'a' })(events)
        inside(nth(events, 'completed'), 'response')['output'] = itemsIn(events, '', ['terminal']).slice(1)
      },
      ['21 terminal-output-is-done-items'],
    ],
  },
  'terminal-output-was-streamed': {
    'a done item that is not in the output is reported': [
      'truncated',
      'openai',
      setResponse('incomplete', { output: [] }),
      ['8 terminal-output-was-streamed'],
    ],
    'an item that was never announced is reported': [
      'failed',
      'openai',
      (events) => {
        const response = inside(nth(events, 'failed'), 'response')
        response['output'] = [...(response['output'] as unknown[]), { type: 'message', id: 'msg_x' }]
      },
      ['9 event-shape', '9 terminal-output-was-streamed'],
    ],
  },
  'terminal-items-unchanged': {
    'another text in the terminal response is reported': [
      'answer',
      'open-responses',
      setItem('message', { content: [{ type: 'output_text', text: 'Ho', annotations: [], logprobs: [] }] }, [
        'terminal',
      ]),
      ['9 terminal-items-unchanged'],
    ],
    'a field missing from the terminal response is reported': [
      'answer',
      'open-responses',
      setItem('message', { phase: undefined }, ['terminal']),
      ['9 terminal-items-unchanged'],
    ],
  },
})
