import type { Fields } from '../../../shared/fields.js'
import {
  endOf,
  type Family,
  fieldsOf,
  type ItemSpan,
  inserting,
  isDelta,
  isTerminal,
  itemsIn,
  listOf,
  mapEvent,
  replaced,
  replacing,
  sampleOf,
  textOf,
  type WireEvent,
  withItem,
  withListed,
  withResponse,
} from './family.js'
import { IDS } from './ids.js'

// Values of the right type that are wrong.

/** Matches the places of call arguments. */
const ARGUMENTS = /^response\.(function_call_arguments\.done|output_item\.done|completed|incomplete)$/

/** Whether it is a JSON object: no client can use other arguments. */
const isObject = (text: unknown): boolean => {
  try {
    return /^\s*\{/.test(textOf(text)) && typeof JSON.parse(textOf(text)) === 'object'
  } catch {
    return false
  }
}

const encodedIn = (fields: Fields): Fields =>
  isObject(fields['arguments']) && !('tools' in fields)
    ? { ...fields, arguments: JSON.stringify(fields['arguments']) }
    : fields

const doubleEncoded: Family = {
  name: 'double-encoded',
  *damages(events) {
    const isCall = ({ type, doneAt }: ItemSpan): boolean =>
      type === 'function_call' && isObject(fieldsOf(events[doneAt]?.['item'])['arguments'])
    const calls = itemsIn(events).filter(isCall)
    if (calls.length > 0) {
      // Encodes the model's text once more, everywhere, as some servers do.
      const everywhere = events.flatMap((event, at): WireEvent[] => {
        if (event.type !== 'response.function_call_arguments.delta') return [mapEvent(event, encodedIn)]
        const rest = events
          .slice(at + 1)
          .find(({ item_id, type }) => item_id === event['item_id'] && !type.endsWith('.delta'))
        if (!isObject(rest?.['arguments'])) return [event]
        const isFirst =
          events.findIndex(({ item_id, type }) => item_id === event['item_id'] && type === event.type) === at
        return isFirst ? [{ ...event, delta: JSON.stringify(rest?.['arguments'] ?? '{}') }] : []
      })
      yield { how: 'arguments, everywhere', at: calls[0]?.addedAt ?? 0, events: everywhere }
    }
    for (const [at, event] of events.entries()) {
      if (ARGUMENTS.test(event.type)) {
        yield replacing(`arguments in ${event.type}`, events, at, mapEvent(event, encodedIn))
      }
      for (const field of ['item', 'part', 'response', 'annotation']) {
        if (!(field in event)) continue
        const text = JSON.stringify(event[field])
        yield replacing(`${field} in ${event.type}`, events, at, { ...event, [field]: text })
      }
    }
    for (const at of sampleOf(events, (event) => /\.(delta|done)$/.test(event.type))) {
      const event = events[at] as WireEvent
      const field = ['delta', 'text', 'arguments', 'code'].find((name) => typeof event[name] === 'string')
      if (field === undefined) continue
      yield replacing(`${field} in ${event.type}`, events, at, { ...event, [field]: JSON.stringify(event[field]) })
    }
  },
}

/** Wrong types for an item of each type. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  function_call: 'custom_tool_call',
  custom_tool_call: 'function_call',
  message: 'reasoning',
  reasoning: 'message',
  web_search_call: 'function_call',
  code_interpreter_call: 'mcp_call',
  mcp_call: 'function_call',
}

const OTHER_PARTS: Readonly<Record<string, string>> = {
  output_text: 'refusal',
  refusal: 'output_text',
  reasoning_text: 'output_text',
  summary_text: 'reasoning_text',
}

const retyped: Family = {
  name: 'retyped',
  *damages(events) {
    for (const { addedAt, doneAt, type, id } of itemsIn(events)) {
      const other = OTHER_TYPES[type] ?? 'message'
      for (const [at, word] of [
        [addedAt, 'added'],
        [doneAt, 'done'],
      ] as const) {
        yield replacing(`${word} ${type} as ${other}`, events, at, withItem(events[at] as WireEvent, { type: other }))
      }
      const { arguments: given, input, ...rest } = fieldsOf(events[doneAt]?.['item'])
      if (given !== undefined || input !== undefined) {
        const item = { ...rest, type: other, [given === undefined ? 'arguments' : 'input']: given ?? input }
        yield replacing(`done ${type} as ${other}, with its field`, events, doneAt, {
          ...(events[doneAt] as WireEvent),
          item,
        })
      }
      const end = endOf(events)
      if (events[end] === undefined) continue
      const inOutput = withListed(events[end] as WireEvent, id, { type: other })
      yield replacing(`listed ${type} as ${other}`, events, end, inOutput)
    }
    for (const at of sampleOf(events, (event) => 'part' in event)) {
      const event = events[at] as WireEvent
      const part = fieldsOf(event['part'])
      const damaged = { ...event, part: { ...part, type: OTHER_PARTS[textOf(part['type'])] ?? 'output_text' } }
      yield replacing(`${textOf(part['type'])} in ${event.type}`, events, at, damaged)
    }
    for (const at of sampleOf(events, (event) =>
      /^response\.(output_text|reasoning_text)\.(delta|done)$/.test(event.type),
    )) {
      const event = events[at] as WireEvent
      const type = event.type.startsWith('response.output_text') ? 'reasoning_text' : 'output_text'
      const damaged = { ...event, type: event.type.replace(/output_text|reasoning_text/, type) }
      yield replacing(`${event.type} as ${type}`, events, at, damaged)
    }
  },
}

const statuses: Family = {
  name: 'status',
  *damages(events) {
    for (const { doneAt, addedAt, type } of itemsIn(events)) {
      for (const status of ['in_progress', 'incomplete', 'failed', 'done']) {
        yield replacing(`done ${type} ${status}`, events, doneAt, withItem(events[doneAt] as WireEvent, { status }))
      }
      const early = withItem(events[addedAt] as WireEvent, { status: 'completed' })
      yield replacing(`added ${type} completed`, events, addedAt, early)
    }
    const end = endOf(events)
    const terminal = events[end]
    if (terminal === undefined) return
    const set = (how: string, fields: Fields, type = terminal.type) =>
      replacing(how, events, end, withResponse({ ...terminal, type }, fields))
    for (const status of ['in_progress', 'queued', 'cancelled', 'done'])
      yield set(`the response is ${status}`, { status })
    const error = { code: 'server_error', message: 'No.' }
    const ended = (type: string, fields: Fields): WireEvent[] =>
      replaced(events, end, [withResponse({ ...terminal, type }, fields)])
    const wrong = (how: string, type: string, right: Fields, fields: Fields) => ({
      how: `${type} with ${how}`,
      at: end,
      events: ended(type, { ...right, ...fields }),
      base: ended(type, right),
    })
    const failed = { status: 'failed', error, incomplete_details: null }
    yield wrong('error null', 'response.failed', failed, { error: null })
    yield wrong('an empty error', 'response.failed', failed, { error: {} })
    yield wrong('no code', 'response.failed', failed, { error: { message: 'No.' } })
    yield wrong('an error as text', 'response.failed', failed, { error: 'No.' })
    const cut = { status: 'incomplete', error: null, incomplete_details: { reason: 'max_output_tokens' } }
    yield wrong('no reason', 'response.incomplete', cut, { incomplete_details: null })
    yield wrong('no details', 'response.incomplete', cut, { incomplete_details: {} })
    yield wrong('status completed', 'response.incomplete', cut, { status: 'completed' })
    yield set('response.completed with a reason', { incomplete_details: { reason: 'max_output_tokens' } })
    yield set('response.completed with an error', { error })
    const [, middle = 1] = sampleOf(events.slice(0, end), isDelta)
    const created = events[0] as WireEvent
    for (const type of ['response.queued', 'response.in_progress', 'response.created']) {
      const status = type === 'response.queued' ? 'queued' : 'in_progress'
      yield inserting(`${type} in the middle`, events, middle, [withResponse({ ...created, type }, { status })])
    }
  },
}

const usage: Family = {
  name: 'usage',
  isSoft: true,
  *damages(events) {
    const end = endOf(events)
    const terminal = events[end]
    const used = fieldsOf(fieldsOf(terminal?.['response'])['usage'])
    if (terminal === undefined || Object.keys(used).length === 0) return
    const set = (how: string, value: unknown) => replacing(how, events, end, withResponse(terminal, { usage: value }))
    yield set('null', null)
    yield set('empty', {})
    yield set('a number', 7)
    yield set('as Chat Completions has it', { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 })
    for (const [name, value] of Object.entries(used)) {
      yield set(`${name}: null`, { ...used, [name]: null })
      yield set(`${name}: text`, { ...used, [name]: '12' })
      if (typeof value === 'number') {
        yield set(`${name}: negative`, { ...used, [name]: -1 })
        yield set(`${name}: a fraction`, { ...used, [name]: 1.5 })
        yield set(`${name}: huge`, { ...used, [name]: 2 ** 60 })
      } else {
        yield set(`${name}: empty`, { ...used, [name]: {} })
        const nulls = Object.fromEntries(Object.keys(fieldsOf(value)).map((key) => [key, null]))
        yield set(`${name}: nulls`, { ...used, [name]: nulls })
      }
    }
  },
}

/** Fields that servers in languages with null send where others omit them. */
const OPTIONAL = ['namespace', 'phase', 'status', 'encrypted_content', 'content', 'logprobs', 'annotations', 'summary']

const nulls: Family = {
  name: 'null for absent',
  *damages(events) {
    for (const { addedAt, doneAt, type } of itemsIn(events)) {
      for (const [at, word] of [
        [addedAt, 'added'],
        [doneAt, 'done'],
      ] as const) {
        for (const name of OPTIONAL) {
          yield replacing(`${name} of ${word} ${type}`, events, at, withItem(events[at] as WireEvent, { [name]: null }))
        }
      }
    }
    const end = events.findIndex(isTerminal)
    if (end < 0) return
    for (const name of OPTIONAL) {
      const damaged = mapEvent(events[end] as WireEvent, (fields) =>
        listOf([fields]).some(({ type, id }) => type !== undefined && id !== undefined)
          ? { ...fields, [name]: null }
          : fields,
      )
      yield replacing(`${name} of all listed items`, events, end, damaged)
    }
  },
}

export const VALUES: readonly Family[] = [doubleEncoded, retyped, ...IDS, statuses, usage, nulls]
