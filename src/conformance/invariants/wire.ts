import type { About } from '../about.js'
import { type Invariant, of, stateless } from '../invariant.js'
import { OPEN_RESPONSES_TYPES, openResponsesEventSchema, problemsOf, UNKNOWN_KEY } from '../schemas/index.js'
import { fieldsOf, isFields, textOf } from '../stream-event.js'
import { lackedBy, type StreamState } from '../stream-state.js'

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
    begin: stateless((event, { count, kind, previous, resumed, lacks }, tell) => {
      const { sequence_number: number } = event
      const last = previous?.['sequence_number']
      // One wrong number is one violation: what follows is held against it.
      const expected = typeof last === 'number' && Number.isInteger(last) ? last + 1 : firstOf(resumed) + count
      if (number === expected || (resumed === true && count === 0 && isNumber(number))) return
      // OpenAI gives the number away to an event that the error takes the place of.
      if (kind.type === 'error' && isNumber(number) && number > expected) return
      const isOlder = number === undefined && (count === 0 ? lackedBy(event) : lacks).has('sequence_number')
      if (isOlder) return
      const evidence = evidenceOf(number, expected, count === 0 && event.type === 'response.created')
      tell(`sequence_number ${expected}`, number, undefined, evidence && { about: { evidence } })
    }),
  },
  {
    id: 'older-wire',
    sentence: 'A stream is of the wire as it is since August 2025, with a sequence_number in each event.',
    neededBy: ['openai'],
    severity: 'error',
    on: of('response.created'),
    begin: stateless((event, { created }, tell) => {
      const lacks = created === undefined ? lackedBy(event) : new Set()
      if (lacks.size === 0) return
      const day = new Date(Number(fieldsOf(event['response'])['created_at']) * 1000).toISOString().slice(0, 10)
      tell(
        'the wire as it is since August 2025',
        undefined,
        `an older wire: of ${day}, without ${[...lacks].join(', ')}`,
      )
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
    on: ({ type }) => !OPEN_RESPONSES_TYPES.has(type) && !type.includes(':'),
    begin: stateless(({ type }, _reading, tell) => {
      tell('an event of Open Responses, or one with a prefix', type)
    }),
  },
  {
    id: 'open-responses-shape',
    sentence: 'Every field of an event is there, and is what the published schema of Open Responses has there.',
    neededBy: ['open-responses'],
    severity: 'error',
    on: ({ type }) => OPEN_RESPONSES_TYPES.has(type),
    begin: stateless((event, _reading, tell) => {
      const [problem] = problemsOf(event, openResponsesEventSchema)
      if (problem !== undefined) tell(`${problem.path}: ${problem.expected}`, undefined, problem.got)
    }),
  },
  {
    id: 'event-shape',
    sentence: 'Every field of an event is there, and is what it has to be.',
    neededBy: ['openai'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const problems = reading.shapeOf(event)
      if (problems.length === 0) return
      const lacks = reading.count === 0 ? lackedBy(event) : reading.lacks
      const problem = problems.find(
        ({ path, expected, got }) => expected !== UNKNOWN_KEY && !(got === 'nothing' && isLacked(lacks, path)),
      )
      if (problem !== undefined) tell(`${problem.path}: ${problem.expected}`, undefined, problem.got)
    }),
  },
  {
    id: 'event-keys',
    sentence: 'An event has no field that nobody knows.',
    neededBy: ['openai'],
    severity: 'warning',
    begin: stateless((event, reading, tell) => {
      const problem = reading.shapeOf(event).find(({ expected }) => expected === UNKNOWN_KEY)
      if (problem !== undefined) tell(`no field ${problem.path}`, undefined, problem.got)
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

/** The number of the first event. */
function firstOf(resumed: StreamState['resumed']): number {
  return typeof resumed === 'number' ? resumed + 1 : 0
}

/** What a wrong number is evidence of. A server that counts from another number has lost nothing. */
function evidenceOf(number: unknown, expected: number, isStart: boolean): About['evidence'] {
  if (typeof number !== 'number' || !Number.isInteger(number) || isStart) return undefined
  if (number === expected - 1) return 'repeated'
  return number > expected ? 'lost' : 'reordered'
}

function isNumber(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0
}

/** Whether a field is one that the wire of the stream did not have yet. */
function isLacked(lacks: ReadonlySet<string>, path: string): boolean {
  if (lacks.size === 0) return false
  // Probabilities beside text came with the fields of the response.
  return lacks.has(path.replace(/^response\./, '')) || path === 'logprobs' || path.endsWith('.logprobs')
}
