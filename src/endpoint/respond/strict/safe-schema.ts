import { createWork, type Slices } from '../../../shared/slices.js'
import type { PlainJson } from './plain-json.js'
import type { TextTest } from './text-test.js'

type Schema = { [keyword: string]: unknown }

export interface SafeSchemaOptions {
  /** The value to check, on whose texts patterns are tried beforehand. */
  readonly json: PlainJson
  /** Returns the test of a pattern; undefined if there is no safe one. */
  readonly testOf: (pattern: string) => Slices<TextTest | undefined>
  /** Called whenever the schema is applied, with the work of it. */
  readonly onStep: (work: number) => void
}

/** Keywords whose values are no schemas, not even for a `$ref` that points into them: copied unchanged. */
const VALUES: readonly string[] = ['enum', 'const', 'default', 'required', 'type', 'dependentRequired']
/** Keywords whose values map names to schemas. */
const MAPS: readonly string[] = [
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'],
]
/** Formats that are checked by expressions in time linear in the text. */
const FORMATS: readonly string[] = [
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]
const MAX_TEXTS = 2_000
/** How many parts of a schema are copied between two pauses. */
const SLICE = 2_000

/** Keywords where loosening a subschema would reject valid values. */
const NEGATIONS: readonly string[] = ['not', 'oneOf', 'if', 'maxContains']

/** The reason why a value cannot be checked. */
export class Unchecked extends Error {}

/**
 * Copies a client's schema so that no output can make its validation slow: the validator runs `pattern` as a JavaScript
 * regular expression, and follows references forever. Unsafe parts are dropped, so that the copy allows more.
 *
 * @throws Unchecked if it would allow less
 */
export function* safeSchema(schema: unknown, options: SafeSchemaOptions): Slices<unknown> {
  const copying = new SafeCopy(options)
  const safe = yield* copying.copy(schema)
  if (copying.isTooLoose) throw new Unchecked('the schema negates a part that is not checked')
  return safe
}

class SafeCopy {
  readonly #options: SafeSchemaOptions
  readonly #work = createWork(SLICE)
  readonly #patterns = new Map<string, string | undefined>()
  #isLoose = false
  #isNegated = false

  constructor(options: SafeSchemaOptions) {
    this.#options = options
  }

  /** Whether the copy may allow less: it negates what was loosened. */
  get isTooLoose(): boolean {
    return this.#isLoose && this.#isNegated
  }

  /** Returns an expression that matches exactly those texts of the value that match the pattern. */
  *#literalOf(pattern: unknown): Slices<string | undefined> {
    if (typeof pattern !== 'string') return undefined
    if (this.#patterns.has(pattern)) return this.#patterns.get(pattern)
    const { json, testOf } = this.#options
    const test = json.texts.size > MAX_TEXTS ? undefined : yield* testOf(pattern)
    const matching: string[] | undefined = test && []
    if (test) for (const text of json.texts) if (yield* test(text)) matching?.push(text)
    // The number distinguishes it from the key of a pattern that matches the same texts.
    this.#isLoose ||= matching === undefined
    const never = `(?!)${'x'.repeat(this.#patterns.size)}`
    const literal = matching && `^(?:${[...matching.map(escaped), never].join('|')})$`
    this.#patterns.set(pattern, literal)
    return literal
  }

  *#copyMap(name: string, schemas: unknown): Slices<unknown> {
    const copies = Object.create(null) as Schema
    for (const [key, inner] of Object.entries(Object(schemas))) {
      const copied = name === 'patternProperties' ? yield* this.#literalOf(key) : key
      // A property that may match does not count as additional.
      if (copied === undefined) copies['^'] = true
      else copies[copied] = yield* this.copy(inner)
    }
    return copies
  }

  *#copyList(given: readonly unknown[]): Slices<unknown[]> {
    const copies: unknown[] = []
    for (const each of given) copies.push(yield* this.copy(each))
    return copies
  }

  *copy(given: unknown): Slices<unknown> {
    if (--this.#work.left <= 0) yield* this.#work.pause()
    if (Array.isArray(given)) return yield* this.#copyList(given)
    if (typeof given !== 'object' || given === null) return given
    const copied = Object.create(null) as Schema
    for (const [name, value] of Object.entries(given)) {
      if (name.startsWith('__absolute')) continue
      this.#isNegated ||= NEGATIONS.includes(name)
      if (VALUES.includes(name) || (name === 'examples' && Array.isArray(value))) copied[name] = value
      else if (MAPS.includes(name)) copied[name] = yield* this.#copyMap(name, value)
      else if (name === 'pattern') {
        const literal = yield* this.#literalOf(value)
        if (literal !== undefined) copied[name] = literal
      } else if (name === 'format') {
        if (FORMATS.includes(String(value))) copied[name] = value
        else this.#isLoose = true
      } else copied[name] = yield* this.copy(value)
    }
    if (copied['nullable'] === true && typeof copied['type'] === 'string') copied['type'] = [copied['type'], 'null']
    countSteps(copied, this.#options.onStep)
    return copied
  }
}

/** Counts how often a schema is applied: the validator reads this keyword of it first. */
function countSteps(schema: Schema, onStep: (work: number) => void): void {
  const anchor = schema['$recursiveAnchor']
  const sizes = [schema['enum'], schema['required'], Object.keys(Object(schema['properties']))]
  const work = sizes.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length / 8 : 0), 1)
  Object.defineProperty(schema, '$recursiveAnchor', {
    enumerable: false,
    get() {
      onStep(work)
      return anchor
    },
  })
}

/** Escapes a text as an expression that matches only it. */
function escaped(text: string): string {
  return text
    .replace(/[$()*+./?[\\\]^{|}]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
}
