import { type Invariant, of, stateless } from '../invariant.js'
import { fieldsOf, isFields, textOf } from '../stream-event.js'

/** Of every event, whatever it is about. */
export const WIRE: readonly Invariant[] = [
  {
    id: 'event-has-type',
    sentence: 'What comes is an event, and has a type.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    // The checker tells it: no other invariant can look at such an event.
    begin: () => ({}),
  },
  {
    id: 'sequence-numbers',
    sentence: 'sequence_number is 0, 1, 2, ... over all events.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: stateless(({ sequence_number: number }, { count, previous }, tell) => {
      const last = previous?.['sequence_number']
      // One wrong number is one violation: what follows is held against it.
      const expected = typeof last === 'number' && Number.isInteger(last) ? last + 1 : count
      if (number !== expected) tell(`sequence_number ${expected}`, number)
    }),
  },
  {
    id: 'nested-error',
    sentence:
      'What an error event says is under `error`: the flat form of the SDK’s types is never sent, and breaks clients.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: of('error'),
    begin: stateless((event, _reading, tell) => {
      const { message } = fieldsOf(event['error'])
      if (typeof message !== 'string') tell('error: { type, code, message, param }', event['error'] ?? 'a flat error')
    }),
  },
  {
    id: 'no-foreign-error',
    sentence: 'No other event has a field `error`: the openai SDK takes it for a failure.',
    neededBy: ['openai'],
    severity: 'error',
    on: ({ type }) => type !== 'error',
    begin: stateless((event, _reading, tell) => {
      if (event['error']) tell('no field error', event['error'])
    }),
  },
  {
    id: 'no-empty-delta',
    sentence: 'A delta says something.',
    neededBy: ['openai'],
    severity: 'error',
    begin: stateless(({ delta }, _reading, tell) => {
      if (delta === '') tell('text', delta)
    }),
  },
  {
    id: 'obfuscation',
    sentence: 'Obfuscation stands on deltas alone, and makes their length a multiple of 16.',
    neededBy: ['openai'],
    severity: 'warning',
    begin: stateless(({ delta, obfuscation }, { kind }, tell) => {
      if (obfuscation === undefined) return
      if (!kind.isDelta) tell('no obfuscation', obfuscation)
      else if (typeof delta === 'string' && (delta.length + textOf(obfuscation).length) % 16 !== 0) {
        tell('a length that is a multiple of 16', delta.length + textOf(obfuscation).length)
      }
    }),
  },
  {
    id: 'open-responses-event',
    sentence: 'An event that Open Responses does not know has a prefix: `slug:`.',
    neededBy: ['open-responses'],
    severity: 'error',
    on: ({ type }) => !OPEN_RESPONSES.test(type) && !type.includes(':'),
    begin: stateless(({ type }, _reading, tell) => {
      tell('an event of Open Responses, or one with a prefix', type)
    }),
  },
  {
    id: 'event-shape',
    sentence: 'Every field of an event is there, and is what it has to be.',
    neededBy: ['openai'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const problem = reading.shapeOf(event)
      if (problem !== undefined && problem.expected !== UNKNOWN_KEY)
        tell(`${problem.path}: ${problem.expected}`, undefined, problem.got)
    }),
  },
  {
    id: 'event-keys',
    sentence: 'An event has no field that nobody knows.',
    neededBy: ['openai'],
    severity: 'warning',
    begin: stateless((event, reading, tell) => {
      const problem = reading.shapeOf(event)
      if (problem?.expected === UNKNOWN_KEY) tell(`no ${problem.path}`, undefined, problem.got)
    }),
  },
  {
    id: 'item-is-object',
    sentence: 'An event about an item brings the item.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: ({ type }) => type.startsWith('response.output_item.'),
    begin: stateless(({ item }, _reading, tell) => {
      if (!isFields(item)) tell('an item', item)
    }),
  },
]

/** What the schemas say of a key that is not theirs. */
const UNKNOWN_KEY = 'no such key'

/** The 24 events of the specification of 2026-04-24. */
const OPEN_RESPONSES =
  /^(error|response\.(created|queued|in_progress|completed|incomplete|failed|output_item\.(added|done)|content_part\.(added|done)|(output_text|refusal|reasoning|reasoning_summary_text|function_call_arguments)\.(delta|done)|output_text\.annotation\.added|reasoning_summary_part\.(added|done)))$/
