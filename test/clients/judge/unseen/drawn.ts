import fc from 'fast-check'
import { type Family, fieldsOf } from '../../../../src/judge/conformance/damage/family.js'
import type { WireEvent } from '../damages.js'
import type { NamedStream } from '../streams.js'
import { kind } from './kind.js'

type Events = readonly WireEvent[]
type TypeOf = (event: WireEvent) => string
type Change = (value: unknown) => unknown

/** What happens to the events of a type. */
const OF_EVENTS: Readonly<Record<string, (events: Events, is: (event: WireEvent) => boolean) => Events>> = {
  'no second': (events, is) => {
    let count = 0
    return events.filter((event) => !is(event) || ++count % 2 === 1)
  },
  none: (events, is) => events.filter((event) => !is(event)),
  twice: (events, is) => events.flatMap((event) => (is(event) ? [event, event] : [event])),
  last: (events, is) => [...events.filter((event) => !is(event)), ...events.filter(is)],
  // Each run of them changes places with the event behind it.
  'one later': (events, is) => {
    const all: WireEvent[] = []
    let held: WireEvent[] = []
    for (const event of events) {
      if (is(event)) held.push(event)
      else {
        all.push(event, ...held)
        held = []
      }
    }
    return [...all, ...held]
  },
  'in reverse': (events, is) => {
    const theirs = events.filter(is).toReversed()
    return events.map((event) => (is(event) ? (theirs.shift() as WireEvent) : event))
  },
}

/** What happens to each value of a field. */
const OF_VALUES: Readonly<Record<string, Change>> = {
  null: () => null,
  'in a list': (value) => [value],
  'as its JSON': (value) => JSON.stringify(value),
  empty: (value) => (typeof value === 'string' ? '' : Array.isArray(value) ? [] : typeof value === 'number' ? 0 : {}),
  'of another type': (value) => (typeof value === 'number' ? 'x' : 7),
  'one more': (value) => (typeof value === 'number' ? value + 1 : value),
  trimmed: (value) => (typeof value === 'string' ? value.trim() : value),
  'with a mark': (value) => (typeof value === 'string' ? `${value}_x` : value),
}

/** What happens to the name of a field. */
const OF_NAMES: Readonly<Record<string, (name: string) => string | undefined>> = {
  missing: () => undefined,
  'in camel case': (name) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  'with another name': (name) => `${name}_value`,
}

/** Kinds that are drawn for a number, of what the streams have: one or two mistakes that a server makes throughout. */
export function drawnKinds(streams: readonly NamedStream[], typeOf: TypeOf, count: number, seed: number): Family[] {
  const types = new Set<string>()
  const fields = new Set<string>()
  for (const { events } of streams.slice(0, 60)) {
    for (const event of events) {
      types.add(typeOf(event))
      for (const [name, inner] of Object.entries(event)) {
        fields.add(`${name} in ${typeOf(event)}`)
        for (const more of Object.keys(fieldsOf(inner))) if (isOfAnswer(more)) fields.add(`${more} in ${typeOf(event)}`)
      }
    }
  }
  const mistake = fc.oneof(
    fc.record({ how: fc.constantFrom(...Object.keys(OF_EVENTS)), of: fc.constantFrom(...types) }),
    fc.record({
      how: fc.constantFrom(...Object.keys(OF_VALUES), ...Object.keys(OF_NAMES)),
      of: fc.constantFrom(...fields),
    }),
  )
  const drawn = fc.sample(fc.array(mistake, { minLength: 1, maxLength: 2 }), { numRuns: count, seed })
  return drawn.map((mistakes) =>
    kind(mistakes.map(({ how, of }) => `${of}: ${how}`).join(' and '), (events) =>
      mistakes.reduce<Events>((all, { how, of }) => made(all, how, of, typeOf), events),
    ),
  )
}

/** Fields of a response that only say what was asked for are many, and harm nobody. */
const isOfAnswer = (name: string): boolean =>
  /^(id|output|status|error|usage|incomplete_details|type|role|content|summary|text|name|arguments|call_id|annotations|delta|index|finish_reason|stop_reason|input|thinking|signature|partial_json|tool_calls)$/.test(
    name,
  )

function made(events: Events, how: string, of: string, typeOf: TypeOf): Events {
  const inEvents = OF_EVENTS[how]
  if (inEvents !== undefined) return inEvents(events, (event) => typeOf(event) === of)
  const [name = '', type] = of.split(' in ')
  return events.map((event) => (typeOf(event) === type ? (withField(event, name, how) as WireEvent) : event))
}

/** An object, and the objects in it, with another value or name of a field. */
function withField(value: object, field: string, how: string): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (name !== field) {
        const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        return [[name, isObject && !(field in value) ? withField(inner, field, how) : inner]]
      }
      const renamed = OF_NAMES[how]
      if (renamed === undefined) return [[name, OF_VALUES[how]?.(inner)]]
      const other = renamed(name)
      return other === undefined ? [] : [[other, inner]]
    }),
  )
}
