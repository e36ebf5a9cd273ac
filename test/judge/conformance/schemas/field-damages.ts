/** One field of an event, wrong. */
export interface FieldDamage {
  /** How, and which field of which event: `null: item.content[].text in response.output_item.done (message)`. */
  readonly kind: string
  /** Made when it is asked for: most are of a kind that was seen before. */
  event(): unknown
}

type Path = readonly (string | number)[]

const MISSING = Symbol('missing')

/** Fields that hold what anybody likes: nothing in them is damaged. */
const FREE = /^(parameters|metadata|schema|input_schema|env|arguments)$/

/**
 * Every field of an event missing, null, of another type, empty, or with another value; the same fault in another
 * element of a list is the same kind, and comes once.
 */
export function* fieldDamages(event: { readonly type: string }): Generator<FieldDamage> {
  const seen = new Set<string>()
  for (const [path, name] of pathsIn(event)) {
    for (const [how, other] of otherValues(valueAt(event, path))) {
      const kind = `${how}: ${name} in ${event.type}`
      if (seen.has(kind)) continue
      seen.add(kind)
      yield { kind, event: () => withValue(event, path, other) }
    }
  }
}

/** What a field may wrongly be instead. */
function otherValues(value: unknown): [how: string, value: unknown][] {
  const others: [string, unknown][] = [['missing', MISSING]]
  if (value !== null) others.push(['null', null])
  if (typeof value === 'string') {
    others.push(['number', 7], ['object', {}], ['list', []], ['flag', true], ['empty', ''], ['other', `${value}x`])
  } else if (typeof value === 'number') others.push(['string', String(value)], ['half', value + 0.5], ['negative', -7])
  else if (typeof value === 'boolean') others.push(['string', String(value)], ['number', 1])
  else if (Array.isArray(value)) {
    others.push(
      ['object', {}],
      ['string', 'x'],
      ['list of null', [null]],
      ['list of text', ['x']],
      ['list of {}', [{}]],
    )
  } else if (value !== null) others.push(['string', 'x'], ['list', []], ['empty', {}], ['number', 7])
  else others.push(['string', 'x'], ['number', 7], ['half', 0.5], ['list', []], ['flag', true])
  return others
}

/** All fields, with their names: the types of the objects on the way say which it is. */
function* pathsIn(value: unknown, path: Path = [], name = ''): Generator<[Path, string]> {
  if (path.length > 0) yield [path, name]
  if (typeof value !== 'object' || value === null || FREE.test(String(path.at(-1)))) return
  for (const [key, field] of Object.entries(value)) {
    const { type } = Object(field) as { type?: unknown }
    const of = typeof type === 'string' ? `<${type}>` : ''
    if (Array.isArray(value)) yield* pathsIn(field, [...path, Number(key)], `${name}[]${of}`)
    else yield* pathsIn(field, [...path, key], `${name === '' ? '' : `${name}.`}${key}${of}`)
  }
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string | number, unknown>)[name], value)
}

function withValue(value: unknown, [name, ...rest]: Path, other: unknown): unknown {
  if (name === undefined) return other
  const inner = (value as Record<string | number, unknown>)[name]
  const isGone = rest.length === 0 && other === MISSING
  if (Array.isArray(value)) {
    if (isGone) return value.filter((_, at) => at !== name)
    return value.map((element, at) => (at === name ? withValue(inner, rest, other) : element))
  }
  const fields = Object.entries(value as object).filter(([key]) => !isGone || key !== name)
  return Object.fromEntries(fields.map(([key, field]) => [key, key === name ? withValue(inner, rest, other) : field]))
}
