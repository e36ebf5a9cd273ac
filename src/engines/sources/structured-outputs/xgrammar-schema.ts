import type { Fields } from '../../../shared/fields.js'

/*
 * Values that xgrammar fails at, so that it enforces nothing of the schema, or that it reads in its own way. Tried in 0.2.7 and
 * 0.2.8.
 */

/** Whether xgrammar accepts a keyword with its value, beside the others of the schema, and allows nothing wrong by it. */
export function isReadByXgrammar(keyword: string, schema: Fields, types: readonly unknown[]): boolean {
  switch (keyword) {
    case 'enum':
      return (schema[keyword] as readonly unknown[]).length > 0
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return hasReadBounds(schema, types)
    case 'minItems':
    case 'maxItems':
      return hasReadCounts(schema)
    case 'prefixItems':
      return hasReadCounts(schema)
    case 'items':
      // Without the tuple, it would be about its items too.
      return !('prefixItems' in schema) || hasReadCounts(schema)
    case 'pattern':
      return readingOf(String(schema[keyword])) !== undefined
    default:
      return true
  }
}

/** Fails at bounds with an exponent, at those of integers that are none, and where no number is between them. */
function hasReadBounds(schema: Fields, types: readonly unknown[]): boolean {
  const values = (keywords: readonly string[]): number[] =>
    keywords.flatMap((keyword) => (typeof schema[keyword] === 'number' ? [schema[keyword]] : []))
  const min = Math.max(...values(['minimum', 'exclusiveMinimum']))
  const max = Math.min(...values(['maximum', 'exclusiveMaximum']))
  const bounds = values(['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'])
  if (bounds.some((bound) => /e/.test(String(bound)))) return false
  if (!types.includes('integer')) {
    const isStrict = schema['exclusiveMinimum'] === min || schema['exclusiveMaximum'] === max
    return isStrict ? min < max : min <= max
  }
  const first = schema['exclusiveMinimum'] === min ? min + 1 : min
  const last = schema['exclusiveMaximum'] === max ? max - 1 : max
  return bounds.every(Number.isSafeInteger) && first <= last
}

/** Fails at numbers that contradict each other or the tuple. Without `items`, it allows no items behind the tuple. */
function hasReadCounts({ items, prefixItems, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Fields): boolean {
  const ofTuple = Array.isArray(prefixItems) ? prefixItems.length : 0
  const max = items === false ? Math.min(ofTuple, Number(maxItems)) : Number(maxItems)
  return items !== undefined && Number(minItems) <= max && Number(maxItems) >= ofTuple
}

/** An escape that stands for one character or a class, none of them in need of an escape in JSON. */
const ESCAPED = String.raw`\\(?:[dw/.*+?()[\]{}^$|-]|u(?!00[0-7]|[dD][89a-fA-F])[\da-fA-F]{4})`
/** Characters that a class excludes may be any, as those of JSON in the patterns of `xgrammar-lengths.ts` are. */
const CLASS = String.raw`\[(?:\^(?:[^\\\]]|\\.)+|(?:[^^\\\]\0-\x1f]|\\[DWSs\\]|${ESCAPED})(?:[^\\\]\0-\x1f]|\\[DWSs\\]|${ESCAPED})*)\]`
const PART = String.raw`(?:[^\\"^$.[\]|\0-\x1f]|\||\.|\\[DWSs]|${ESCAPED}|${CLASS})`
const WHOLE = new RegExp(`^\\^(${PART}*)\\$$`, 'u')
const NO_GROUP = new RegExp(`${ESCAPED}|${CLASS}|\\\\.`, 'gu')
const WIDE = new RegExp(`${ESCAPED}|(${CLASS})|(\\.|\\\\[DWSs])`, 'gu')

/** A longer pattern is not read: each of its classes is compiled, which takes microseconds, and a client sends megabytes. */
export const MAX_PATTERN = 4_000

/**
 * How xgrammar reads a pattern that it enforces: `exact`, or `narrow` if it refuses the texts with characters that JSON
 * escapes. Undefined if it allows raw quotes or control characters, which no JSON parser reads, or matches the whole text
 * where a part is meant.
 */
export function readingOf(pattern: string): 'exact' | 'narrow' | undefined {
  const [, parts] = pattern.length > MAX_PATTERN ? [] : (WHOLE.exec(pattern) ?? [])
  if (parts === undefined || hasOuterChoice(parts.replace(NO_GROUP, 'x'))) return undefined
  const wide = Array.from(parts.matchAll(WIDE), ([, characters, any]) => any !== undefined || isWide(characters))
  if (wide.includes(undefined)) return undefined
  return wide.includes(true) ? 'narrow' : 'exact'
}

/** Whether an anchor belongs to one of the choices alone. */
function hasOuterChoice(parts: string): boolean {
  let depth = 0
  for (const character of parts) {
    if (character === '(') depth += 1
    else if (character === ')') depth -= 1
    else if (character === '|' && depth === 0) return true
  }
  return false
}

/** Whether a class has a character that JSON escapes. Undefined if regular expressions differ in how they read it. */
function isWide(characters: string | undefined): boolean | undefined {
  if (characters === undefined) return false
  try {
    const one = new RegExp(characters, 'u')
    return ['"', '\\', '\n', '\t'].some((character) => one.test(character))
  } catch {
    return undefined
  }
}
