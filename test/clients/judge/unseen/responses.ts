import {
  type Family,
  fieldsOf,
  isTerminal,
  itemsIn,
  listOf,
  mapEvent,
  moved,
  textOf,
} from '../../../../src/judge/conformance/damage/family.js'
import type { WireEvent } from '../damages.js'
import { each, flat, having, kind } from './kind.js'

const isType =
  (pattern: RegExp) =>
  ({ type }: WireEvent): boolean =>
    pattern.test(type)

const isAdded = isType(/output_item\.added$/)
const isDone = isType(/output_item\.done$/)
const isText = isType(/output_text\.delta$/)
const isArguments = isType(/function_call_arguments\.delta$/)

/** Changes events that a pattern selects. */
const only = (name: string, is: (event: WireEvent) => boolean, change: (event: WireEvent) => WireEvent): Family =>
  each(name, (event) => (is(event) ? change(event) : event))

const without = (name: string, pattern: RegExp): Family =>
  kind(name, (events) => events.filter((event) => !pattern.test(event.type)))

/** Changes the items in every event that is not a delta. */
const items = (name: string, is: RegExp, change: (item: WireEvent) => WireEvent): Family =>
  each(
    name,
    (event) =>
      mapEvent(event as never, (fields) =>
        'id' in fields && is.test(textOf(fields['type'])) ? change(fields as WireEvent) : fields,
      ) as WireEvent,
  )

const response = (name: string, is: (event: WireEvent) => boolean, more: (of: WireEvent) => object): Family =>
  only(name, is, (event) =>
    having(event, { response: having(event['response'], more(fieldsOf(event['response']) as WireEvent) as never) }),
  )

/** Deltas of a kind that each have all of the text so far. */
function growing(name: string, is: (event: WireEvent) => boolean): Family {
  return kind(name, (events) => {
    const so = new Map<unknown, string>()
    return events.map((event) => {
      if (!is(event)) return event
      const text = `${so.get(event['output_index']) ?? ''}${textOf(event['delta'])}`
      so.set(event['output_index'], text)
      return having(event, { delta: text })
    })
  })
}

/** The last delta of each item, changed. */
const last = (name: string, is: (event: WireEvent) => boolean, change: (text: string, all: string) => string): Family =>
  kind(name, (events) =>
    events.map((event, at) => {
      const own = events.filter((one) => is(one) && one['output_index'] === event['output_index'])
      if (!is(event) || own.at(-1) !== event || at === 0) return event
      return having(event, { delta: change(textOf(event['delta']), own.map(({ delta }) => textOf(delta)).join('')) })
    }),
  )

/** Every text but those of deltas, changed. */
const stated = (name: string, change: (text: string) => string): Family =>
  each(
    name,
    (event) =>
      mapEvent(event as never, (fields) =>
        typeof fields['text'] === 'string' ? { ...fields, text: change(fields['text']) } : fields,
      ) as WireEvent,
  )

/** The end of the response lists some of its items. */
const listing = (name: string, keep: (item: WireEvent, at: number) => boolean): Family =>
  response(name, isTerminal, ({ output }) => ({ output: (listOf(output) as WireEvent[]).filter(keep) }))

/** What servers of the Responses API do wrong throughout a stream. */
export const RESPONSES_KINDS: readonly Family[] = [
  // Identity.
  each('a new item_id in each event', (event, at) =>
    'item_id' in event ? having(event, { item_id: `it_${at}` }) : event,
  ),
  each('no item_id', (event) => having(event, { item_id: undefined })),
  each('no output_index', (event) => having(event, { output_index: undefined })),
  each('output_index from 1', (event) =>
    typeof event['output_index'] === 'number' ? having(event, { output_index: event['output_index'] + 1 }) : event,
  ),
  each('content_index from 1', (event) =>
    typeof event['content_index'] === 'number' ? having(event, { content_index: event['content_index'] + 1 }) : event,
  ),
  each('no content_index', (event) => having(event, { content_index: undefined })),
  only('another item.id when it is done', isDone, (event) =>
    having(event, { item: having(event['item'], { id: `${fieldsOf(event['item'])['id']}_done` }) }),
  ),
  response('another response.id at the end', isTerminal, ({ id }) => ({ id: `${id}_end` })),
  response(
    'no response.id but at the start',
    (event) => !/created$/.test(event.type) && 'response' in event,
    () => ({
      id: undefined,
    }),
  ),
  items('no item.id', /./, (item) => having(item, { id: undefined })),
  items('the id of a call as its call_id', /function_call$/, (item) => having(item, { call_id: item['id'] })),
  only('no call_id when a call is added', isAdded, (event) =>
    having(event, { item: having(event['item'], { call_id: undefined }) }),
  ),
  only('no call_id when a call is done', isDone, (event) =>
    having(event, { item: having(event['item'], { call_id: undefined }) }),
  ),
  // Events that a server never sends.
  without('no parts', /content_part\./),
  without('no deltas', /\.delta$/),
  without('no done texts', /(text|arguments|part|refusal)\.done$/),
  without('no done items', /output_item\.done$/),
  without('no added items', /output_item\.added$/),
  without('no beginning', /response\.(created|in_progress)$/),
  kind('deltas and the end alone', (events) =>
    events.filter((event) => /\.delta$|created$/.test(event.type) || isTerminal(event)),
  ),
  kind('done items and the end alone', (events) =>
    events.filter((event) => /item\.done$|created$/.test(event.type) || isTerminal(event)),
  ),
  kind('the end alone', (events) => events.filter((event) => isTerminal(event))),
  // Names of events.
  each('types without "response."', (event) => having(event, { type: event.type.replace(/^response\./, '') })),
  only('response.done as the end', isTerminal, (event) => having(event, { type: 'response.done' })),
  only('text.delta for output_text.delta', isText, (event) => having(event, { type: 'response.text.delta' })),
  each('reasoning_text as reasoning', (event) =>
    having(event, { type: event.type.replace('reasoning_text', 'reasoning') }),
  ),
  only('reasoning as output_text', isType(/reasoning_text\.(delta|done)$/), (event) =>
    having(event, { type: event.type.replace('reasoning_text', 'output_text') }),
  ),
  only(
    'tool_call as the type of a call',
    (event) => fieldsOf(event['item'])['type'] === 'function_call',
    (event) => having(event, { item: having(event['item'], { type: 'tool_call' }) }),
  ),
  // Texts.
  growing('text deltas that grow', isText),
  growing('argument deltas that grow', isArguments),
  last('the last delta has all of the text', isText, (_, all) => all),
  last('the last delta of arguments has all of them', isArguments, (_, all) => all),
  last('a special token behind the text', isText, (text) => `${text}<|return|>`),
  last('arguments end before their bracket', isArguments, (text) => text.replace(/\}\s*$/, '')),
  only('no letters but ASCII in deltas', isText, (event) =>
    having(event, { delta: textOf(event['delta']).replace(/[^\0-\x7f]/gu, '\ufffd') }),
  ),
  only('deltas without blanks', isText, (event) =>
    having(event, { delta: textOf(event['delta']).replaceAll(' ', '') }),
  ),
  stated('done texts escaped', (text) => text.replaceAll(/[aeiou]/g, (letter) => `&${letter};`)),
  stated('done texts trimmed', (text) => text.trim()),
  stated('done texts of eight letters at most', (text) => text.slice(0, 8)),
  stated('done texts with a newline', (text) => (text === '' ? text : `${text}\n`)),
  stated('done texts empty', () => ''),
  only('a text as a list in deltas', isText, (event) => having(event, { delta: [event['delta']] })),
  only('a text as an object in deltas', isText, (event) => having(event, { delta: { text: event['delta'] } })),
  kind('the last delta behind its item', (events) => {
    const at = events.findLastIndex((event) => isText(event) || isArguments(event))
    const done = events.findIndex((event, index) => index > at && isDone(event))
    return at < 0 || done < 0 ? undefined : (moved(events, at, done + 1) as WireEvent[])
  }),
  flat('deltas twice', (event) => (isText(event) ? [event, event] : [event])),
  flat('deltas by letter, the rest without indexes', (event) =>
    isText(event)
      ? [...textOf(event['delta'])].map((delta, at) =>
          at === 0 ? having(event, { delta }) : { type: event.type, delta },
        )
      : [event],
  ),
  // Items.
  items('messages with their content as text', /^message$/, (item) =>
    having(item, {
      content: listOf(item['content'])
        .map(({ text }) => textOf(text))
        .join(''),
    }),
  ),
  items('no role', /^message$/, (item) => having(item, { role: undefined })),
  items('no content of messages', /^message$/, (item) => having(item, { content: undefined })),
  items('no status', /./, (item) => ('object' in item ? item : having(item, { status: undefined }))),
  items('in_progress as each status', /./, (item) =>
    'object' in item ? item : having(item, { status: 'in_progress' }),
  ),
  each(
    'annotations null',
    (event) =>
      mapEvent(event as never, (fields) =>
        'annotations' in fields ? { ...fields, annotations: null } : fields,
      ) as WireEvent,
  ),
  each(
    'no annotations or logprobs',
    (event) => mapEvent(event as never, ({ annotations, logprobs, ...fields }) => fields) as WireEvent,
  ),
  items('arguments as an object', /function_call$/, (item) => {
    try {
      return having(item, { arguments: JSON.parse(textOf(item['arguments'])) })
    } catch {
      return item
    }
  }),
  only('done arguments empty', isDone, (event) =>
    'arguments' in fieldsOf(event['item']) ? having(event, { item: having(event['item'], { arguments: '' }) }) : event,
  ),
  only('no name when a call is added', isAdded, (event) =>
    having(event, { item: having(event['item'], { name: undefined }) }),
  ),
  only('names with functions. when a call is done', isDone, (event) =>
    'name' in fieldsOf(event['item'])
      ? having(event, { item: having(event['item'], { name: `functions.${fieldsOf(event['item'])['name']}` }) })
      : event,
  ),
  kind('the deltas of two calls exchanged', (events) => {
    const [one, two] = itemsIn(events as never).filter(({ type }) => type === 'function_call')
    if (one === undefined || two === undefined) return undefined
    const other = new Map<unknown, object>([
      [one.index, { output_index: two.index, item_id: two.id }],
      [two.index, { output_index: one.index, item_id: one.id }],
    ])
    return events.map((event) => (isArguments(event) ? having(event, { ...other.get(event['output_index']) }) : event))
  }),
  // The end.
  listing('an end without calls', ({ type }) => !/call$/.test(type)),
  listing('an end without reasoning', ({ type }) => type !== 'reasoning'),
  listing('an end without messages', ({ type }) => type !== 'message'),
  listing('an end with its last item alone', (item) => item !== undefined),
  response('an end with status in_progress', isTerminal, () => ({ status: 'in_progress' })),
  response('no status at the end', isTerminal, () => ({ status: undefined })),
  response('usage in the words of Chat Completions', isTerminal, () => ({
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  })),
  response('counts as texts', isTerminal, () => ({
    usage: { input_tokens: '3', output_tokens: '4', total_tokens: '7' },
  })),
  response(
    'output null but at the end',
    (event) => 'response' in event && !isTerminal(event),
    () => ({ output: null }),
  ),
  response(
    'created_at in milliseconds',
    (event) => 'response' in event,
    ({ created_at }) => ({
      created_at: Number(created_at) * 1000,
    }),
  ),
  response(
    'created_at as text',
    (event) => 'response' in event,
    () => ({ created_at: '2026-01-01T00:00:00Z' }),
  ),
  response('the error as text', isType(/failed$/), ({ error }) => ({ error: textOf(fieldsOf(error)['message']) })),
  response('an error without a message', isType(/failed$/), () => ({ error: { code: 'server_error' } })),
  response('the reason as text', isType(/incomplete$/), () => ({ incomplete_details: 'max_output_tokens' })),
  kind('an end as its response alone', (events) =>
    events.map((event) => (isTerminal(event) ? (having(event['response'], {}) as WireEvent) : event)),
  ),
  flat('a failure as an error of Chat Completions', (event) =>
    /failed$/.test(event.type) ? [{ error: { message: 'Down.', type: 'server_error' } } as never] : [event],
  ),
  // Other events.
  flat('a ping behind each event', (event) => [event, { type: 'ping' }]),
  flat('a keepalive behind each event', (event) => [event, { type: 'keepalive', sequence_number: 0 }]),
  flat('an event of its own at the start', (event, at) =>
    at === 0 ? [event, { type: 'acme.queue', position: 3 }] : [event],
  ),
  flat('a status of its own before the end', (event) =>
    isTerminal(event) ? [{ type: 'response.status', status: 'finishing' }, event] : [event],
  ),
  kind('all closing events in reverse', (events) => {
    const closing = events.filter(({ type }) => /\.done$/.test(type)).toReversed()
    return events.map((event) => (/\.done$/.test(event.type) ? (closing.shift() as WireEvent) : event))
  }),
  each('sequence_number 0', (event) => ('sequence_number' in event ? having(event, { sequence_number: 0 }) : event)),
  each('no sequence_number', (event) => having(event, { sequence_number: undefined })),
]
