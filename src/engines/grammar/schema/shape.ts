import { ANYTHING, both, type Located } from './located.js'
import { type Patterned, valueByPatterns } from './patterned.js'
import { JSON_TYPES, type JsonType } from './types.js'

/**
 * The constraints of a schema without `$ref`, `allOf` and alternatives: one alternative, with all that has to hold
 * together.
 */
export interface Shape {
  readonly path: string
  readonly types: ReadonlySet<JsonType>
  /** From `enum` or `const`. */
  readonly values: readonly unknown[] | undefined
  /** Excluded texts, booleans and null. */
  readonly excluded: readonly unknown[]
  readonly properties: ReadonlyMap<string, Located>
  /**
   * The schemas of properties by name patterns, declared or not. `properties` already contains them for declared ones.
   */
  readonly patterned: readonly Patterned[]
  /** The paths of `patternProperties` that cannot be enforced, because of the object's other constraints. */
  readonly unenforceablePatterns: readonly string[]
  readonly additional: Located
  readonly required: ReadonlySet<string>
  /** Additional demands, each of which some property has to satisfy. */
  readonly some: readonly Some[]
  /** The schema of undeclared names. */
  readonly names: Located
  readonly prefix: readonly Located[]
  readonly items: Located
  readonly minItems: number
  readonly maxItems: number
  readonly minProperties: number
  readonly maxProperties: number
  readonly minLength: number
  readonly maxLength: number
  readonly patterns: readonly Sourced<string>[]
  /** Patterns that must not match. */
  readonly notPatterns: readonly Sourced<string>[]
  readonly formats: readonly Sourced<string>[]
  readonly low: Bound
  readonly high: Bound
  /** Whether a number must not be whole. */
  readonly isFractional: boolean
  readonly multiples: readonly Sourced<number>[]
}

/** A property with another name than these, and its schema. */
export interface Some {
  readonly names: readonly string[]
  readonly value: Located
  readonly path: string
}

/** A keyword's value, and its place. */
export interface Sourced<Value> {
  readonly value: Value
  readonly path: string
}

export interface Bound extends Sourced<number> {
  readonly isExclusive: boolean
}

export const ANY_SHAPE: Omit<Shape, 'path'> = {
  types: new Set(JSON_TYPES.filter((type) => type !== 'integer')),
  values: undefined,
  excluded: [],
  properties: new Map(),
  patterned: [],
  unenforceablePatterns: [],
  additional: ANYTHING,
  required: new Set(),
  some: [],
  names: ANYTHING,
  prefix: [],
  items: ANYTHING,
  minItems: 0,
  maxItems: Number.POSITIVE_INFINITY,
  minProperties: 0,
  maxProperties: Number.POSITIVE_INFINITY,
  minLength: 0,
  maxLength: Number.POSITIVE_INFINITY,
  patterns: [],
  notPatterns: [],
  formats: [],
  low: { value: Number.NEGATIVE_INFINITY, path: '', isExclusive: false },
  high: { value: Number.POSITIVE_INFINITY, path: '', isExclusive: false },
  isFractional: false,
  multiples: [],
}

/** Combines two shapes. Undefined if no value can satisfy both. */
export function bothShapes(one: Shape, other: Shape): Shape | undefined {
  const types = commonTypes(one.types, other.types)
  const values = commonValues(one, other)
  if (types.size === 0 || values?.length === 0) return undefined
  const both = allOfBoth(one, other, types, values)
  const left = [...types].filter((type) => isPossible(type, both))
  if (left.length === types.size) return both
  return left.length === 0 ? undefined : { ...both, types: new Set(left) }
}

/** Whether a type can have a value: an impossible one gets no rules, and is not combined with others. */
function isPossible(type: JsonType, shape: Shape): boolean {
  const { low, high, isFractional, required, properties } = shape
  switch (type) {
    case 'integer':
    case 'number': {
      const isPoint = low.value === high.value
      return (
        low.value <= high.value &&
        !(isPoint && (low.isExclusive || high.isExclusive)) &&
        !(type === 'integer' && isFractional)
      )
    }
    case 'string':
      return shape.minLength <= shape.maxLength
    case 'array':
      return shape.minItems <= shape.maxItems
    case 'object':
      return (
        shape.minProperties <= shape.maxProperties && ![...required].some((name) => isNothing(properties.get(name)))
      )
    default:
      return true
  }
}

/** Whether a schema is `false`. */
export function isNothing(located: Located | undefined): boolean {
  return located !== undefined && 'schema' in located && located.schema === false
}

/** Written out without a spread, which takes five times as long: schemas with many alternatives come by here most. */
function allOfBoth(one: Shape, other: Shape, types: Shape['types'], values: Shape['values']): Shape {
  const { patterned, unenforceablePatterns } = bothPatterned(one, other)
  return {
    path: one.path,
    types,
    values,
    excluded: different(one.excluded, other.excluded, (value) => value),
    properties: bothProperties(one, other),
    patterned,
    unenforceablePatterns,
    additional: both(one.additional, other.additional),
    required: one.required.size === 0 ? other.required : new Set([...one.required, ...other.required]),
    some: together(one.some, other.some),
    names: both(one.names, other.names),
    prefix: bothPrefixes(one, other),
    items: both(one.items, other.items),
    minItems: Math.max(one.minItems, other.minItems),
    maxItems: Math.min(one.maxItems, other.maxItems),
    minProperties: Math.max(one.minProperties, other.minProperties),
    maxProperties: Math.min(one.maxProperties, other.maxProperties),
    minLength: Math.max(one.minLength, other.minLength),
    maxLength: Math.min(one.maxLength, other.maxLength),
    patterns: different(one.patterns, other.patterns, valueIn),
    notPatterns: different(one.notPatterns, other.notPatterns, valueIn),
    formats: different(one.formats, other.formats, valueIn),
    low: tighter(one.low, other.low, one.low.value - other.low.value),
    high: tighter(one.high, other.high, other.high.value - one.high.value),
    isFractional: one.isFractional || other.isFractional,
    multiples: different(one.multiples, other.multiples, valueIn),
  }
}

export function commonTypes(ones: ReadonlySet<JsonType>, others: ReadonlySet<JsonType>): ReadonlySet<JsonType> {
  const isPlain = (types: ReadonlySet<JsonType>): boolean => !(types.has('integer') && types.has('number'))
  if (others === ANY_SHAPE.types && isPlain(ones)) return ones
  if (ones === ANY_SHAPE.types && isPlain(others)) return others
  const has = (types: ReadonlySet<JsonType>, type: JsonType): boolean =>
    types.has(type) || (type === 'integer' && types.has('number'))
  const common = JSON_TYPES.filter((type) => has(ones, type) && has(others, type))
  // If any number is allowed, whole ones are included.
  return new Set(common.filter((type) => type !== 'integer' || !common.includes('number')))
}

function commonValues({ values: ones }: Shape, { values: others }: Shape): readonly unknown[] | undefined {
  if (ones === undefined || others === undefined) return ones ?? others
  const known = new Set(others.map((value) => JSON.stringify(value)))
  return ones.filter((value) => known.has(JSON.stringify(value)))
}

function bothProperties(one: Shape, other: Shape): Shape['properties'] {
  if (saysNothingOfProperties(one)) return other.properties
  if (saysNothingOfProperties(other)) return one.properties
  const names = new Set([...one.properties.keys(), ...other.properties.keys()])
  return new Map([...names].map((name) => [name, both(propertyOf(one, name), propertyOf(other, name))]))
}

/** Returns the schema of a property, declared or not. */
export function propertyOf({ properties, additional, patterned }: Shape, name: string): Located {
  return properties.get(name) ?? valueByPatterns(patterned, name) ?? additional
}

function saysNothingOfProperties({ properties, patterned, additional }: Shape): boolean {
  return properties.size === 0 && patterned.length === 0 && additional === ANYTHING
}

function bothPatterned(one: Shape, other: Shape): Pick<Shape, 'patterned' | 'unenforceablePatterns'> {
  const isPlain =
    one.patterned.length +
      other.patterned.length +
      one.unenforceablePatterns.length +
      other.unenforceablePatterns.length ===
    0
  if (isPlain) return { patterned: one.patterned, unenforceablePatterns: one.unenforceablePatterns }
  const unenforceablePatterns = [...one.unenforceablePatterns, ...other.unenforceablePatterns]
  if (one.patterned.length > 0 && other.patterned.length > 0) {
    // Each one's schema for other names would have to be distinguished from the names of the other.
    const isApart = [one, other].every(({ additional }) => additional === ANYTHING)
    if (!isApart) unenforceablePatterns.push(other.path)
    return { patterned: [...one.patterned, ...other.patterned], unenforceablePatterns }
  }
  const within = (patterns: readonly Patterned[], additional: Located): Patterned[] =>
    patterns.map((each) => ({ ...each, value: both(each.value, additional) }))
  return {
    patterned: [...within(one.patterned, other.additional), ...within(other.patterned, one.additional)],
    unenforceablePatterns,
  }
}

function bothPrefixes(one: Shape, other: Shape): Located[] {
  const length = Math.max(one.prefix.length, other.prefix.length)
  if (length === 0) return []
  const at = ({ prefix, items }: Shape, index: number): Located => prefix[index] ?? items
  return Array.from({ length }, (_, index) => both(at(one, index), at(other, index)))
}

function tighter(one: Bound, other: Bound, difference: number): Bound {
  // Two infinite bounds have no difference.
  if (one.value === other.value) return one.isExclusive ? one : other
  return difference > 0 ? one : other
}

function valueIn<Value>({ value }: Sourced<Value>): Value {
  return value
}

/** Joins two lists. */
function together<Each>(ones: readonly Each[], others: readonly Each[]): readonly Each[] {
  if (ones.length === 0) return others
  return others.length === 0 ? ones : [...ones, ...others]
}

/** Merges two lists, with each value once. */
function different<Each, Value>(
  ones: readonly Each[],
  others: readonly Each[],
  of: (each: Each) => Value,
): readonly Each[] {
  if (ones.length === 0 || others.length === 0) return ones.length === 0 ? others : ones
  const known = new Set<Value>()
  return [...ones, ...others].filter((each) => !known.has(of(each)) && known.add(of(each)))
}
