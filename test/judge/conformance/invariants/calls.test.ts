import { CALLS } from '../../../../src/judge/conformance/invariants/calls.js'
import { both, describeCases, encodedTwice, halfArguments } from './cases.js'
import { cut, drop, move, set, setItem, twice } from './streams.js'

describeCases(CALLS, {
  'call-is-deltas': {
    'a missing delta is reported at the arguments': ['call', 'open-responses', cut(4, 5), ['4 call-is-deltas']],
    'other arguments in the item are reported': [
      'call',
      'open-responses',
      setItem('function_call', { arguments: '{}' }, ['done', 'terminal']),
      ['6 call-is-deltas'],
    ],
    'other input in the item is reported': [
      'custom',
      'openai',
      setItem('custom_tool_call', { input: 'x' }, ['done', 'terminal']),
      ['6 call-is-deltas'],
    ],
    'other code in the item is reported': [
      'code',
      'openai',
      setItem('code_interpreter_call', { code: 'x' }, ['done', 'terminal']),
      ['9 call-is-deltas'],
    ],
    'other arguments of an MCP call are reported': [
      'mcp',
      'openai',
      setItem('mcp_call', { arguments: '{}' }, ['done', 'terminal']),
      ['8 call-is-deltas'],
    ],
  },
  'shell-command-is-deltas': {
    'another command is reported': [
      'shell',
      'openai',
      set('shell_call_command.done', { command: 'pwd' }),
      ['5 shell-command-is-deltas'],
    ],
  },
  'call-done-event': {
    'a missing arguments.done is reported': [
      'call',
      'open-responses',
      drop('function_call_arguments.done'),
      ['5 call-done-event'],
    ],
  },
  'function-call-has-delta': {
    'a function call without a delta is reported': [
      'call',
      'open-responses',
      drop('function_call_arguments.delta'),
      ['4 function-call-has-delta'],
    ],
  },
  'function-arguments-json': {
    'arguments that are invalid JSON are reported': ['call', 'openai', halfArguments, ['5 function-arguments-json']],
    'arguments that are empty are reported': [
      'call',
      'openai',
      setItem('function_call', { arguments: '' }, ['done', 'terminal']),
      ['6 call-is-deltas', '6 function-arguments-json'],
    ],
    'invalid arguments of a call that was cut off are not reported': [
      'call',
      'openai',
      both(halfArguments, setItem('function_call', { status: 'incomplete' }, ['done', 'terminal'])),
      ['6 incomplete-item-last'],
    ],
  },
  'arguments-encoded-once': {
    'arguments that are a JSON string of JSON are reported': [
      'call',
      'openai',
      encodedTwice,
      ['5 arguments-encoded-once'],
    ],
  },
  'call-fields': {
    'a call that is done without a status is reported': [
      'call',
      'openai',
      setItem('function_call', { status: undefined }, ['done', 'terminal']),
      ['6 event-shape', '6 call-fields', '7 event-shape'],
    ],
    'a call that is announced without arguments is reported': [
      'call',
      'openai',
      setItem('function_call', { arguments: undefined }, ['added']),
      ['2 event-shape', '2 call-fields'],
    ],
  },
  'call-id': {
    'a call under the id of its item is reported, each time': [
      'call',
      'openai',
      setItem('function_call', { call_id: 'fc_0' }),
      ['2 call-id', '2 call-id-prefix?', '6 call-id', '6 call-id-prefix?'],
    ],
    'a custom call that cannot be answered is reported, each time': [
      'custom',
      'openai',
      setItem('custom_tool_call', { call_id: '' }),
      ['2 call-id', '2 call-id-prefix?', '6 call-id', '6 call-id-prefix?'],
    ],
  },
  'call-id-prefix': {
    'an id that begins otherwise is reported, as a warning': [
      'call',
      'openai',
      setItem('function_call', { call_id: 'toolu_1' }),
      ['2 call-id-prefix?', '6 call-id-prefix?'],
    ],
  },
  'call-name-constant': {
    'another name in the done event of the arguments is reported': [
      'call',
      'openai',
      set('function_call_arguments.done', { name: 'get_time' }),
      ['5 call-name-constant'],
    ],
  },
  'hosted-call-order': {
    'a search that is completed before it searches is reported': [
      'search',
      'openai',
      move(5, 4),
      ['5 hosted-call-order'],
    ],
    'a search that is in progress twice is reported': [
      'search',
      'openai',
      twice('web_search_call.in_progress'),
      ['4 hosted-call-order'],
    ],
  },
  'hosted-call-progress': {
    'a search without an event while it searches is reported': [
      'search',
      'openai',
      drop('web_search_call.searching'),
      ['5 hosted-call-progress?'],
    ],
  },
  'code-interpreter-order': {
    'a code that is run twice is reported': [
      'code',
      'openai',
      twice('code_interpreter_call.interpreting'),
      ['8 code-interpreter-order'],
    ],
    'a code that is run before it is written is reported': ['code', 'openai', move(7, 6), ['7 code-interpreter-order']],
    'a code that is completed before it is run is reported': [
      'code',
      'openai',
      move(8, 7),
      ['8 code-interpreter-order'],
    ],
  },
  'call-ids-differ': {
    'a second call under the call_id of the first is reported': [
      'calls',
      'open-responses',
      setItem('function_call', { call_id: 'call_same' }),
      ['6 call-ids-differ', '10 call-ids-differ'],
    ],
  },
  'shell-command-order': {
    'a command that was never announced is reported, each time': [
      'shell',
      'openai',
      drop('shell_call_command.added'),
      ['3 shell-command-order', '4 shell-command-order'],
    ],
  },
  'shell-output-command': {
    'output of no command is reported': [
      'shell',
      'openai',
      set('shell_call_output_content.delta', { command_index: 7 }),
      ['8 shell-output-command'],
    ],
  },
  'mcp-call-ends-once': {
    'a second end of a call is reported': ['mcp', 'openai', twice('mcp_call.completed'), ['8 mcp-call-ends-once']],
    'an end of a call before its arguments is reported': ['mcp', 'openai', move(7, 6), ['6 mcp-call-ends-once']],
    'an item with another outcome is reported': [
      'mcp',
      'openai',
      setItem('mcp_call', { status: 'failed' }, ['done', 'terminal']),
      ['8 mcp-call-ends-once'],
    ],
  },
})
