import type { PlainJson } from '../plain-json.js'
import type { TextTest } from './text-test.js'

type Schema = { [keyword: string]: unknown }

export interface SafeSchemaOptions {
  /** What is checked: patterns are tried on its texts beforehand. */
  readonly json: PlainJson
  /** The test of a pattern; undefined if there is none that is safe. */
  readonly testOf: (pattern: string) => TextTest | undefined
  /** Called whenever the schema is applied, with the work that it is. */
  readonly onStep: (work: number) => void
}

/** Values, not schemas: left as they are. */
const VALUES: readonly string[] = ['enum', 'const', 'default', 'examples', 'required', 'type', 'dependentRequired']
/** Names that stand for schemas. */
const MAPS: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
/** Those that are checked by expressions which take time in proportion to a text. */
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
/** Comparing each with each. */
const MOST_UNIQUE = 1_000
const MOST_TEXTS = 2_000

/** Keywords where loosening a subschema would reject valid values. */
const NEGATIONS: readonly string[] = ['not', 'oneOf', 'if', 'maxContains']

/** Why a value cannot be checked. */
export class Unchecked extends Error {}

/**
 * A copy of a client's schema that no output of a model can make slow: the validator runs `pattern` as a regular
 * expression of JavaScript, compares each item with each, and follows references for ever. What cannot be made safe is left
 * out, and the copy allows more.
 *
 * @throws Unchecked if it would allow less
 */
export function safeSchema(schema: unknown, { json, testOf, onStep }: SafeSchemaOptions): unknown {
  const patterns = new Map<string, string | undefined>()
  let isLoose = false
  let isNegated = false

  /** An expression that matches those texts of the value which the pattern matches, and no other. */
  function literalOf(pattern: unknown): string | undefined {
    if (typeof pattern !== 'string') return undefined
    if (patterns.has(pattern)) return patterns.get(pattern)
    const test = json.texts.size > MOST_TEXTS ? undefined : testOf(pattern)
    const matching = test && [...json.texts].filter(test)
    // The number makes it another key than that of a pattern which matches the same texts.
    isLoose ||= matching === undefined
    const never = `(?!)${'x'.repeat(patterns.size)}`
    const literal = matching && `^(?:${[...matching.map(escaped), never].join('|')})$`
    patterns.set(pattern, literal)
    return literal
  }

  function copyMap(name: string, schemas: unknown): unknown {
    const copies = Object.create(null) as Schema
    for (const [key, inner] of Object.entries(Object(schemas))) {
      const copied = name === 'patternProperties' ? literalOf(key) : key
      // A property that may match is none of `additionalProperties`.
      if (copied === undefined) copies['^'] = true
      else copies[copied] = copy(inner)
    }
    return copies
  }

  function copy(given: unknown): unknown {
    if (Array.isArray(given)) return given.map(copy)
    if (typeof given !== 'object' || given === null) return given
    const copied = Object.create(null) as Schema
    for (const [name, value] of Object.entries(given)) {
      if (name.startsWith('__absolute')) continue
      isNegated ||= NEGATIONS.includes(name)
      if (VALUES.includes(name)) copied[name] = value
      else if (MAPS.includes(name)) copied[name] = copyMap(name, value)
      else if (name === 'pattern') {
        const literal = literalOf(value)
        if (literal !== undefined) copied[name] = literal
      } else if (name === 'format') {
        if (FORMATS.includes(String(value))) copied[name] = value
        else isLoose = true
      } else if (name === 'uniqueItems' && json.longestArray > MOST_UNIQUE) isLoose = true
      else copied[name] = copy(value)
    }
    if (copied['nullable'] === true && typeof copied['type'] === 'string') copied['type'] = [copied['type'], 'null']
    countSteps(copied, onStep)
    return copied
  }

  const safe = copy(schema)
  if (isLoose && isNegated) throw new Unchecked('the schema has what is not checked, and negates it')
  return safe
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

/** A text as an expression that matches it alone. */
function escaped(text: string): string {
  return text
    .replace(/[$()*+./?[\\\]^{|}]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
}
