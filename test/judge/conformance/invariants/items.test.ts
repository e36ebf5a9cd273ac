import { ITEMS } from '../../../../src/judge/conformance/invariants/items.js'
import { both, describeCases, lastItemAt, renamed } from './cases.js'
import { cut, drop, give, insert, inside, itemsIn, move, nth, renumbered, set, setItem, twice } from './streams.js'

describeCases(ITEMS, {
  'output-index-order': {
    'a first item at 1 is reported once': ['answer', 'openai', lastItemAt(1), ['2 output-index-order']],
    'a gap is reported once': ['talk', 'openai', lastItemAt(3), ['16 output-index-order']],
  },
  'output-index-present': {
    'a delta that does not name its item is reported': [
      'call',
      'openai',
      set('function_call_arguments.delta', { output_index: undefined }),
      ['3 event-shape', '3 output-index-present', '5 call-is-deltas'],
    ],
  },
  'output-index-free': {
    'a second item at the index of the first is reported': [
      'calls',
      'openai',
      lastItemAt(0),
      ['6 output-index-order', '6 output-index-free', '10 terminal-output-is-done-items'],
    ],
    'an item at the index of one that is open is reported': [
      'calls',
      'openai',
      both(lastItemAt(0), cut(5, 6)),
      ['5 output-index-order', '5 output-index-free', '9 terminal-output-is-done-items'],
    ],
  },
  'item-ids-differ': {
    'a second item with the id of the first is reported': [
      'calls',
      'open-responses',
      renamed('function_call', 'fc_0', 1),
      ['6 item-ids-differ', '10 terminal-items-unchanged'],
    ],
  },
  'item-has-id': {
    'an item without an id is reported': [
      'answer',
      'openai',
      setItem('message', { id: undefined }),
      [
        '2 event-shape',
        '2 item-has-id',
        '2 item-id-prefix?',
        '3 item-id-matches',
        '4 item-id-matches',
        '5 item-id-matches',
        '6 item-id-matches',
        '7 item-id-matches',
        '8 event-shape',
        '8 item-identity',
        '9 event-shape',
        '9 terminal-output-is-done-items',
      ],
    ],
  },
  'item-id-prefix': {
    'an id of another type is reported': ['answer', 'openai', renamed('message', 'rs_0'), ['2 item-id-prefix?']],
  },
  'done-was-added': {
    'an item that was never announced is reported': ['call', 'openai', cut(2, 6), ['2 done-was-added']],
  },
  'done-once': {
    'an item that is done twice is reported': ['call', 'openai', twice('output_item.done'), ['7 done-once']],
  },
  'event-of-its-item': {
    'text of reasoning in a message is reported': [
      'answer',
      'open-responses',
      (events) => {
        nth(events, 'output_text.delta').type = 'response.reasoning.delta'
      },
      ['4 event-of-its-item'],
    ],
    'a refusal in a part of text is reported': [
      'answer',
      'openai',
      (events) => {
        nth(events, 'output_text.delta').type = 'response.refusal.delta'
      },
      ['4 event-keys?', '4 event-of-its-item'],
    ],
  },
  'item-identity': {
    'another id at the end is reported': [
      'answer',
      'openai',
      setItem('message', { id: 'msg_x' }, ['done', 'terminal']),
      ['8 item-identity'],
    ],
  },
  'item-constant': {
    'another name at the end is reported': [
      'call',
      'openai',
      setItem('function_call', { name: 'other' }, ['done', 'terminal']),
      ['6 item-constant'],
    ],
    'another call_id at the end is reported': [
      'call',
      'openai',
      setItem('function_call', { call_id: 'call_other' }, ['done', 'terminal']),
      ['6 item-constant'],
    ],
    'another server at the end is reported': [
      'mcp',
      'openai',
      setItem('mcp_call', { server_label: 'other' }, ['done', 'terminal']),
      ['8 item-constant'],
    ],
    'a namespace that is only there at the end is reported': [
      'call',
      'openai',
      setItem('function_call', { namespace: 'crm' }, ['done', 'terminal']),
      ['6 item-constant'],
    ],
    'another phase at the end is reported': [
      'answer',
      'openai',
      setItem('message', { phase: 'commentary' }, ['done', 'terminal']),
      ['8 item-constant'],
    ],
  },
  'announced-empty': {
    'arguments that are there before their deltas are reported': [
      'call',
      'openai',
      setItem('function_call', { arguments: '{"city":"Paris"}' }, ['added']),
      ['2 announced-empty'],
    ],
    'a code that is null before its deltas is not reported': [
      'code',
      'openai',
      setItem('code_interpreter_call', { code: null }, ['added']),
      [],
    ],
    'a message that is there before its text is reported': [
      'answer',
      'open-responses',
      setItem('message', { content: [{ type: 'output_text', text: '', annotations: [] }] }, ['added']),
      ['2 announced-empty'],
    ],
  },
  'message-shape': {
    'a message without content is reported': [
      'answer',
      'openai',
      setItem('message', { content: null }, ['added']),
      ['2 event-shape', '2 message-shape'],
    ],
  },
  'message-role': {
    'a message of the user is reported, each time': [
      'answer',
      'openai',
      setItem('message', { role: 'user' }),
      ['2 event-shape', '2 message-role', '8 event-shape', '8 message-role', '9 event-shape'],
    ],
  },
  'message-phase': {
    'a phase that is unknown is reported, each time': [
      'answer',
      'openai',
      setItem('message', { phase: 'preamble' }),
      ['2 event-shape', '2 message-phase', '8 event-shape', '8 message-phase', '9 event-shape'],
    ],
    'a phase that is null is not reported': ['answer', 'openai', setItem('message', { phase: null }), []],
  },
  'reasoning-summary-list': {
    'reasoning without a summary is reported, each time': [
      'talk',
      'openai',
      setItem('reasoning', { summary: undefined }),
      ['2 event-shape', '2 reasoning-summary-list', '8 event-shape', '8 reasoning-summary-list', '21 event-shape'],
    ],
  },
  'reasoning-not-adjacent': {
    'a second reasoning after the first is reported, as a warning': [
      'thoughts',
      'openai',
      (events) => events,
      ['8 reasoning-not-adjacent?'],
    ],
  },
  'incomplete-item-last': {
    'a completed response with an incomplete item is reported': [
      'answer',
      'open-responses',
      setItem('message', { status: 'incomplete' }, ['done', 'terminal']),
      ['9 incomplete-item-last'],
    ],
    'an item after an incomplete one is reported': [
      'talk',
      'open-responses',
      both(
        drop((event) => event.type.includes('reasoning_text')),
        setItem('message', { status: 'incomplete' }, ['done', 'terminal']),
      ),
      ['4 text-done-event', '13 incomplete-item-last', '18 incomplete-item-last'],
    ],
  },
  'incomplete-call-last': {
    'a completed response with a call of the host that is incomplete is reported': [
      'mcp',
      'open-responses',
      setItem('mcp_call', { status: 'incomplete' }, ['done', 'terminal']),
      ['9 incomplete-call-last', '15 incomplete-call-last'],
    ],
  },
  'within-item': {
    'a delta after the end of its item is reported': [
      'call',
      'openai',
      move(4, 6),
      ['4 call-is-deltas', '6 within-item'],
    ],
    'a delta of an item that was never announced is reported': [
      'call',
      'openai',
      set('function_call_arguments.delta', { output_index: 7 }),
      ['3 within-item', '5 call-is-deltas'],
    ],
  },
  'done-text-last': {
    'a delta after the arguments is reported': [
      'call',
      'openai',
      (events) => insert(6, { ...nth(events, 'function_call_arguments.delta'), delta: '!' })(events),
      ['6 done-text-last'],
    ],
    'reasoning after its text is reported': [
      'talk',
      'openai',
      (events) => insert(7, { ...nth(events, 'reasoning_text.delta'), delta: '!' })(events),
      ['7 done-text-last'],
    ],
    'arguments that are emitted twice are reported': [
      'call',
      'openai',
      twice('function_call_arguments.done'),
      ['6 done-text-last'],
    ],
    'a command after another is not reported': [
      'shell',
      'openai',
      (events) => {
        const commands = events
          .filter(({ type }) => type.startsWith('response.shell_call_command.'))
          .map((event) => ({ ...event, command_index: 1 }))
        for (const item of itemsIn(events, 'shell_call', ['done', 'terminal'])) {
          give(inside(item, 'action'), { commands: ['ls', 'ls'] })
        }
        return renumbered(events.toSpliced(6, 0, ...commands))
      },
      [],
    ],
  },
  'item-id-matches': {
    'a delta under another id is reported': [
      'answer',
      'openai',
      set('output_text.delta', { item_id: 'msg_other' }),
      ['4 item-id-matches'],
    ],
  },
  'item-id-present': {
    'a delta without an id is reported': [
      'answer',
      'openai',
      set('output_text.delta', { item_id: undefined }),
      ['4 event-shape', '4 item-id-present'],
    ],
    'a command of a shell call without an id is not reported': ['shell', 'openai', (events) => events, []],
  },
})
