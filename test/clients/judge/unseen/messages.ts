import { type Family, fieldsOf, listOf, textOf } from '../../../../src/judge/conformance/damage/family.js'
import type { WireEvent } from '../damages.js'
import { each, flat, having, kind } from './kind.js'

const isType =
  (type: string) =>
  (event: WireEvent): boolean =>
    event.type === type

const isStart = isType('message_start')
const isBegin = isType('content_block_start')
const isDelta = isType('content_block_delta')
const isStop = isType('content_block_stop')
const isEnd = isType('message_delta')

const blockOf = (event: WireEvent): WireEvent => fieldsOf(event['content_block']) as never
const deltaOf = (event: WireEvent): WireEvent => fieldsOf(event['delta']) as never
const isDeltaOf =
  (type: string) =>
  (event: WireEvent): boolean =>
    isDelta(event) && deltaOf(event).type === type
const hasText = isDeltaOf('text_delta')
const hasInput = isDeltaOf('input_json_delta')

type Is = (event: WireEvent) => boolean
type Change = (of: WireEvent) => object

const only = (name: string, is: Is, change: (event: WireEvent, at: number) => WireEvent): Family =>
  each(name, (event, at) => (is(event) ? change(event, at) : event))

/** Changes an object in an event. */
const inner = (name: string, is: Is, field: string, change: Change): Family =>
  only(name, is, (event) =>
    having(event, { [field]: having(event[field], change(fieldsOf(event[field]) as never) as never) }),
  )

const blocks = (name: string, type: string, change: Change): Family =>
  inner(name, (event) => isBegin(event) && blockOf(event).type === type, 'content_block', change)

function growing(name: string, is: Is, field: string): Family {
  return kind(name, (events) => {
    const all = new Map<unknown, string>()
    return events.map((event) => {
      if (!is(event)) return event
      const text = `${all.get(event['index']) ?? ''}${textOf(deltaOf(event)[field])}`
      all.set(event['index'], text)
      return having(event, { delta: having(event['delta'], { [field]: text }) })
    })
  })
}

/** All input of the call at an index. */
const inputOf = (events: readonly WireEvent[], index: unknown): string =>
  events
    .filter((event) => hasInput(event) && event['index'] === index)
    .map((event) => textOf(deltaOf(event)['partial_json']))
    .join('')

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** What servers of the Messages API do wrong throughout a stream. */
export const MESSAGES_KINDS: readonly Family[] = [
  // Indexes.
  only(
    'no index',
    (event) => 'index' in event,
    (event) => having(event, { index: undefined }),
  ),
  only(
    'index as text',
    (event) => 'index' in event,
    (event) => having(event, { index: String(event['index']) }),
  ),
  only(
    'index from 1',
    (event) => 'index' in event,
    (event) => having(event, { index: Number(event['index']) + 1 }),
  ),
  only('index null in deltas', isDelta, (event) => having(event, { index: null })),
  only('no index in deltas', isDelta, (event) => having(event, { index: undefined })),
  only('no index in stops', isStop, (event) => having(event, { index: undefined })),
  // The start.
  only('a start with its message beside it', isStart, (event) => having(event['message'], { type: 'message_start' })),
  inner('content null at the start', isStart, 'message', () => ({ content: null })),
  inner('no content at the start', isStart, 'message', () => ({ content: undefined })),
  inner('role user', isStart, 'message', () => ({ role: 'user' })),
  inner('no role', isStart, 'message', () => ({ role: undefined })),
  inner('no type of the message', isStart, 'message', () => ({ type: undefined })),
  inner('no model', isStart, 'message', () => ({ model: undefined })),
  inner('model null', isStart, 'message', () => ({ model: null })),
  inner('no id of the message', isStart, 'message', () => ({ id: undefined })),
  inner('no stop_reason at the start', isStart, 'message', () => ({
    stop_reason: undefined,
    stop_sequence: undefined,
  })),
  inner('a stop_reason at the start', isStart, 'message', () => ({ stop_reason: 'end_turn' })),
  inner('no usage at the start', isStart, 'message', () => ({ usage: undefined })),
  inner('usage null at the start', isStart, 'message', () => ({ usage: null })),
  inner('usage empty at the start', isStart, 'message', () => ({ usage: {} })),
  inner('counts null at the start', isStart, 'message', () => ({ usage: { input_tokens: null, output_tokens: null } })),
  inner('counts of the cache null', isStart, 'message', ({ usage }) => ({
    usage: having(usage, { cache_read_input_tokens: null, cache_creation_input_tokens: null, server_tool_use: null }),
  })),
  // Blocks.
  blocks('text null at the start', 'text', () => ({ text: null })),
  blocks('no text at the start', 'text', () => ({ text: undefined })),
  blocks('a blank at the start', 'text', () => ({ text: ' ' })),
  blocks('citations empty', 'text', () => ({ citations: [] })),
  blocks('no thinking at the start', 'thinking', () => ({ thinking: undefined })),
  blocks('thinking null at the start', 'thinking', () => ({ thinking: null })),
  blocks('signature null', 'thinking', () => ({ signature: null })),
  blocks('no signature', 'thinking', () => ({ signature: undefined })),
  blocks('input null', 'tool_use', () => ({ input: null })),
  blocks('no input', 'tool_use', () => ({ input: undefined })),
  blocks('input as an empty text', 'tool_use', () => ({ input: '' })),
  blocks('input as a list', 'tool_use', () => ({ input: [] })),
  blocks('no id of a call', 'tool_use', () => ({ id: undefined })),
  blocks('a caller of calls', 'tool_use', () => ({ caller: { type: 'direct' } })),
  blocks('calls as function_call', 'tool_use', () => ({ type: 'function_call' })),
  blocks('calls as server_tool_use', 'tool_use', () => ({ type: 'server_tool_use' })),
  only('block for content_block', isBegin, (event) =>
    having(event, { content_block: undefined, block: event['content_block'] }),
  ),
  only('a block beside its event', isBegin, (event) =>
    having({ ...event, ...blockOf(event), type: event.type }, { content_block: undefined }),
  ),
  flat('an empty text block before each', (event) =>
    isBegin(event)
      ? [
          { type: 'content_block_start', index: 50, content_block: { type: 'text', text: '' } },
          { type: 'content_block_stop', index: 50 },
          event,
        ]
      : [event],
  ),
  kind('all blocks in one', (events) =>
    events
      .filter(
        (event, at) =>
          !(isStop(event) && isBegin(events[at + 1] ?? event)) && !(isBegin(event) && Number(event['index']) > 0),
      )
      .map((event) => ('index' in event ? having(event, { index: 0 }) : event)),
  ),
  // Deltas.
  growing('text that grows', hasText, 'text'),
  growing('thinking that grows', isDeltaOf('thinking_delta'), 'thinking'),
  inner('content for text', hasText, 'delta', ({ text }) => ({ text: undefined, content: text })),
  inner('value for text', hasText, 'delta', ({ text }) => ({ text: undefined, value: text })),
  inner('text as a list', hasText, 'delta', ({ text }) => ({ text: [text] })),
  inner('deltas of type text', hasText, 'delta', () => ({ type: 'text' })),
  inner('no type of deltas', isDelta, 'delta', () => ({ type: undefined })),
  inner('input_json for partial_json', hasInput, 'delta', ({ partial_json }) => ({
    partial_json: undefined,
    input_json: partial_json,
  })),
  inner('no letters but ASCII', hasText, 'delta', ({ text }) => ({ text: textOf(text).replace(/[^\0-\x7f]/gu, '?') })),
  only('a delta beside its event', isDelta, (event) =>
    having({ ...event, ...deltaOf(event), type: event.type }, { delta: undefined }),
  ),
  only('a delta as text', hasText, (event) => having(event, { delta: deltaOf(event)['text'] })),
  kind('input as one object', (events) =>
    events.flatMap((event, at) => {
      if (!hasInput(event)) return [event]
      const isFirst = !events.slice(0, at).some((one) => hasInput(one) && one['index'] === event['index'])
      const partial_json = parsed(inputOf(events, event['index']))
      return isFirst ? [having(event, { delta: having(event['delta'], { partial_json }) })] : []
    }),
  ),
  flat('input in the beginning, and an empty delta', (event, _, all) => {
    if (isBegin(event) && blockOf(event).type === 'tool_use') {
      const input = parsed(inputOf(all, event['index']))
      return [having(event, { content_block: having(event['content_block'], { input }) })]
    }
    return hasInput(event) ? [having(event, { delta: having(event['delta'], { partial_json: '' }) })] : [event]
  }),
  flat('input "{}" before the input', (event, at, all) => {
    const before = all[at - 1]
    return hasInput(event) && before !== undefined && isBegin(before)
      ? [having(event, { delta: having(event['delta'], { partial_json: '{}' }) }), event]
      : [event]
  }),
  flat('a signature before the thinking', (event) =>
    isBegin(event) && blockOf(event).type === 'thinking'
      ? [
          event,
          { type: 'content_block_delta', index: event['index'], delta: { type: 'signature_delta', signature: 'c2ln' } },
        ]
      : [event],
  ),
  flat('deltas twice', (event) => (isDelta(event) ? [event, event] : [event])),
  flat('an empty delta behind the last', (event, at, all) =>
    isDelta(event) && isStop(all[at + 1] ?? event)
      ? [event, having(event, { delta: { type: 'text_delta', text: '' } })]
      : [event],
  ),
  flat('an unknown delta in each block', (event) =>
    isBegin(event)
      ? [event, { type: 'content_block_delta', index: event['index'], delta: { type: 'token_delta', id: 3 } }]
      : [event],
  ),
  // The end.
  inner('no stop_sequence', isEnd, 'delta', () => ({ stop_sequence: undefined })),
  inner('stop_sequence empty', isEnd, 'delta', () => ({ stop_sequence: '' })),
  inner('stop_reason eos', isEnd, 'delta', () => ({ stop_reason: 'eos' })),
  inner('stop_reason null', isEnd, 'delta', () => ({ stop_reason: null })),
  only('no usage at the end', isEnd, (event) => having(event, { usage: undefined })),
  only('usage null at the end', isEnd, (event) => having(event, { usage: null })),
  only('usage in the delta', isEnd, (event) =>
    having(event, { usage: undefined, delta: having(event['delta'], { usage: event['usage'] }) }),
  ),
  inner('counts of the prompt at the end', isEnd, 'usage', () => ({ input_tokens: 4, total_tokens: 9 })),
  inner('counts as texts at the end', isEnd, 'usage', ({ output_tokens }) => ({
    output_tokens: String(output_tokens),
  })),
  only('a stop_reason beside the delta', isEnd, (event) =>
    having(event, { delta: {}, stop_reason: deltaOf(event)['stop_reason'] }),
  ),
  flat('a stop_reason in message_stop', (event, _, all) => {
    if (isEnd(event)) return []
    const end = all.find(isEnd)
    return event.type === 'message_stop' && end !== undefined ? [having(event, { delta: end['delta'] })] : [event]
  }),
  flat('an end before the stop of the last block', (event, at, all) => {
    if (isEnd(event)) return []
    const end = all.find(isEnd)
    const isLast = isStop(event) && !all.slice(at + 1).some(isStop)
    return isLast && end !== undefined ? [end, event] : [event]
  }),
  flat('an end twice, the first without a reason', (event) =>
    isEnd(event) ? [having(event, { delta: { stop_reason: null, stop_sequence: null } }), event] : [event],
  ),
  flat('the whole message at the end', (event, _, all) =>
    event.type === 'message_stop' ? [having(event, { message: all[0]?.['message'] })] : [event],
  ),
  // Other events.
  flat('a ping behind each event', (event) => [event, { type: 'ping' }]),
  flat('a completion behind the start', (event) =>
    isStart(event) ? [event, { type: 'completion', completion: '', stop_reason: null }] : [event],
  ),
  flat('an event of its own before the end', (event) =>
    isEnd(event) ? [{ type: 'acme.trace', id: 'x' }, event] : [event],
  ),
  flat('metrics at the end', (event) =>
    event.type === 'message_stop'
      ? [having(event, { 'amazon-bedrock-invocationMetrics': { inputTokenCount: 3 } })]
      : [event],
  ),
  kind('a failure without type', (events) => [
    ...events.slice(0, -1),
    { error: { type: 'api_error', message: 'Down.' } } as never,
  ]),
  kind('a failure as a message alone', (events) => [...events.slice(0, -1), { type: 'error', message: 'Down.' }]),
  kind('a failure that reads on', (events) =>
    events.flatMap((event) =>
      isEnd(event) ? [{ type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } }, event] : [event],
    ),
  ),
  kind('content of the message beside its blocks', (events) =>
    events.map((event) =>
      isStart(event)
        ? having(event, {
            message: having(event['message'], { content: listOf(events.filter(isBegin).map(blockOf)) }),
          })
        : event,
    ),
  ),
]
