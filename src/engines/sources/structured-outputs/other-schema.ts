import { type Fields, isFields } from '../../../shared/fields.js'
import type { Slices, Work } from '../../../shared/slices.js'

/*
 * What outlines makes of a schema: one regular expression, by the first of `properties`, `anyOf`, `prefixItems`, `enum`,
 * `const`, `$ref` and `type` that is there. It ignores what is beside it, and refuses what it does not know. Read in
 * outlines_core 0.1.26 (SGLang's) and 0.2.14 (vLLM's), and tried in both.
 */

/** Formats that outlines knows and enforces; at any other it fails. A `time` may have a backslash before its fraction. */
const FORMATS: readonly unknown[] = ['uuid', 'date', 'date-time']
/** Names that outlines would not escape, as it does those beyond ASCII. */
const ESCAPED_NAME = /["\\\p{Cc}\p{Cs}]/u
/** Half of a character, which no JSON text of another language contains. */
const HALF = /\p{Cs}/u
const ABOUT_NAMES: readonly string[] = ['properties', 'required', 'additionalProperties']
const LENGTHS = ['minLength', 'maxLength'] as const
const COUNTS = ['minItems', 'maxItems'] as const

/**
 * The maximum of characters and items that one schema counts. Each is a state of the expression, for which outlines reads
 * the whole vocabulary: 8 characters took 1.8 s of a slow core, 16 took 10. vLLM gives up after 5 s.
 */
const MAX_COUNTED = 8
/** The number of references inside each other that outlines follows. After it, it omits properties, required ones too. */
const MAX_REFS = 4
/** How far definitions are followed. */
const MAX_DEFINITIONS = 64
/** How far values without a schema are nested, by a keyword of outlines: 1 took 6 s of a slow core, its default of 2 minutes. */
const FREE_DEPTH = 0

/** A value without a schema. outlines itself writes the empty schema without brackets, so that it ends in mid-object. */
const ANY: Fields = {
  anyOf: [
    ...['boolean', 'null', 'number', 'string'].map((type) => ({ type })),
    ...['object', 'array'].map((type) => ({ type, depth: FREE_DEPTH })),
  ],
}

/** The sum of all counts of the whole schema so far, and how often the current part of it is repeated. */
export interface Counted {
  readonly total: { sum: number }
  readonly times: number
}

export const createCounted = (): Counted => ({ total: { sum: 0 }, times: 1 })

/** Whether a keyword that others enforce is enforced with its value, beside the others. */
export interface EnforcedByOthers {
  readonly enforces: (keyword: string) => boolean
  /** For the items of the schema. */
  readonly counted: Counted
}

/** @param isRefEnforced - whether the schema's `$ref` can be followed */
export function enforcedByOthers(schema: Fields, counted: Counted, isRefEnforced: () => boolean): EnforcedByOthers {
  const { properties, additionalProperties: more, prefixItems, items } = schema
  const isOfNames = isFields(properties) && Object.keys(properties).some((name) => ESCAPED_NAME.test(name))
  const hasLengths = counts(schema, LENGTHS, counted)
  const hasCounts = prefixItems === undefined && counts(schema, COUNTS, counted)
  const enforces = (keyword: string): boolean => {
    if (ABOUT_NAMES.includes(keyword) && isOfNames) return false
    switch (keyword) {
      case 'minimum':
      case 'maximum':
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
      // An expression may end a string at a quote inside of it.
      case 'pattern':
        return false
      case 'format':
        return FORMATS.includes(schema[keyword])
      case 'minLength':
      case 'maxLength':
        return hasLengths
      case 'minItems':
      case 'maxItems':
        return hasCounts
      case 'additionalProperties':
        return more === false || properties === undefined
      case 'items':
        // Without a type, outlines fails; after a tuple it allows no more items.
        return prefixItems !== undefined || ('type' in schema && items !== false)
      case 'enum':
        return (
          (schema[keyword] as readonly unknown[]).length > 0 && (schema[keyword] as readonly unknown[]).every(isPlain)
        )
      case 'const':
        return isPlain(schema[keyword])
      case '$ref':
        return isRefEnforced()
      default:
        return true
    }
  }
  const repeated = hasCounts ? Number(schema['maxItems'] ?? schema['minItems'] ?? 1) : 1
  return { enforces, counted: { ...counted, times: counted.times * Math.max(1, repeated) } }
}

/** Whether a keyword that others would refuse has no effect. */
export function hasNoEffect(keyword: string, schema: Fields): boolean {
  const value = schema[keyword]
  switch (keyword) {
    case 'items':
    case 'additionalProperties':
      return value === true
    case 'required':
      return (value as readonly unknown[]).length === 0
    case 'minItems':
    case 'minLength':
      return value === 0
    default:
      return false
  }
}

/** Whether a value is written as it is, in a list of values. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' ? !HALF.test(value) : typeof value !== 'object' || value === null
}

/** Adds a schema's bounds to what is counted, if both can be enforced and are not too much. */
function counts(schema: Fields, [minField, maxField]: readonly [string, string], { total, times }: Counted): boolean {
  const min = Number(schema[minField] ?? 0)
  const max = Number(schema[maxField] ?? min)
  if (min > max || total.sum + max * times > MAX_COUNTED) return false
  total.sum += max * times
  return true
}

/**
 * Returns a reduced schema in the forms that outlines accepts: no list of types, no empty schema, no closed object without
 * `properties`.
 *
 * @param enforced - the keywords that have an effect on a value of each type
 */
export function asOthersTake(reduced: Fields, enforced: ReadonlyMap<unknown, readonly string[]>): Fields {
  const { $defs, definitions, ...schema } = reduced
  const types = schema['type'] === undefined ? [] : [schema['type']].flat()
  const forms = types.map((type) =>
    withForm(Object.fromEntries([['type', type], ...only(schema, enforced.get(type) ?? [])])),
  )
  const [form = Object.keys(schema).length === 0 ? ANY : schema] = forms
  return {
    ...(forms.length > 1 ? { anyOf: forms } : form),
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  }
}

const only = (schema: Fields, keywords: readonly string[]): [string, unknown][] =>
  Object.entries(schema).filter(([keyword]) => keywords.includes(keyword))

/** Returns a schema of one type with what it needs to be accepted. */
function withForm(schema: Fields): Fields {
  if (schema['type'] === 'object' && schema['properties'] === undefined) {
    if (schema['additionalProperties'] === false) return { ...schema, properties: {} }
    if (schema['additionalProperties'] === undefined) return { ...schema, depth: FREE_DEPTH }
  }
  const isFree = schema['items'] === undefined && schema['prefixItems'] === undefined
  return schema['type'] === 'array' && isFree ? { ...schema, depth: FREE_DEPTH } : schema
}

/** From a definition, the ones that it refers to. The empty string is the schema outside of the definitions. */
export interface Refs {
  /** Whether a reference can be followed, from a place in the schema. */
  readonly follows: (path: string, ref: string) => boolean
}

/** Reads which references lead neither in a circle nor through too many others. */
export function* createRefs(schema: Fields, work: Work): Slices<Refs> {
  const left = new Set<string>()
  /** How many references each definition leads through, once that is known. */
  const lengths = new Map<string, number | undefined>()

  function* lengthOf(name: string, value: unknown, depth: number): Slices<number> {
    lengths.set(name, undefined)
    let longest = 0
    for (const ref of yield* refsIn(value, name === '', work)) {
      const target = ref.slice(1)
      // Being read means that it leads back here.
      if (!lengths.has(target) && depth < MAX_DEFINITIONS) yield* lengthOf(target, at(schema, target), depth + 1)
      const length = (lengths.get(target) ?? MAX_REFS) + 1
      if (length > MAX_REFS) left.add(`${name}#${target}`)
      else longest = Math.max(longest, length)
    }
    lengths.set(name, longest)
    return longest
  }

  yield* lengthOf('', schema, 0)
  return { follows: (path, ref) => !left.has(`${DEFINITION.exec(path)?.[0] ?? ''}${ref}`) }
}

const DEFINITION = /^\/(?:\$defs|definitions)\/[^/]+/

function at(schema: Fields, pointer: string): unknown {
  const [, keyword = '', name = ''] = pointer.split('/')
  const definitions = schema[keyword]
  return isFields(definitions) ? definitions[name] : undefined
}

/** Returns the `$ref`s in a schema, those in the root's definitions excepted. */
function* refsIn(schema: unknown, isRoot: boolean, work: Work): Slices<ReadonlySet<string>> {
  const refs = new Set<string>()
  const open: unknown[] = [schema]
  for (let found = open.pop(); found !== undefined; found = open.pop()) {
    work.left -= 1
    if (work.left <= 0) yield* work.pause()
    if (typeof found !== 'object' || found === null) continue
    for (const [keyword, value] of Object.entries(found)) {
      if (keyword === '$ref' && typeof value === 'string') refs.add(value)
      else if (!(isRoot && found === schema && (keyword === '$defs' || keyword === 'definitions'))) open.push(value)
    }
  }
  return refs
}
