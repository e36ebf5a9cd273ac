import type { Fields } from '../../../shared/fields.js'
import {
  changing,
  endOf,
  type Family,
  fieldsOf,
  type ItemSpan,
  isDelta,
  itemsIn,
  mapEvent,
  replacing,
  sampleOf,
  type WireEvent,
  withItem,
  withOtherId,
} from './family.js'

// Wrong ids and indexes that relate events, and bodies under the id of another item.

/** The events, with fields of the done items of one and two exchanged. */
const exchangedIn = (events: readonly WireEvent[], one: ItemSpan, two: ItemSpan, field: string): WireEvent[] =>
  events.map((event, at) => {
    const from = at === one.doneAt ? two : at === two.doneAt ? one : undefined
    return from === undefined ? event : withItem(event, { [field]: fieldsOf(events[from.doneAt]?.['item'])[field] })
  })

const wrongIds: Family = {
  name: 'wrong ids in the middle',
  isSoft: true,
  *damages(events) {
    const items = itemsIn(events)
    const inner = (event: WireEvent): boolean => 'item_id' in event
    for (const at of sampleOf(events, inner)) {
      const event = events[at] as WireEvent
      const other = items.find(({ id }) => id !== event['item_id'])
      const set = (how: string, fields: Fields) => replacing(how, events, at, { ...event, ...fields })
      if (other !== undefined) {
        yield set(`${event.type} with the id of another item`, { item_id: other.id })
        yield set(`${event.type} with the index of another item`, { output_index: other.index })
        yield set(`${event.type} of another item`, { item_id: other.id, output_index: other.index })
      }
      yield set(`${event.type} with an unknown id`, { item_id: 'unknown' })
      yield set(`${event.type} with an unknown index`, { output_index: 99 })
      if ('content_index' in event) yield set(`${event.type} with another part`, { content_index: 7 })
    }
    const top = items.reduce((max, { index }) => Math.max(max, index), 0)
    const reversed = (event: WireEvent): WireEvent =>
      typeof event['output_index'] === 'number' ? { ...event, output_index: top - event['output_index'] } : event
    if (items.length > 1) yield changing('output_index in reverse', events, reversed)
    for (const [number, one] of items.entries()) {
      const two = items.slice(number + 1).find(({ type }) => type === one.type)
      if (two === undefined) continue
      yield { how: `ids of two done ${one.type}`, at: one.doneAt, events: exchangedIn(events, one, two, 'id') }
    }
    for (const { id, addedAt, doneAt, type } of items) {
      const renamed = events.map((event, at) =>
        at > addedAt && at < doneAt && event['item_id'] === id ? { ...event, item_id: `${id}x` } : event,
      )
      yield { how: `all events within ${type} with another id`, at: addedAt + 1, events: renamed }
      const end = endOf(events)
      const anew = events.map((event, at) => (at === end ? event : withOtherId(event, id, `${id}x`)))
      yield { how: `${type} with another id in the response`, at: end, events: anew }
      const item = fieldsOf(events[doneAt]?.['item'])
      yield replacing(
        `done ${type} with another id`,
        events,
        doneAt,
        withItem(events[doneAt] as WireEvent, { id: `${id}x` }),
      )
      if ('call_id' in item) {
        const called = withItem(events[doneAt] as WireEvent, { call_id: 'call_other' })
        yield replacing(`done ${type} with another call_id`, events, doneAt, called)
      }
    }
  },
}

const exchanged: Family = {
  name: 'exchanged bodies',
  *damages(events) {
    const items = itemsIn(events)
    for (const [number, one] of items.entries()) {
      const two = items.slice(number + 1).find(({ type }) => type === one.type)
      if (two === undefined) continue
      const [itemOne, itemTwo] = [fieldsOf(events[one.doneAt]?.['item']), fieldsOf(events[two.doneAt]?.['item'])]
      const body = ['arguments', 'input', 'content', 'code', 'name'].filter((name) => name in itemOne)
      for (const field of body) {
        yield { how: `${field} of two done ${one.type}`, at: one.doneAt, events: exchangedIn(events, one, two, field) }
        const end = endOf(events)
        if (events[end] === undefined) continue
        const listed = mapEvent(events[end] as WireEvent, (fields) => {
          if (fields['id'] === one.id) return { ...fields, [field]: itemTwo[field] }
          return fields['id'] === two.id ? { ...fields, [field]: itemOne[field] } : fields
        })
        yield replacing(`${field} of two listed ${one.type}`, events, end, listed)
      }
      const swap = (event: WireEvent): WireEvent => {
        if (!isDelta(event)) return event
        if (event['item_id'] === one.id) return { ...event, item_id: two.id, output_index: two.index }
        return event['item_id'] === two.id ? { ...event, item_id: one.id, output_index: one.index } : event
      }
      yield changing(`deltas of two ${one.type}`, events, swap, one.addedAt)
    }
  },
}

export const IDS: readonly Family[] = [wrongIds, exchanged]
