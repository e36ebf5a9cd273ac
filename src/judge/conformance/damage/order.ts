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
  sampleOf,
  textOf,
  type WireEvent,
  withOtherId,
  withResponse,
} from './family.js'

// Misplaced events.

/** The events of a whole call that no other event of the stream knows. */
function wholeCall(index: number): WireEvent[] {
  const call = { id: 'fc_late', type: 'function_call', call_id: 'call_late', name: 'late_tool' }
  const of = { item_id: 'fc_late', output_index: index, sequence_number: 0 }
  const given = '{"late":true}'
  return [
    { type: 'response.output_item.added', ...of, item: { ...call, status: 'in_progress', arguments: '' } },
    { type: 'response.function_call_arguments.delta', ...of, delta: given },
    { type: 'response.function_call_arguments.done', ...of, name: 'late_tool', arguments: given },
    { type: 'response.output_item.done', ...of, item: { ...call, status: 'completed', arguments: given } },
  ]
}

/** Returns the events of a whole message. */
function wholeMessage(index: number): WireEvent[] {
  const of = { item_id: 'msg_late', output_index: index, content_index: 0, sequence_number: 0 }
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  const full = { ...part, text: 'Too late.' }
  const item = { id: 'msg_late', type: 'message', role: 'assistant' }
  return [
    { type: 'response.output_item.added', ...of, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...of, part },
    { type: 'response.output_text.delta', ...of, delta: 'Too late.', logprobs: [] },
    { type: 'response.output_text.done', ...of, text: 'Too late.', logprobs: [] },
    { type: 'response.content_part.done', ...of, part: full },
    { type: 'response.output_item.done', ...of, item: { ...item, status: 'completed', content: [full] } },
  ]
}

const late: Family = {
  name: 'late',
  *damages(events) {
    const end = endOf(events)
    const terminal = events[end]
    if (terminal === undefined) return
    const after = (how: string, more: readonly WireEvent[]): FamilyDamage => ({
      how,
      at: end + 1,
      events: renumbered([...events, ...more]),
    })
    const count = listOf(fieldsOf(terminal['response'])['output']).length
    yield after('a call', wholeCall(count))
    yield after('a message', wholeMessage(count))
    yield after('a call at the first index', wholeCall(0))
    yield after('an added call', wholeCall(count).slice(0, 1))
    yield after('a done call', wholeCall(count).slice(-1))
    yield after('a done message', wholeMessage(count).slice(-1))
    yield after('response.in_progress', [
      {
        ...terminal,
        type: 'response.in_progress',
        response: { ...fieldsOf(terminal['response']), status: 'in_progress' },
      },
    ])
    yield after('an error', [
      { type: 'error', code: 'server_error', message: 'Too late.', param: null, sequence_number: 0 },
    ])
    for (const type of ['response.completed', 'response.incomplete', 'response.failed']) {
      const status = type.slice('response.'.length)
      const error = status === 'failed' ? { code: 'server_error', message: 'Too late.' } : null
      const reason = status === 'incomplete' ? { reason: 'max_output_tokens' } : null
      yield after(type, [withResponse({ ...terminal, type }, { status, error, incomplete_details: reason })])
    }
    for (const at of sampleOf(events, isDelta)) yield after(`${events[at]?.type} again`, [events[at] as WireEvent])
    for (const { doneAt, type } of itemsIn(events)) yield after(`done ${type} again`, [events[doneAt] as WireEvent])
  },
}

const terminal: Family = {
  name: 'reordered terminal',
  *damages(events) {
    const end = endOf(events)
    if (events[end] === undefined) return
    const before = (how: string, at: number): FamilyDamage => ({ how, at, events: renumbered(moved(events, end, at)) })
    const items = itemsIn(events)
    const last = items.at(-1)
    if (last !== undefined) {
      yield before(`before the last ${last.type}`, last.addedAt)
      yield before(`before the last ${last.type} is done`, last.doneAt)
    }
    const [first, middle, final] = sampleOf(events.slice(0, end), isDelta)
    if (final !== undefined) yield before(`before the last ${events[final]?.type}`, final)
    if (middle !== undefined) yield before(`before a ${events[middle]?.type}`, middle)
    if (first !== undefined) yield before(`before the first ${events[first]?.type}`, first)
    yield before('before all items', Math.min(2, end))
    yield before('at the beginning', 0)
    yield { how: 'created at the end', at: 0, events: renumbered(moved(events, 0, events.length)) }
  },
}

/** Another response with other ids, as it would come on the same connection. */
function foreignOf(events: readonly WireEvent[]): WireEvent[] {
  const other = ([name, value]: [string, unknown]): [string, unknown] => {
    const isId = ['id', 'item_id', 'call_id'].includes(name) && typeof value === 'string' && value !== ''
    return [name, isId ? `${value}_other` : value]
  }
  return events.map((event) => mapEvent(event, (fields) => Object.fromEntries(Object.entries(fields).map(other))))
}

const foreign: Family = {
  name: 'foreign',
  *damages(events, other) {
    const end = endOf(events)
    const theirs = foreignOf(other)
    const theirEnd = endOf(theirs)
    if (end === events.length || theirEnd === theirs.length || theirEnd > 400) return
    const [, middle = Math.floor(end / 2)] = sampleOf(events.slice(0, end), isDelta)
    const put = (how: string, at: number, more: readonly WireEvent[]): FamilyDamage => ({
      how,
      at,
      events: renumbered(inserted(events, at, more)),
    })
    const whole = theirs.slice(0, theirEnd + 1)
    yield put('a whole response in the middle', middle, whole)
    yield put('a whole response before the end', end, whole)
    yield put('a whole response after the end', events.length, whole)
    yield put('its beginning in the middle', middle, whole.slice(0, 2))
    yield put('its end in the middle', middle, whole.slice(-1))
    yield put('its end before the end', end, whole.slice(-1))
    // The events of both alternate.
    const mixed: WireEvent[] = []
    for (let at = 0; at < Math.max(end, whole.length); at++) {
      if (at < end) mixed.push(events[at] as WireEvent)
      if (at < whole.length) mixed.push(whole[at] as WireEvent)
    }
    yield { how: 'in turns', at: 1, events: renumbered([...mixed, ...events.slice(end)]) }
  },
}

const duplicated: Family = {
  name: 'duplicated',
  *damages(events) {
    const end = endOf(events)
    const again = (how: string, from: number, to: number, at = to): FamilyDamage => ({
      how,
      at,
      events: renumbered(inserted(events, at, events.slice(from, to))),
    })
    yield again('the beginning', 0, Math.min(2, end))
    for (const { addedAt, doneAt, type } of itemsIn(events)) {
      yield again(`all of a ${type}`, addedAt, doneAt + 1)
      yield again(`${type}, at the end`, addedAt, doneAt + 1, end)
      if (doneAt - addedAt > 3) yield again(`the middle of a ${type}`, addedAt + 1, doneAt)
      yield again(`done ${type}`, doneAt, doneAt + 1)
    }
    for (const at of sampleOf(events, isDelta))
      yield again(`a few events at ${events[at]?.type}`, at, Math.min(at + 3, end))
    yield again('all but the end', 0, end)
    if (end < events.length) yield again('all', 0, end + 1)
  },
}

const merged: Family = {
  name: 'merged',
  *damages(events) {
    const items = itemsIn(events)
    // Two deltas in one: harmless if the text of both is complete.
    for (const at of sampleOf(events, (event, index) => isDelta(event) && events[index + 1]?.type === event.type)) {
      const [one, two] = [events[at] as WireEvent, events[at + 1] as WireEvent]
      const both = { ...one, delta: `${textOf(one['delta'])}${textOf(two['delta'])}` }
      const rest = replaced(events, at, [both]).filter((_, index) => index !== at + 1)
      yield { how: `two ${one.type} in one`, at, events: renumbered(rest) }
      yield { how: `two ${one.type} in one, and one again`, at, events: renumbered(replaced(events, at, [both])) }
    }
    for (const [number, { index, id, type, addedAt, doneAt }] of items.entries()) {
      const next = items[number + 1]
      if (next === undefined) continue
      const asOne = (event: WireEvent): WireEvent =>
        event['output_index'] === next.index ? { ...event, output_index: index } : event
      yield changing(`two items at one index: ${type}, ${next.type}`, events, asOne, next.addedAt)
      if (type !== next.type) continue
      const sameId = (event: WireEvent): WireEvent => withOtherId(event, next.id, id)
      yield changing(`two ${type} with one id`, events, sameId, next.addedAt)
      const end = [...events.slice(doneAt, next.addedAt)]
      const open = [...events.slice(0, doneAt), ...events.slice(next.addedAt + 1, next.doneAt), ...end]
      yield {
        how: `${type} goes on as the next`,
        at: addedAt,
        events: renumbered([...open, ...events.slice(next.doneAt)]),
      }
    }
  },
}

const resumed: Family = {
  name: 'resumed',
  *damages(events) {
    const starts = new Set([1, 2, ...itemsIn(events).flatMap(({ addedAt, doneAt }) => [addedAt, addedAt + 2, doneAt])])
    for (const at of starts) {
      if (at < endOf(events)) yield { how: 'its beginning is missing', at: 0, events: events.slice(at) }
    }
  },
}

const cut: Family = {
  name: 'cut',
  *damages(events) {
    for (const { addedAt, doneAt, type } of itemsIn(events)) {
      yield { how: `after added ${type}`, at: addedAt, events: events.slice(0, addedAt + 1) }
      yield { how: `within ${type}`, at: addedAt, events: events.slice(0, Math.ceil((addedAt + doneAt) / 2)) }
      yield { how: `after ${type}`, at: doneAt, events: events.slice(0, doneAt + 1) }
    }
    const end = endOf(events)
    const last = itemsIn(events).at(-1)
    if (events[end] === undefined || last === undefined) return
    yield {
      how: `the end of ${last.type}, and not of the response`,
      at: last.doneAt,
      events: renumbered([...events.slice(0, Math.ceil((last.addedAt + last.doneAt) / 2)), ...events.slice(end)]),
    }
  },
}

export const ORDER: readonly Family[] = [late, terminal, foreign, duplicated, merged, resumed, cut]
