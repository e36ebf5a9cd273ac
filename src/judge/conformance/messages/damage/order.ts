import { cutting, fieldsOf, inserted, inserting, moved, replacing, sampleOf } from '../../damage/family.js'
import {
  callBlock,
  countOf,
  endOf,
  hasText,
  hasThinking,
  isBegin,
  isOfBlock,
  isStop,
  isType,
  type MessageEvent,
  type MessagesDamage,
  type MessagesFamily,
  says,
  spansOf,
  textBlock,
  withMessage,
} from './event.js'

// Misplaced or missing events.

const late: MessagesFamily = {
  name: 'late',
  *damages(events) {
    const end = endOf(events)
    if (end < 0) return
    const after = (how: string, more: readonly MessageEvent[]): MessagesDamage =>
      inserting(how, events, events.length, more)
    const index = countOf(events)
    yield after('a block of text', textBlock(index, 'Too late.'))
    yield after('a call', callBlock(index))
    yield after('a delta', [
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Too late.' } },
    ])
    yield after('the end again', events.slice(end))
    yield after('the answer again', events)
    yield after('an error', [{ type: 'error', error: { type: 'api_error', message: 'Too late.' } }])
  },
}

const reordered: MessagesFamily = {
  name: 'reordered end',
  *damages(events) {
    const end = endOf(events)
    const stop = events.findIndex(isType('message_stop'))
    if (end < 0 || stop < 0) return
    for (const at of sampleOf(events.slice(0, end), says)) {
      yield { how: 'message_delta before a delta', at, events: moved(events, end, at) }
      yield { how: 'message_stop before a delta', at, events: moved(events, stop, at) }
      const both = [...events.slice(0, at), ...events.slice(end), ...events.slice(at, end)]
      yield { how: 'both before a delta', at, events: both }
    }
    yield { how: 'message_stop before message_delta', at: end, events: moved(events, stop, end) }
    yield { how: 'message_start at the end', at: 0, events: moved(events, 0, end) }
    yield { how: 'message_start behind the first block', at: 0, events: moved(events, 0, Math.min(3, end)) }
  },
}

const foreign: MessagesFamily = {
  name: 'foreign',
  *damages(events, other) {
    const theirs = other.map((event, at) => (at === 0 ? withMessage(event, { id: 'msg_other' }) : event))
    const middle = Math.floor(events.length / 2)
    if (!theirs.some(isType('message_stop'))) return
    yield inserting('another message in the middle', events, middle, theirs)
    yield inserting('another message after it', events, events.length, theirs)
    yield inserting('another message before it', events, 0, theirs)
    yield inserting('the message_start of another', events, middle, [theirs[0] as MessageEvent])
  },
}

const duplicated: MessagesFamily = {
  name: 'duplicated',
  *damages(events) {
    for (const at of sampleOf(events, isBegin))
      yield inserting('the beginning of a block', events, at, [events[at] as MessageEvent])
    for (const at of sampleOf(events, isStop))
      yield inserting('the stop of a block', events, at, [events[at] as MessageEvent])
    for (const { begin, end } of sampleOf(events, isBegin).flatMap((at) =>
      spansOf(events).filter((of) => of.begin === at),
    ))
      yield { how: 'a block', at: end, events: inserted(events, end + 1, events.slice(begin, end + 1)) }
    yield inserting('message_start', events, 1, [events[0] as MessageEvent])
    const end = endOf(events)
    if (end >= 0) yield inserting('message_delta', events, end, [events[end] as MessageEvent])
    const stop = events.findIndex(isType('message_stop'))
    if (stop >= 0) yield inserting('message_stop', events, stop, [events[stop] as MessageEvent])
    yield { how: 'each event', at: 0, events: events.flatMap((event) => [event, event]) }
  },
}

const cut: MessagesFamily = {
  name: 'cut',
  *damages(events) {
    for (const at of sampleOf(events.slice(0, -1), () => true))
      yield { how: 'in the middle', at, events: events.slice(0, at + 1) }
    for (const at of sampleOf(events, says)) yield { how: 'in a block', at, events: events.slice(0, at + 1) }
    const end = endOf(events)
    if (end >= 0) {
      yield cutting('before message_delta', events, end)
      yield { how: 'before message_stop', at: end, events: events.slice(0, end + 1) }
    }
    yield cutting('before anything', events, 0)
  },
}

const lost: MessagesFamily = {
  name: 'lost events',
  *damages(events) {
    const all = (how: string, is: (event: MessageEvent) => boolean): MessagesDamage => ({
      how,
      at: events.findIndex(is),
      events: events.filter((event) => !is(event)),
    })
    yield all('message_start', isType('message_start'))
    yield all('message_delta', isType('message_delta'))
    yield all('message_stop', isType('message_stop'))
    yield all('all beginnings of blocks', isBegin)
    yield all('all stops of blocks', isStop)
    for (const at of sampleOf(events, isBegin)) yield replacing('the beginning of a block', events, at)
    for (const at of sampleOf(events, isStop)) yield replacing('the stop of a block', events, at)
    yield all('all but deltas', (event) => isOfBlock(event) && (isBegin(event) || isStop(event)))
  },
}

const interleaved: MessagesFamily = {
  name: 'interleaved blocks',
  *damages(events) {
    const spans = spansOf(events)
    for (const [at, { begin, end }] of spans.entries()) {
      const next = spans[at + 1]
      if (next === undefined || next.begin !== end + 1) continue
      // The next block begins before this one stops.
      yield { how: 'a stop after the next beginning', at: end, events: moved(events, end, next.begin + 1) }
      yield { how: 'a stop after the next block', at: end, events: moved(events, end, next.end + 1) }
      yield { how: 'all stops at the end', at: end, events: stopsLast(events) }
      yield { how: 'all beginnings first', at: begin, events: beginsFirst(events) }
      const swapped = [
        ...events.slice(0, begin),
        ...events.slice(next.begin, next.end + 1),
        ...events.slice(begin, end + 1),
        ...events.slice(next.end + 1),
      ]
      yield { how: 'in another order', at: begin, events: swapped }
    }
    for (const at of sampleOf(events, (event) => hasText(event) || hasThinking(event))) {
      const span = spans.find(({ begin, end }) => begin < at && at < end)
      if (span !== undefined) yield { how: 'a stop before a delta', at, events: moved(events, span.end, at) }
      if (span !== undefined) yield { how: 'a beginning behind a delta', at, events: moved(events, span.begin, at + 1) }
    }
  },
}

function stopsLast(events: readonly MessageEvent[]): MessageEvent[] {
  const rest = events.filter((event) => !isStop(event))
  const end = endOf(rest)
  return inserted(rest, end < 0 ? rest.length : end, events.filter(isStop))
}

function beginsFirst(events: readonly MessageEvent[]): MessageEvent[] {
  const rest = events.filter((event) => !isBegin(event))
  return inserted(rest, fieldsOf(rest[0])['type'] === 'message_start' ? 1 : 0, events.filter(isBegin))
}

export const ORDER: readonly MessagesFamily[] = [late, reordered, foreign, duplicated, cut, lost, interleaved]
