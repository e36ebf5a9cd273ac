/** An event of a stream, as JSON. */
export interface WireEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** A stream with one thing wrong in it. */
export interface Damage {
  /** What is wrong, the same for the same mistake in other places: `delta: null in response.output_text.delta`. */
  readonly kind: string
  /** The number of the event. */
  readonly at: number
  readonly events: readonly WireEvent[]
}

type Path = readonly (string | number)[]

/**
 * Every way in which one field of one event, or one event, is wrong: a field that is missing, null, of another type,
 * empty, or another value; an event that is missing, comes twice, or changes places with the next. Fields of usage and
 * ids are damaged, too. In the order of the events; lazily, because a stream has thousands.
 */
export function* damagesOf(events: readonly WireEvent[]): Generator<Damage> {
  for (const [at, event] of events.entries()) {
    const others = (...replacement: readonly WireEvent[]): WireEvent[] => [
      ...events.slice(0, at),
      ...replacement,
      ...events.slice(at + 1),
    ]
    yield { kind: `no ${event.type}`, at, events: others() }
    yield { kind: `two ${event.type}`, at, events: others(event, event) }
    const next = events[at + 1]
    if (next !== undefined) {
      yield {
        kind: `${event.type} after ${next.type}`,
        at,
        events: [...events.slice(0, at), next, event, ...events.slice(at + 2)],
      }
    }
    for (const path of pathsIn(event)) {
      const value = valueAt(event, path)
      for (const [how, other] of otherValues(value)) {
        const kind = `${how}: ${nameOf(path)} in ${event.type}${itemTypeOf(event)}`
        yield { kind, at, events: others(withValue(event, path, other) as WireEvent) }
      }
    }
  }
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
  } else if (value !== null) others.push(['string', 'damaged'], ['list', []], ['empty', {}])
  else others.push(['string', 'damaged'], ['object', {}])
  return others
}

/** The paths of all fields, but of what the request said: tools and schemas are as deep as anybody likes. */
function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path
  if (path.length > 7 || typeof value !== 'object' || value === null) return
  if (path.at(-1) === 'tools' || path.at(-1) === 'metadata') return
  if (Array.isArray(value)) for (const [index, element] of value.entries()) yield* pathsIn(element, [...path, index])
  else for (const [name, field] of Object.entries(value)) yield* pathsIn(field, [...path, name])
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string | number, unknown>)[name], value)
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
  // In the place where it was: clients read fields by name, but a person compares lines.
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
