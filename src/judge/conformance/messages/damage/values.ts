import { changing, cutting, fieldsOf, inserted, inserting, replaced, replacing } from '../../damage/family.js'
import {
  beginsCall,
  deltaOf,
  endOf,
  type MessageEvent,
  type MessagesDamage,
  type MessagesFamily,
  withBlock,
  withDelta,
  withMessage,
} from './event.js'

// Fields with values that no client expects.

const ends: MessagesFamily = {
  name: 'stop_reason',
  *damages(events) {
    const at = endOf(events)
    const event = events[at]
    if (event === undefined) return
    const reason = deltaOf(event)['stop_reason']
    for (const other of ['end_turn', 'tool_use', 'max_tokens', 'stop', 'tool_calls', 'length', 'eos', '', 'refusal']) {
      if (reason === other) continue
      yield replacing(other || 'empty', events, at, withDelta(event, { stop_reason: other }))
    }
    yield replacing('null', events, at, withDelta(event, { stop_reason: null }))
    yield replacing('as finish_reason', events, at, { ...event, delta: { finish_reason: reason } })
    yield replacing('beside delta', events, at, { ...event, delta: {}, stop_reason: reason })
    yield { how: 'in message_start, too', at: 0, events: startsWith(events, { stop_reason: reason }) }
    yield replacing('without usage', events, at, { type: event['type'], delta: event['delta'] })
    const nothing = withDelta(event, { stop_reason: null })
    yield inserting('in the second message_delta', events, at, [nothing])
    yield { how: 'in the first message_delta', at, events: inserted(events, at + 1, [nothing]) }
    yield { how: 'two', at, events: inserted(events, at + 1, [withDelta(event, { stop_reason: 'max_tokens' })]) }
  },
}

const startsWith = (events: readonly MessageEvent[], fields: object): MessageEvent[] =>
  replaced(events, 0, [withMessage(events[0] as MessageEvent, { ...fields })])

const message: MessagesFamily = {
  name: 'message',
  *damages(events) {
    const as = (how: string, fields: object): MessagesDamage => ({ how, at: 0, events: startsWith(events, fields) })
    yield as('content null', { content: null })
    yield as('no content', { content: undefined })
    yield as('content as text', { content: '' })
    yield as('content that is not empty', { content: [{ type: 'text', text: 'Before.' }] })
    yield as('usage null', { usage: null })
    yield as('no usage', { usage: undefined })
    yield as('no role', { role: undefined })
    yield as('no model', { model: undefined })
    const start = events[0] as MessageEvent
    yield replacing('null', events, 0, { ...start, message: null })
    yield replacing('none', events, 0, { type: start['type'] })
    yield replacing('beside its type', events, 0, { ...fieldsOf(start['message']), type: start['type'] })
  },
}

const errors: MessagesFamily = {
  name: 'errors',
  *damages(events) {
    const middle = Math.floor(events.length / 2)
    const error = { type: 'overloaded_error', message: 'It broke.' }
    const instead = (how: string, value: unknown): MessagesDamage => cutting(how, events, middle, value as MessageEvent)
    yield instead('without a type of event', { error })
    yield instead('as text', { type: 'error', error: 'It broke.' })
    yield instead('without a message', { type: 'error', error: { type: 'api_error' } })
    // Compared with an error in its own form: a stream that fails is a good one.
    const { events: failed } = instead('', { type: 'error', error })
    yield { ...instead('as a message alone', { type: 'error', message: error.message }), base: failed }
    yield instead('without a type of error', { type: 'error', error: { message: 'It broke.' } })
    yield instead('as a detail', { detail: 'It broke.' })
    yield inserting('in the middle', events, middle, [{ type: 'error', error }])
    yield { how: 'first', at: 0, events: [{ type: 'error', error }, ...events] }
    yield changing('null in each event', events, (event) => ({ ...event, error: null }))
  },
}

const others: MessagesFamily = {
  name: 'other events',
  *damages(events) {
    const middle = Math.floor(events.length / 2)
    const among = (how: string, value: unknown): MessagesDamage =>
      inserting(how, events, middle, [value as MessageEvent])
    const chunk = {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { content: 'Hi' } }],
    }
    yield among('a chunk of Chat Completions', chunk)
    yield among('an event of the Responses API', { type: 'response.output_text.delta', delta: 'Hi', output_index: 0 })
    yield among('a list', [])
    yield among('a text', 'Hi')
    yield among('a ping', { type: 'ping' })
    yield changing('types without their words', events, (one) => renamed(one, (type) => type.replace('content_', '')))
    yield changing('types with dots', events, (one) => renamed(one, (type) => type.replaceAll('_', '.')))
  },
}

const renamed = (event: MessageEvent, change: (type: string) => string): MessageEvent => ({
  ...event,
  type: change(String(event['type'])),
})

const usage: MessagesFamily = {
  name: 'usage',
  isSoft: true,
  *damages(events) {
    const at = endOf(events)
    const event = events[at]
    if (event === undefined) return
    const end = (how: string, value: unknown): MessagesDamage => replacing(how, events, at, { ...event, usage: value })
    const counts = fieldsOf(event['usage'])
    const texts = Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, String(value)]))
    yield end('as texts', texts)
    yield end('empty', {})
    yield end('a list', [])
    yield end('a text', 'none')
    yield end('null', null)
    yield end('with output_tokens null', { ...counts, output_tokens: null })
    yield end('with input_tokens null', { ...counts, input_tokens: null })
    yield { how: 'as texts at the start', at: 0, events: startsWith(events, { usage: texts }) }
    yield { how: 'empty at the start', at: 0, events: startsWith(events, { usage: {} }) }
    yield { how: 'a list at the start', at: 0, events: startsWith(events, { usage: [] }) }
    yield {
      how: 'in the words of Chat Completions',
      at: 0,
      events: startsWith(events, { usage: { prompt_tokens: 1, completion_tokens: 1 } }),
    }
  },
}

const ids: MessagesFamily = {
  name: 'wrong ids',
  isSoft: true,
  *damages(events) {
    for (const [how, id] of [
      ['null', null],
      ['empty', ''],
      ['none', undefined],
      ['a number', 7],
    ] as const) {
      yield { how: `${how} of the message`, at: 0, events: startsWith(events, { id }) }
      const at = events.findIndex(beginsCall)
      if (at < 0) continue
      const all = events.map((event) => (beginsCall(event) ? withBlock(event, { id }) : event))
      yield { how: `${how} of all calls`, at, events: all }
    }
  },
}

export const VALUES: readonly MessagesFamily[] = [ends, message, errors, others, usage, ids]
