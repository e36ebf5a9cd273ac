import type { Fields } from '../../../../shared/fields.js'
import { changing, fieldsOf, replaced, replacing, sampleOf, textOf } from '../../damage/family.js'
import { parseJson } from '../../read/parse-json.js'
import {
  beginsCall,
  blockOf,
  deltaOf,
  hasInput,
  hasText,
  hasThinking,
  isBegin,
  isDelta,
  isOfBlock,
  type MessageEvent,
  type MessagesDamage,
  type MessagesFamily,
  spansOf,
  withBlock,
  withDelta,
} from './event.js'

// Blocks that differ in form from Anthropic's.

const indexes: MessagesFamily = {
  name: 'indexes of blocks',
  *damages(events) {
    const at = events.findIndex(isOfBlock)
    if (at < 0) return
    const each = (how: string, change: (index: unknown) => unknown, is = isOfBlock): MessagesDamage =>
      changing(how, events, (event) => (is(event) ? { ...event, index: change(event['index']) } : event), at)
    yield each('all 0', () => 0)
    yield each('from 1', (index) => Number(index) + 1)
    yield each('none', () => undefined)
    yield each('as text', String)
    yield each('null', () => null)
    yield each('with gaps', (index) => Number(index) * 3)
    yield each('none in deltas', () => undefined, isDelta)
    yield each('0 in deltas', () => 0, isDelta)
    yield each('one more in deltas', (index) => Number(index) + 1, isDelta)
    const stops = (event: MessageEvent): boolean => event['type'] === 'content_block_stop'
    yield each('none in stops', () => undefined, stops)
    yield each('0 in stops', () => 0, stops)
    yield each('one more in stops', (index) => Number(index) + 1, stops)
  },
}

const types: MessagesFamily = {
  name: 'types of blocks',
  *damages(events) {
    const as = (how: string, type: string, to: string, fields: Fields): MessagesDamage =>
      changing(
        how,
        events,
        (event) => (blockOf(event)['type'] === type ? { ...event, content_block: { type: to, ...fields } } : event),
        events.findIndex((event) => blockOf(event)['type'] === type),
      )
    yield as('thinking as text', 'thinking', 'text', { text: '' })
    yield as('text as thinking', 'text', 'thinking', { thinking: '', signature: '' })
    yield as('thinking as reasoning', 'thinking', 'reasoning', { reasoning: '' })
    yield as('text as output_text', 'text', 'output_text', { text: '' })
    const delta = (how: string, from: string, change: (delta: Fields) => Fields): MessagesDamage =>
      changing(
        how,
        events,
        (event) =>
          isDelta(event) && deltaOf(event)['type'] === from ? { ...event, delta: change(deltaOf(event)) } : event,
        events.findIndex((event) => isDelta(event) && deltaOf(event)['type'] === from),
      )
    yield delta('thinking in text_delta', 'thinking_delta', ({ thinking }) => ({ type: 'text_delta', text: thinking }))
    yield delta('text in thinking_delta', 'text_delta', ({ text }) => ({ type: 'thinking_delta', thinking: text }))
    yield delta('deltas without a type', 'text_delta', ({ text }) => ({ text }))
    yield delta('input in text_delta', 'input_json_delta', ({ partial_json }) => ({
      type: 'text_delta',
      text: partial_json,
    }))
    yield delta('deltas of another type', 'text_delta', ({ text }) => ({ type: 'output_text_delta', text }))
    yield delta('input as `input`', 'input_json_delta', ({ partial_json }) => ({
      type: 'input_json_delta',
      input: partial_json,
    }))
    const merged = spansOf(events)
    const texts = merged.filter(({ begin }) => blockOf(events[begin] as MessageEvent)['type'] === 'text')
    for (const { begin } of texts) {
      const before = merged.find(({ end }) => end === begin - 1)
      if (before === undefined) continue
      const index = (events[before.begin] as MessageEvent)['index']
      const own = (events[begin] as MessageEvent)['index']
      const rest = events.filter((_, at) => at !== begin && at !== before.end)
      yield {
        how: 'text in the block before it',
        at: begin,
        events: rest.map((event) => (isOfBlock(event) && event['index'] === own ? { ...event, index } : event)),
      }
    }
  },
}

const whole: MessagesFamily = {
  name: 'whole beginnings',
  *damages(events) {
    const spans = spansOf(events)
    const textIn = ({ begin, end }: { begin: number; end: number }, name: string): string =>
      events
        .slice(begin, end)
        .map((event) => (isDelta(event) ? textOf(deltaOf(event)[name]) : ''))
        .join('')
    for (const span of spans) {
      const begin = events[span.begin] as MessageEvent
      const { type } = blockOf(begin)
      if (type !== 'text' && type !== 'thinking') continue
      const full = withBlock(begin, { [type]: textIn(span, type) })
      const withFull = replaced(events, span.begin, [full])
      yield { how: `${type} in the beginning and the deltas`, at: span.begin, events: withFull }
      const alone = withFull.filter(
        (event, at) => at <= span.begin || at >= span.end || deltaOf(event)[type] === undefined,
      )
      yield { how: `${type} in the beginning alone`, at: span.begin, events: alone }
      const halves = textIn(span, type)
      const first = withBlock(begin, { [type]: halves.slice(0, 1) })
      const second = events.findIndex(
        (event, at) => at > span.begin && at < span.end && textOf(deltaOf(event)[type]) !== '',
      )
      if (second < 0) continue
      const rest = textOf(deltaOf(events[second] as MessageEvent)[type]).slice(1)
      const split = replaced(replaced(events, span.begin, [first]), second, [
        withDelta(events[second] as MessageEvent, { [type]: rest }),
      ])
      yield { how: `${type} begun in the beginning`, at: span.begin, events: split }
    }
    for (const span of spans.filter(({ begin }) => beginsCall(events[begin] as MessageEvent))) {
      const input = fieldsOf(parseJson(textIn(span, 'partial_json'))?.value)
      if (Object.keys(input).length === 0) continue
      const full = replaced(events, span.begin, [withBlock(events[span.begin] as MessageEvent, { input })])
      yield { how: 'input in the beginning and the deltas', at: span.begin, events: full }
      const alone = full.filter((event, at) => at <= span.begin || at >= span.end || !isDelta(event))
      yield { how: 'input in the beginning alone', at: span.begin, events: alone }
    }
  },
}

const names: MessagesFamily = {
  name: 'names of calls',
  *damages(events) {
    for (const at of sampleOf(events, beginsCall)) {
      const event = events[at] as MessageEvent
      const { id, name, input } = blockOf(event)
      const type = 'tool_use'
      const as = (how: string, block: Fields): MessagesDamage =>
        replacing(how, events, at, { ...event, content_block: block })
      yield as('without a name', { type, id, input })
      yield as('an empty name', { type, id, name: '', input })
      yield as('null as a name', { type, id, name: null, input })
      yield as('without an id', { type, name, input })
      yield as('an empty id', { type, id: '', name, input })
      yield as('null as an id', { type, id: null, name, input })
      yield as('without an input', { type, id, name })
      yield as('null as the input', { type, id, name, input: null })
      yield as('text as the input', { type, id, name, input: '' })
      yield as('as a function', { type: 'function', id, function: { name, arguments: '' } })
    }
    const calls = events.filter(beginsCall)
    if (calls.length < 2) return
    const { id } = blockOf(calls[0] as MessageEvent)
    const same = events.map((event) => (beginsCall(event) ? withBlock(event, { id }) : event))
    yield { how: 'one id for all', at: events.findIndex(beginsCall), events: same }
  },
}

const encoded: MessagesFamily = {
  name: 'double-encoded',
  *damages(events) {
    for (const span of spansOf(events)) {
      if (!beginsCall(events[span.begin] as MessageEvent)) continue
      const inside = (at: number): boolean => at > span.begin && at < span.end
      const given = events
        .filter((event, at) => inside(at) && hasInput(event))
        .map((event) => textOf(deltaOf(event)['partial_json']))
        .join('')
      if (!given.trimStart().startsWith('{')) continue
      const first = events.findIndex((event, at) => inside(at) && hasInput(event))
      const as = (how: string, value: unknown): MessagesDamage => ({
        how,
        at: first,
        events: events.flatMap((event, at) => {
          if (!inside(at) || !hasInput(event)) return [event]
          return at === first ? [withDelta(event, { partial_json: value })] : []
        }),
      })
      yield as('input', JSON.stringify(given))
      yield as('input as an object', fieldsOf(parseJson(given)?.value))
      yield as('input in a code block', `\`\`\`json\n${given}\n\`\`\``)
      yield as('input without its last bracket', given.replace(/\}\s*$/, ''))
      yield as('input twice', given + given)
      yield as('input that grows', given.slice(0, 1) + given)
    }
  },
}

const content: MessagesFamily = {
  name: 'content',
  *damages(events) {
    for (const [name, is] of [
      ['text', hasText],
      ['thinking', hasThinking],
      ['partial_json', hasInput],
    ] as const) {
      for (const at of sampleOf(events, is)) {
        const event = events[at] as MessageEvent
        const text = textOf(deltaOf(event)[name])
        const as = (how: string, one: MessageEvent): MessagesDamage => replacing(`${name} ${how}`, events, at, one)
        yield as('as a list of parts', withDelta(event, { [name]: [{ type: 'text', text }] }))
        yield as('as an object', withDelta(event, { [name]: { text } }))
        yield as('null', withDelta(event, { [name]: null }))
        yield as('in the event', { ...event, delta: undefined, [name]: text })
        yield as('as the delta', { ...event, delta: text })
      }
    }
    for (const at of sampleOf(events, isBegin)) {
      const event = events[at] as MessageEvent
      yield replacing('a block of null', events, at, { ...event, content_block: null })
      yield replacing('no block', events, at, { type: event['type'], index: event['index'] })
    }
  },
}

export const BLOCKS: readonly MessagesFamily[] = [indexes, types, whole, names, encoded, content]
