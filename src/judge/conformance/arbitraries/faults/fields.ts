import { edit, type FieldFault, type Site, type Sites } from './fault.js'
import {
  copyFields,
  eventLabel,
  isTerminal,
  itemIn,
  otherTerminals,
  outputIn,
  responseIn,
  stageOf,
  textField,
  textKey,
  type WireEvent,
} from './wire-event.js'

/** The places for each fault in the fields of events. */
export const fields: Readonly<Record<FieldFault, Sites>> = {
  sequence_gap: (events) =>
    events.slice(1).map((event, index) => ({
      at: index + 1,
      what: `sequence_number ${event.sequence_number} is left out`,
      plant: () => events.map((one, at) => (at > index ? { ...one, sequence_number: one.sequence_number + 1 } : one)),
    })),

  sequence_restart: (events) => {
    const first = events[0]?.sequence_number ?? 0
    return events.slice(1).map((_, index) => ({
      at: index + 1,
      what: `sequence_number begins again at ${first}`,
      plant: () => events.map((one, at) => (at > index ? { ...one, sequence_number: first + at - index - 1 } : one)),
    }))
  },

  output_index_drift: each((event) => {
    const index = event['output_index']
    if (!event.type.endsWith('.done') || typeof index !== 'number') return []
    return [{ what: `${eventLabel(event)} has output_index ${index + 1}`, fields: { output_index: index + 1 } }]
  }),

  content_index_per_delta: (events) => {
    const places = new Map<string, number[]>()
    for (const [at, event] of events.entries()) {
      if (stageOf(event) !== 'delta' || typeof event['content_index'] !== 'number') continue
      const deltas = places.get(textKey(event))
      if (deltas) deltas.push(at)
      else places.set(textKey(event), [at])
    }
    return [...places.values()].flatMap((deltas): Site[] => {
      const [first = 0, second] = deltas
      const event = events[first]
      if (event === undefined || second === undefined) return []
      const from = Number(event['content_index'])
      const plant = (): WireEvent[] =>
        events.map((one, at) => (deltas.includes(at) ? { ...one, content_index: from + deltas.indexOf(at) } : one))
      return [{ at: second, what: `content_index goes up with each ${eventLabel(event)}`, plant }]
    })
  },

  item_id_changed: each((event, _, newId) => {
    const id = event['item_id']
    if (typeof id !== 'string') return []
    const other = newId(id)
    return [{ what: `${eventLabel(event)} has item_id ${other}, not ${id}`, fields: { item_id: other } }]
  }),

  done_id_changed: each((event, _, newId) => {
    const item = itemIn(event)
    const id = item?.['id']
    if (stageOf(event) !== 'item done' || typeof id !== 'string') return []
    const other = newId(id)
    return [{ what: `${eventLabel(event)} has the id ${other}, not ${id}`, fields: { item: { ...item, id: other } } }]
  }),

  call_id_changed: each((event, events, newId) => {
    const item = itemIn(event)
    const id = item?.['call_id']
    const isAnnounced = events.some((one) => stageOf(one) === 'item added' && itemIn(one)?.['call_id'] === id)
    if (stageOf(event) !== 'item done' || typeof id !== 'string' || !isAnnounced) return []
    const other = newId(id)
    return [
      { what: `${eventLabel(event)} has call_id ${other}, not ${id}`, fields: { item: { ...item, call_id: other } } },
    ]
  }),

  terminal_id_changed: terminal((event, _, newId) =>
    outputIn(event).flatMap((one, index) => {
      const item = copyFields(one)
      const id = item?.['id']
      if (typeof id !== 'string') return []
      const other = newId(id)
      return [
        {
          what: `item ${index} has the id ${other}, not ${id}`,
          fields: withOutput(event, index, 1, { ...item, id: other }),
        },
      ]
    }),
  ),

  response_id_changed: terminal((event, _, newId) => {
    const response = responseIn(event)
    const id = response?.['id']
    if (typeof id !== 'string') return []
    const other = newId(id)
    return [{ what: `the response has the id ${other}, not ${id}`, fields: { response: { ...response, id: other } } }]
  }),

  terminal_item_missing: terminal((event) =>
    outputIn(event).map((_, index) => ({ what: `item ${index} is missing`, fields: withOutput(event, index, 1) })),
  ),

  terminal_items_reordered: terminal((event) =>
    outputIn(event)
      .slice(1)
      .map((item, index) => ({
        what: `item ${index + 1} comes before item ${index}`,
        fields: withOutput(event, index, 2, item, outputIn(event)[index]),
      })),
  ),

  terminal_status_differs: terminal((event) => {
    const status = responseIn(event)?.['status']
    if (`response.${String(status)}` !== event.type) return []
    return otherTerminals(event.type).map((type) => ({
      what: `is ${type} with status ${String(status)}`,
      fields: { type },
    }))
  }),

  done_text_differs: (events) => {
    const streamed = new Set(events.filter((event) => stageOf(event) === 'delta').map(textKey))
    return each((event) => {
      const field = textField(event)
      if (stageOf(event) !== 'text done' || field === undefined || !streamed.has(textKey(event))) return []
      return [
        { what: `${eventLabel(event)} has another ${field} than its deltas`, fields: { [field]: `${event[field]}?` } },
      ]
    })(events)
  },

  arguments_in_added: each((event, events) => {
    const item = itemIn(event)
    const field = ['arguments', 'input'].find((name) => item?.[name] === '')
    if (stageOf(event) !== 'item added' || field === undefined) return []
    const streamed = events
      .filter((one) => stageOf(one) === 'delta' && one['output_index'] === event['output_index'])
      .map((one) => one['delta'])
      .join('')
    if (streamed === '') return []
    return [{ what: `${eventLabel(event)} has its ${field} already`, fields: { item: { ...item, [field]: streamed } } }]
  }),

  flat_error: (events) =>
    events.flatMap((event, at): Site[] => {
      const { error, ...rest } = event
      const nested = copyFields(error)
      if (event.type !== 'error' || nested === undefined) return []
      // Drops the type of the nested error, as a server does that follows the SDK's types.
      const { type: _, ...flat } = nested
      const what = 'the fields of the error are not within error'
      return [{ at, what, plant: () => events.with(at, { ...rest, ...flat, type: 'error' }) }]
    }),
}

/** New values for some fields of one event. */
interface Change {
  readonly what: string
  readonly fields: Record<string, unknown>
}

type NewId = (id: string) => string

type Changes = (event: WireEvent, events: readonly WireEvent[], newId: NewId) => readonly Change[]

/** Finds all places for changes of single events. */
function each(changesOf: Changes): Sites {
  return (events) => {
    const newId = newIds(events)
    return events.flatMap((event, at) =>
      changesOf(event, events, newId).map(
        ({ what, fields }): Site => ({ at, what, plant: () => edit(events, at, fields) }),
      ),
    )
  }
}

/** Finds the places for changes of the terminal event. */
function terminal(changesOf: Changes): Sites {
  return each((event, events, newId) =>
    isTerminal(event)
      ? changesOf(event, events, newId).map(({ what, fields }) => ({ what: `${event.type}: ${what}`, fields }))
      : [],
  )
}

/** The `response` field of an event with `count` items of its output replaced. */
function withOutput(event: WireEvent, index: number, count: number, ...items: unknown[]): Record<string, unknown> {
  return { response: { ...responseIn(event), output: outputIn(event).toSpliced(index, count, ...items) } }
}

/** Creates ids of the same form that do not occur in the stream; always the same new id for one old id. */
function newIds(events: readonly WireEvent[]): NewId {
  const known = new Map<string, string>()
  let text: string | undefined
  return (id) => {
    const newId = known.get(id)
    if (newId !== undefined) return newId
    text ??= JSON.stringify(events)
    let other = `${id}x`
    while (text.includes(other)) other += 'x'
    known.set(id, other)
    return other
  }
}
