import type { Fields } from '../../../shared/fields.js'
import {
  changing,
  endOf,
  type Family,
  type FamilyDamage,
  fieldsOf,
  inserted,
  isDelta,
  itemsIn,
  listOf,
  mapEvent,
  moved,
  renumbered,
  replaced,
  replacing,
  sampleOf,
  textOf,
  type WireEvent,
  withItem,
  withListed,
} from './family.js'

// Mistakes in texts, outputs, summaries and citations.

/** The fields with the model's text. */
const TEXT_FIELDS = ['delta', 'text', 'refusal', 'arguments', 'input', 'code'] as const

/** Mistakes of wrong encoders of text. */
const UNICODE: readonly (readonly [how: string, change: (text: string) => string])[] = [
  ['a replacement character', (text) => text.replace(/[^ -~]|[a-z]/, '\ufffd')],
  ['UTF-8 read as Latin-1', (text) => text.replace(/[^ -~]|[a-z]/, (letter) => `\u00c3${letter}`)],
  ['half a surrogate pair', (text) => text.replace(/[^ -~]|[a-z]/, '\ud83d')],
  ['decomposed', (text) => text.replace(/[^ -~]|[a-z]/, (letter) => `${letter}\u0301`)],
  ['a byte order mark', (text) => `\ufeff${text}`],
  ['a null character', (text) => `${text}\u0000`],
  [
    'escapes written out',
    (text) => text.replace(/[^ -~]|[a-z]/, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  ['without white space', (text) => text.trim()],
]

const unicode: Family = {
  name: 'unicode',
  *damages(events) {
    for (const at of sampleOf(events, (event) => TEXT_FIELDS.some((name) => textOf(event[name]) !== ''))) {
      const event = events[at] as WireEvent
      const field = TEXT_FIELDS.find((name) => textOf(event[name]) !== '') as string
      for (const [how, change] of UNICODE) {
        yield replacing(`${how} in ${event.type}`, events, at, { ...event, [field]: change(textOf(event[field])) })
      }
    }
    const end = endOf(events)
    for (const [how, change] of UNICODE) {
      const changed = (event: WireEvent): WireEvent =>
        mapEvent(event, (fields) =>
          typeof fields['text'] === 'string' && 'annotations' in fields
            ? { ...fields, text: change(fields['text']) }
            : fields,
        )
      if (events[end] !== undefined) {
        yield replacing(`${how} in the response`, events, end, changed(events[end] as WireEvent))
      }
      const done = itemsIn(events).find(({ type }) => type === 'message')?.doneAt
      if (done === undefined) continue
      yield replacing(`${how} in a done message`, events, done, changed(events[done] as WireEvent))
    }
    // A pair of surrogates in two deltas is right: clients join the deltas.
    for (const at of sampleOf(events, (event) => isDelta(event) && /[\ud800-\udbff]/.test(textOf(event['delta'])))) {
      const event = events[at] as WireEvent
      const text = textOf(event['delta'])
      const cut = text.search(/[\ud800-\udbff]/) + 1
      const halves = [text.slice(0, cut), text.slice(cut)].map((delta) => ({ ...event, delta }))
      yield { how: 'a surrogate pair in two deltas', at, events: renumbered(replaced(events, at, halves)) }
    }
  },
}

/** The fields with the output of a tool. */
const OUTPUTS = ['output', 'outputs', 'results', 'result', 'error', 'action', 'operation', 'code'] as const

function* otherOutputs(value: unknown): Generator<[how: string, value: unknown]> {
  yield ['null', null]
  if (typeof value === 'string') {
    yield ['cut', value.slice(0, Math.floor(value.length / 2))]
    yield ['empty', '']
  } else if (Array.isArray(value)) {
    yield ['empty', []]
    yield ['without the last', value.slice(0, -1)]
    yield ['as text', JSON.stringify(value)]
    const [first] = value
    const text = Object.entries(fieldsOf(first)).find(([name, inner]) => name !== 'type' && typeof inner === 'string')
    if (text !== undefined) {
      const cut = { ...fieldsOf(first), [text[0]]: textOf(text[1]).slice(0, textOf(text[1]).length / 2) }
      yield [`${text[0]} cut`, [cut, ...value.slice(1)]]
    }
  } else if (value !== null) yield ['as text', JSON.stringify(value)]
}

const outputs: Family = {
  name: 'truncated tool output',
  *damages(events) {
    for (const { doneAt, type, id } of itemsIn(events)) {
      const item = fieldsOf(events[doneAt]?.['item'])
      if (type === 'message' || type === 'reasoning') continue
      for (const name of OUTPUTS.filter((one) => one in item)) {
        for (const [how, value] of otherOutputs(item[name])) {
          const damaged = withItem(events[doneAt] as WireEvent, { [name]: value })
          yield replacing(`${name} of done ${type}: ${how}`, events, doneAt, damaged)
          const end = endOf(events)
          if (events[end] === undefined) continue
          const listed = withListed(events[end] as WireEvent, id, { [name]: value })
          yield replacing(`${name} of listed ${type}: ${how}`, events, end, listed)
        }
      }
      for (const field of ['arguments', 'input']) {
        const given = textOf(item[field])
        if (given.length < 4) continue
        const damaged = withItem(events[doneAt] as WireEvent, { [field]: given.slice(0, -2) })
        yield replacing(`${field} of done ${type}: cut`, events, doneAt, damaged)
      }
    }
  },
}

const isSummary = ({ type }: WireEvent): boolean => type.startsWith('response.reasoning_summary_')

const summaries: Family = {
  name: 'summary parts',
  *damages(events) {
    const some = sampleOf(events, isSummary)
    for (const at of some) {
      const event = events[at] as WireEvent
      const index = event['summary_index'] as number
      yield replacing(`${event.type} of another part`, events, at, { ...event, summary_index: index === 0 ? 1 : 0 })
      yield replacing(`no ${event.type}`, events, at)
    }
    for (const { addedAt, doneAt, type } of itemsIn(events)) {
      if (type !== 'reasoning') continue
      const within = (event: WireEvent, at: number): boolean => at > addedAt && at < doneAt && isSummary(event)
      const parts = [...new Set(events.filter(within).map((event) => event['summary_index']))]
      const summary = listOf(fieldsOf(events[doneAt]?.['item'])['summary'])
      if (parts.length === 0) continue
      const change = (how: string, to: (index: number) => number): FamilyDamage =>
        changing(
          how,
          events,
          (event, at) =>
            within(event, at) ? { ...event, summary_index: to(event['summary_index'] as number) } : event,
          addedAt,
        )
      yield change('from 1', (index) => index + 1)
      if (parts.length > 1) {
        yield change('all at 0', () => 0)
        yield change('in reverse', (index) => parts.length - 1 - index)
        const reversed = withItem(events[doneAt] as WireEvent, { summary: summary.toReversed() })
        yield replacing('swapped in the done item', events, doneAt, reversed)
        const first = events.flatMap((event, at) => (within(event, at) && event['summary_index'] === 0 ? [event] : []))
        const rest = events.filter((event) => !first.includes(event))
        const place = rest.findIndex((event) => event.type === 'response.output_item.done' && event === events[doneAt])
        yield { how: 'the first one last', at: addedAt, events: renumbered(inserted(rest, place, first)) }
      }
      const one = withItem(events[doneAt] as WireEvent, {
        summary: [{ type: 'summary_text', text: summary.map(({ text }) => textOf(text)).join('') }],
      })
      yield replacing('one part in the done item', events, doneAt, one)
      yield replacing('none in the done item', events, doneAt, withItem(events[doneAt] as WireEvent, { summary: [] }))
    }
  },
}

const changesOf = (annotation: Fields): [how: string, annotation: Fields][] => {
  const { start_index: start, end_index: end, url, title, file_id } = annotation
  const changes: [string, Fields][] = [['another type', { ...annotation, type: 'file_path' }]]
  if (typeof start === 'number' && typeof end === 'number') {
    changes.push(['another span', { ...annotation, start_index: start + 1, end_index: end + 2 }])
    changes.push(['an inverse span', { ...annotation, start_index: end, end_index: start }])
    changes.push(['a span beyond the text', { ...annotation, end_index: end + 100_000 }])
  }
  if (typeof url === 'string') changes.push(['another url', { ...annotation, url: `${url}x` }])
  if (typeof title === 'string') changes.push(['another title', { ...annotation, title: `${title}x` }])
  if (typeof file_id === 'string') changes.push(['another file', { ...annotation, file_id: `${file_id}x` }])
  return changes
}

const citations: Family = {
  name: 'citations',
  *damages(events) {
    const isCitation = ({ type }: WireEvent): boolean => type === 'response.output_text.annotation.added'
    for (const at of sampleOf(events, isCitation)) {
      const event = events[at] as WireEvent
      for (const [how, annotation] of changesOf(fieldsOf(event['annotation']))) {
        yield replacing(`${how} in the event`, events, at, { ...event, annotation })
      }
      yield replacing('no event', events, at)
      yield { how: 'two events', at, events: renumbered(inserted(events, at, [event])) }
      yield replacing('an event for another part', events, at, { ...event, content_index: 1 })
      const done = events.findIndex((one, index) => index > at && one.type === 'response.output_item.done')
      if (done > 0) yield { how: 'an event after its message', at, events: renumbered(moved(events, at, done + 1)) }
      const delta = events.findIndex((one) => isDelta(one) && one['item_id'] === event['item_id'])
      if (delta > 0) yield { how: 'an event before the text', at, events: renumbered(moved(events, at, delta)) }
    }
    for (const [at, event] of events.entries()) {
      if (!/^response\.(content_part\.done|output_item\.done|completed)$/.test(event.type)) continue
      const change = (how: string, to: (all: readonly Fields[]) => readonly Fields[]): FamilyDamage =>
        replacing(
          `${how} in ${event.type}`,
          events,
          at,
          mapEvent(event, (fields) =>
            listOf(fields['annotations']).length > 0
              ? { ...fields, annotations: to(listOf(fields['annotations'])) }
              : fields,
          ),
        )
      if (!JSON.stringify(event).includes('"annotations":[{')) continue
      yield change('none', () => [])
      yield change('one less', (all) => all.slice(1))
      yield change('one twice', (all) => [...all, all[0] as Fields])
      yield change('in reverse', (all) => all.toReversed())
      for (const [number] of changesOf({ start_index: 0, end_index: 0, url: '', title: '', file_id: '' }).entries()) {
        yield change(`change ${number}`, ([first = {}, ...rest]) => [
          (changesOf(first)[number] ?? ['', first])[1],
          ...rest,
        ])
      }
    }
  },
}

export const CONTENT: readonly Family[] = [unicode, outputs, summaries, citations]
