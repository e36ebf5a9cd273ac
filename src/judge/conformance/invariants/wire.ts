import { type Fields, isFields } from '../../../shared/fields.js'
import type { ViolationSubject } from '../about.js'
import { type Invariant, of, responseRules } from '../invariant.js'
import { preview } from '../preview.js'
import { OPEN_RESPONSES_TYPES, openResponsesEventSchema, problemsOf, UNKNOWN_KEY } from '../schemas/index.js'
import { asFields, asList, asString, isIndex } from '../stream-event.js'
import { absentInOlderApi, beginsLate, type StreamState } from '../stream-state.js'
import { ITEM_DIFFERS } from './cause-groups.js'

/** Rules for every event, whatever its type. */
export const WIRE: readonly Invariant[] = responseRules([
  {
    id: 'event-has-type',
    sentence: 'Everything in a stream is an event with a type.',
    explainsEvent: true,
    // The checker itself reports it: no rule can check an event without a type.
  },
  {
    id: 'sequence-numbers',
    sentence: 'sequence_number is 0, 1, 2, ... across all events; a keepalive may repeat the last one.',
    fields: ['sequence_number'],
    event(event, { count, kind, previous, resumed, absentFields }, report) {
      const { sequence_number: number } = event
      const last = previous?.['sequence_number']
      // Continues from the number that came, so that one wrong number is reported once.
      const expected = typeof last === 'number' && Number.isInteger(last) ? last + 1 : firstOf(resumed) + count
      // In a stream that begins in the middle, `created-first` covers this violation.
      if (count === 0 && resumed === undefined && beginsLate(event)) return
      if (number === expected || (resumed === true && count === 0 && isIndex(number))) return
      // A keep-alive that is not stored repeats the last number. OpenAI's has one of its own.
      if (kind.type === 'keepalive' && number === expected - 1) return
      // OpenAI uses up the number of the event that an error replaces.
      if (kind.type === 'error' && isIndex(number) && number > expected) return
      const isOlder =
        number === undefined && (count === 0 ? absentInOlderApi(event) : absentFields).has('sequence_number')
      if (isOlder) return
      const evidence = evidenceOf(number, expected, count === 0 && event.type === 'response.created')
      report(`sequence_number ${expected}`, number, undefined, evidence && { about: { evidence } })
    },
  },
  {
    id: 'older-wire',
    sentence: 'A stream has the format that OpenAI uses since August 2025, with a sequence_number in each event.',
    neededBy: ['openai'],
    on: of('response.created'),
    event(event, { created }, report) {
      const absent = created === undefined ? absentInOlderApi(event) : new Set()
      if (absent.size === 0) return
      const day = new Date(Number(asFields(event['response'])['created_at']) * 1000).toISOString().slice(0, 10)
      report(
        'the wire format since August 2025',
        undefined,
        `an older format, of ${day}, without ${[...absent].join(', ')}`,
      )
    },
  },
  {
    id: 'nested-error',
    sentence:
      'The fields of an error event are nested under `error`: the flat form of the SDK’s types is never sent, and breaks ' +
      'clients.',
    fields: ['error', 'code', 'message', 'param'],
    on: of('error'),
    event(event, _state, report) {
      const { message } = asFields(event['error'])
      if (typeof message !== 'string') report('error: { type, code, message, param }', event['error'] ?? 'a flat error')
    },
  },
  {
    id: 'no-foreign-error',
    sentence: 'No other event has a field `error`: the openai SDK treats it as a failure.',
    neededBy: ['openai'],
    fields: ['error'],
    on: ({ type }) => type !== 'error',
    event(event, _state, report) {
      if (event['error']) report('no field `error`', event['error'])
    },
  },
  {
    id: 'no-empty-delta',
    sentence: 'A delta is not empty.',
    neededBy: ['openai'],
    fields: ['delta'],
    event({ delta }, _state, report) {
      if (delta === '') report('a delta with text', delta)
    },
  },
  {
    id: 'obfuscation',
    sentence: 'Only delta events have obfuscation, which pads the delta to a multiple of 16 code points.',
    neededBy: ['openai'],
    severity: 'warning',
    fields: ['obfuscation'],
    event({ delta, obfuscation }, { kind }, report) {
      if (obfuscation === undefined) return
      if (!kind.isDelta) report('no obfuscation', obfuscation)
      if (!kind.isDelta || typeof delta !== 'string') return
      const length = [...delta].length + asString(obfuscation).length
      if (length % 16 !== 0) report('a length that is a multiple of 16', length)
    },
  },
  {
    id: 'logprobs-spell-text',
    sentence: 'The tokens of the log-probabilities of a delta, and of a `.done` event, spell its text.',
    on: of('response.output_text.delta', 'response.output_text.done'),
    begin: () => {
      // A delta may end in the middle of a character, whose other tokens then come with the next one.
      const decoders = new WeakMap<object, TextDecoder>()
      return {
        event({ delta, text = delta, logprobs }, { part, resumed }, report) {
          const tokens = asList(logprobs).map(asFields)
          if (tokens.length === 0 || typeof text !== 'string') return
          const isDelta = delta !== undefined
          const begun = part && isDelta ? decoders.get(part) : undefined
          const decoder = begun ?? new TextDecoder('utf-8', { ignoreBOM: true })
          if (part && isDelta) decoders.set(part, decoder)
          const spelled = spelledBy(tokens, decoder, isDelta)
          // The first delta of a resumed stream may begin in the middle of a character.
          if (isDelta && begun === undefined && resumed !== undefined) return
          if (spelled !== text) report(`tokens that spell ${preview(text)}`, spelled)
        },
      }
    },
  },
  {
    id: 'open-responses-event',
    sentence: 'An event type that Open Responses does not define has a prefix: `slug:`.',
    neededBy: ['open-responses'],
    explainsEvent: true,
    on: ({ type }) => !OPEN_RESPONSES_TYPES.has(type) && !type.includes(':'),
    event({ type }, _state, report) {
      report('an event type of Open Responses, or one with a prefix', type)
    },
  },
  {
    id: 'open-responses-shape',
    sentence: 'Every event is valid by the published schema of Open Responses.',
    neededBy: ['open-responses'],
    on: ({ type }) => OPEN_RESPONSES_TYPES.has(type),
    event(event, _state, report) {
      const [problem] = problemsOf(event, openResponsesEventSchema)
      if (problem !== undefined) report(`${problem.path}: ${problem.expected}`, undefined, problem.got)
    },
  },
  {
    id: 'event-shape',
    sentence: 'Every event has all required fields, with values of the right types.',
    neededBy: ['openai'],
    namesField: true,
    explainsEvent: ['type'],
    causes: {
      item: ['event-of-its-item'],
      event: ['nested-error', 'terminal-type-is-status', 'event-of-its-item', 'message-phase', 'call-fields'],
    },
    // The terminal response repeats the faults of its items.
    causesOfField: { 'response.output': { stream: ['event-shape:item', ...ITEM_DIFFERS] } },
    event(event, state, report) {
      const problems = state.problemsWith(event)
      if (problems.length === 0) return
      const absent = state.count === 0 ? absentInOlderApi(event) : state.absentFields
      const problem = problems.find(
        ({ path, expected, got }) => expected !== UNKNOWN_KEY && !(got === 'nothing' && isAbsentField(absent, path)),
      )
      if (problem !== undefined) report(`${problem.path}: ${problem.expected}`, undefined, problem.got)
    },
  },
  {
    id: 'event-keys',
    sentence: 'An event has no unknown fields.',
    neededBy: ['openai'],
    severity: 'warning',
    namesField: true,
    causes: { event: ['no-foreign-error', 'no-output-text', 'obfuscation'] },
    causesOfField: { 'response.output': { stream: ['event-keys:item'] } },
    event(event, state, report) {
      const problem = state.problemsWith(event).find(({ expected }) => expected === UNKNOWN_KEY)
      if (problem !== undefined) report(`no field ${problem.path}`, undefined, problem.got)
    },
  },
  {
    id: 'item-is-object',
    sentence: 'The events output_item.added and output_item.done have the item as an object.',
    fields: ['item'],
    on: ({ type }) => type.startsWith('response.output_item.'),
    event({ item }, _state, report) {
      if (!isFields(item)) report('an item', item)
    },
  },
])

/** What tokens spell: their bytes, as a character may be cut between two of them, or their texts. `stream`: more follow. */
function spelledBy(tokens: readonly Fields[], decoder: TextDecoder, stream: boolean): string {
  const bytes = tokens.flatMap(({ bytes }) => (Array.isArray(bytes) ? [bytes as number[]] : []))
  if (bytes.length < tokens.length) return tokens.map(({ token }) => asString(token)).join('')
  return decoder.decode(Uint8Array.from(bytes.flat()), { stream })
}

/** The sequence_number that the first event should have. */
function firstOf(resumed: StreamState['resumed']): number {
  return typeof resumed === 'number' ? resumed + 1 : 0
}

/** Returns the cause that a wrong number suggests. None at the start: a server may count from another number. */
function evidenceOf(number: unknown, expected: number, isStart: boolean): ViolationSubject['evidence'] {
  if (typeof number !== 'number' || !Number.isInteger(number) || isStart) return undefined
  if (number === expected - 1) return 'repeated'
  return number > expected ? 'lost' : 'reordered'
}

/** Whether a field is one that the older format of the stream does not have. */
function isAbsentField(absent: ReadonlySet<string>, path: string): boolean {
  if (absent.size === 0) return false
  // OpenAI introduced `logprobs` together with the new fields of the response.
  return absent.has(path.replace(/^response\./, '')) || path === 'logprobs' || path.endsWith('.logprobs')
}
