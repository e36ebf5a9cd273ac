import type { About } from '../about.js'
import { type Invariant, of, PROFILES, stateless } from '../invariant.js'
import { fieldsOf, isFields, textOf } from '../stream-event.js'

/** Of every event, whatever it is about. */
export const WIRE: readonly Invariant[] = [
  {
    id: 'event-has-type',
    sentence: 'What comes is an event, and has a type.',
    neededBy: PROFILES,
    severity: 'error',
    // The checker tells it: no other invariant can look at such an event.
    begin: () => ({}),
  },
  {
    id: 'sequence-numbers',
    sentence: 'sequence_number is 0, 1, 2, ... over all events.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: stateless((event, { count, previous }, tell) => {
      const { sequence_number: number } = event
      const last = previous?.['sequence_number']
      // One wrong number is one violation: what follows is held against it.
      const expected = typeof last === 'number' && Number.isInteger(last) ? last + 1 : count
      if (number === expected) return
      const evidence = evidenceOf(number, expected, count === 0 && event.type === 'response.created')
      tell(`sequence_number ${expected}`, number, undefined, evidence && { about: { evidence } })
    }),
  },
  {
    id: 'failed-has-sequence-number',
    sentence: 'response.failed has a sequence_number: without one the AI SDK takes it for something else.',
    neededBy: ['client:ai-sdk'],
    severity: 'error',
    on: of('response.failed'),
    begin: stateless((event, _reading, tell) => {
      const { sequence_number: number } = event
      if (typeof number !== 'number') tell('a sequence_number', number)
    }),
  },
  {
    id: 'nested-error',
    sentence:
      'What an error event says is under `error`: the flat form of the SDK’s types is never sent, and breaks clients.',
    neededBy: ['openai', 'open-responses', 'client:codex'],
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
    neededBy: ['openai', 'client:openai', 'client:openai-agents', 'client:langchain'],
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
    id: 'known-event',
    sentence: 'The openai SDK knows the event: its stream helper throws at any other.',
    neededBy: ['client:openai'],
    severity: 'error',
    on: ({ type }) => !KNOWN.test(type),
    begin: stateless(({ type }, _reading, tell) => {
      tell('an event of the Responses API', type)
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
      if (problem?.expected === UNKNOWN_KEY) tell(`no field ${problem.path}`, undefined, problem.got)
    }),
  },
  {
    id: 'item-is-object',
    sentence: 'An event about an item brings the item.',
    neededBy: ['openai', 'open-responses', 'client:openai', 'client:ai-sdk', 'client:langchain', 'client:codex'],
    severity: 'error',
    on: ({ type }) => type.startsWith('response.output_item.'),
    begin: stateless(({ item }, _reading, tell) => {
      if (!isFields(item)) tell('an item', item)
    }),
  },
]

/** What a wrong number is evidence of. A server that counts from another number has lost nothing. */
function evidenceOf(number: unknown, expected: number, isStart: boolean): About['evidence'] {
  if (typeof number !== 'number' || !Number.isInteger(number) || isStart) return undefined
  if (number === expected - 1) return 'repeated'
  return number > expected ? 'lost' : 'reordered'
}

/** What the schemas say of a key that is not theirs. */
const UNKNOWN_KEY = 'no such key'

/** What the stream helper of openai 7.57 takes; a keepalive, too, though its types do not have it. */
const KNOWN =
  /^(error|keepalive|response\.(created|queued|in_progress|completed|incomplete|failed|output_item\.(added|done)|content_part\.(added|done)|(output_text|refusal|reasoning_text|reasoning_summary_text|function_call_arguments|custom_tool_call_input|mcp_call_arguments|code_interpreter_call_code)\.(delta|done)|output_text\.annotation\.added|reasoning_summary_part\.(added|done)|(mcp_call|mcp_list_tools)\.(in_progress|completed|failed)|web_search_call\.(in_progress|searching|completed)|file_search_call\.(in_progress|searching|completed)|code_interpreter_call\.(in_progress|interpreting|completed)|image_generation_call\.(in_progress|generating|partial_image|completed)|shell_call_command\.(added|delta|done)|shell_call_output_content\.(delta|done)|audio\.(delta|done)|audio\.transcript\.(delta|done)|compaction\.compacting))$/

/** The 24 events of the specification of 2026-04-24. */
const OPEN_RESPONSES =
  /^(error|response\.(created|queued|in_progress|completed|incomplete|failed|output_item\.(added|done)|content_part\.(added|done)|(output_text|refusal|reasoning|reasoning_summary_text|function_call_arguments)\.(delta|done)|output_text\.annotation\.added|reasoning_summary_part\.(added|done)))$/
