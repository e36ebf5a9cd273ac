/** An event of a stream, as JSON. */
export interface WireEvent {
  readonly type: string
  readonly [field: string]: unknown
}

type Path = readonly (string | number)[]

/** A stream with one thing wrong in it. */
export class Damage {
  /** The kind of damage, equal for the same mistake in other places: `null: delta in response.output_text.delta`. */
  readonly kind: string
  /** The number of the event. */
  readonly at: number
  /** The name of the damaged field; absent if a whole event is damaged. */
  readonly path: Path | undefined
  readonly #make: () => readonly WireEvent[]

  constructor(kind: string, at: number, make: () => readonly WireEvent[], path?: Path) {
    this.kind = kind
    this.at = at
    this.path = path
    this.#make = make
  }

  /** The damaged stream, built on demand: thousands of damages are candidates, and few are played. */
  get events(): readonly WireEvent[] {
    return this.#make()
  }
}

/**
 * Every way in which one field of one event, or one event, is wrong: a field that is missing, null, of another type,
 * empty, or another value; a list with one element twice, or in another order; the value that the next event of the
 * same type has; an event that is missing, comes twice, or changes places with the next; an item that is announced with
 * all that it will have. Fields of usage and ids are damaged, too. In the order of the events; lazily, because a stream
 * has thousands.
 */
export function* damagesOf(
  events: readonly WireEvent[],
  typeOf: (event: WireEvent) => string = ({ type }) => type,
): Generator<Damage> {
  for (const [at, event] of events.entries()) {
    if (typeof event !== 'object' || event === null) continue
    const others = (...replacement: readonly WireEvent[]): WireEvent[] => [
      ...events.slice(0, at),
      ...replacement,
      ...events.slice(at + 1),
    ]
    yield new Damage(`no ${typeOf(event)}`, at, () => others())
    yield new Damage(`two ${typeOf(event)}`, at, () => others(event, event))
    const next = events[at + 1]
    if (next !== undefined) {
      const swapped = () => [...events.slice(0, at), next, event, ...events.slice(at + 2)]
      yield new Damage(`${typeOf(event)} after ${typeOf(next)}`, at, swapped)
    }
    const twin = nextOfType(events, at, typeOf)
    for (const path of pathsIn(event)) {
      const value = valueAt(event, path)
      const name = `${nameOf(path)} in ${typeOf(event)}${itemTypeOf(event)}`
      for (const [how, other] of otherValues(value)) {
        const make = () => others(withValue(event, path, other) as WireEvent)
        yield new Damage(`${how}: ${name}`, at, make, path)
      }
      const theirs = twin === undefined ? undefined : valueAt(twin, path)
      // The numbers of all events differ, and so do most deltas: other damages change the order of events.
      if (theirs === undefined || path[0] === 'sequence_number' || JSON.stringify(theirs) === JSON.stringify(value))
        continue
      const make = () =>
        others(withValue(event, path, theirs) as WireEvent).map((one) =>
          one === twin ? (withValue(twin, path, value) as WireEvent) : one,
        )
      yield new Damage(`swapped with the next: ${name}`, at, make, path)
    }
    if (event.type !== undefined) yield* fullAnnouncement(events, at)
  }
}

/** The next event of the same type that is near: all deltas are of one type, and the first few say it. */
function nextOfType(
  events: readonly WireEvent[],
  at: number,
  typeOf: (event: WireEvent) => string,
): WireEvent | undefined {
  const type = typeOf(events[at] as WireEvent)
  return events.slice(at + 1, at + 200).find((event) => event !== null && typeOf(event) === type)
}

/** An item or a part that is announced in its final state. */
function* fullAnnouncement(events: readonly WireEvent[], at: number): Generator<Damage> {
  const event = events[at] as WireEvent
  const [, name, field] = /^response\.(?:(output_item|content_part|reasoning_summary_part))\.added$/.test(event.type)
    ? [undefined, event.type.replace(/added$/, 'done'), event.type.includes('item') ? 'item' : 'part']
    : []
  if (name === undefined || field === undefined) return
  const isSame = (one: WireEvent): boolean =>
    one.type === name &&
    ['output_index', 'content_index', 'summary_index'].every((index) => one[index] === event[index])
  const done = events.slice(at + 1).find(isSame)
  if (done === undefined || JSON.stringify(done[field]) === JSON.stringify(event[field])) return
  const whole = { ...event, [field]: done[field] } as WireEvent
  yield new Damage(`full ${event.type}${itemTypeOf(event)}`, at, () =>
    events.map((one, index) => (index === at ? whole : one)),
  )
}

const MISSING = Symbol('missing')

/** What a field may wrongly be instead. */
function otherValues(value: unknown): [how: string, value: unknown][] {
  const others: [string, unknown][] = [['missing', MISSING]]
  if (value !== null) others.push(['null', null])
  if (typeof value === 'string') {
    others.push(['number', 7], ['object', {}])
    if (value !== '') others.push(['empty', ''])
    others.push(['other', value === '' ? 'damaged' : `${value}x`])
  } else if (typeof value === 'number') others.push(['string', String(value)], ['other', value + 1])
  else if (typeof value === 'boolean') others.push(['string', String(value)], ['other', !value])
  else if (Array.isArray(value)) {
    others.push(['object', {}], ['string', 'damaged'])
    if (value.length > 0) others.push(['empty', []])
    if (value.length > 0) others.push(['twice', [...value, value[0]]])
    if (value.length > 1) others.push(['reversed', value.toReversed()])
  } else if (value !== null) others.push(['string', 'damaged'], ['list', []], ['empty', {}])
  else others.push(['string', 'damaged'], ['object', {}])
  return others
}

/** The paths of all fields, except echoed request fields: tools and schemas can be arbitrarily deep. */
function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path
  if (path.length > 7 || typeof value !== 'object' || value === null) return
  if (path.at(-1) === 'tools' || path.at(-1) === 'metadata') return
  if (Array.isArray(value)) for (const [index, element] of value.entries()) yield* pathsIn(element, [...path, index])
  else for (const [name, field] of Object.entries(value)) yield* pathsIn(field, [...path, name])
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, name) => Object(inner)[name], value)
}

function withValue(value: unknown, [name, ...rest]: Path, other: unknown): unknown {
  if (name === undefined) return other
  if (Array.isArray(value)) {
    const index = name as number
    if (rest.length === 0 && other === MISSING) return value.filter((_, at) => at !== index)
    return value.map((element, at) => (at === index ? withValue(element, rest, other) : element))
  }
  const { [name]: field, ...others } = value as Record<string, unknown>
  if (rest.length === 0 && other === MISSING) return others
  // Kept in position, for readers who compare lines; clients read fields by name.
  return Object.fromEntries(
    Object.entries(value as object).map(([key, inner]) =>
      key === String(name) ? [key, withValue(field, rest, other)] : [key, inner],
    ),
  )
}

/** A path without its numbers: the same fault at another index is the same kind. */
const nameOf = (path: Path): string => path.map((name) => (typeof name === 'number' ? '[]' : name)).join('.')

function itemTypeOf({ item }: WireEvent): string {
  const type = (Object(item) as { type?: unknown }).type
  return typeof type === 'string' ? ` (${type})` : ''
}
