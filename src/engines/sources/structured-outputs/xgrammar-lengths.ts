import { type Fields, isFields } from '../../../shared/fields.js'
import { createWork, type Slices, type Work } from '../../../shared/slices.js'
import type { UnsupportedConstraint } from '../../contract/constraint.js'
import { below } from '../../grammar/index.js'
import { eachSchema, notEnforced } from './plain-schema.js'

/*
 * In a string with a `minLength` or a `maxLength`, xgrammar (0.2.7 and 0.2.8) accepts all control characters except CR
 * and LF, so that a body need not be JSON. Its patterns accept none. Neither form accepts an escape, such as that of a
 * quote: xgrammar removes quotes and backslashes from patterns.
 */

/** A schema for xgrammar that limits lengths by patterns. */
export interface PatternedLengths {
  readonly schema: Fields
  /** The lengths that are too long to be counted. */
  readonly leftOut: readonly UnsupportedConstraint[]
  /** Whether the schema had any lengths that refuse a string. */
  readonly hasLengths: boolean
}

/** A character of a JSON string that needs no escape. */
const PLAIN = '[^\\x00-\\x1f"\\\\]'
/**
 * How many of them are repeated as one block: `{0,100}` took 0.1 ms a token, and `{0,300}` 92, but 0.2 in blocks.
 */
const BLOCK = 50
/**
 * The maximum of all different lengths of a schema together. Each character is a state, for which xgrammar reads the
 * whole vocabulary: 300 took 6 s of two slow cores.
 */
const MAX_CHARACTERS = 500
/** The number of schemas that are read in a few milliseconds. */
const SLICE = 2_000

interface Walk {
  readonly leftOut: UnsupportedConstraint[]
  /** The patterns so far: xgrammar compiles equal ones once. */
  readonly patterns: Set<string>
  readonly work: Work
  /** The characters that can still be counted. */
  left: number
  hasLengths: boolean
}

/** @param schema - a result of `plainSchema` for xgrammar, which has no pattern or format beside a length */
export function* lengthsAsPatterns(schema: Fields): Slices<PatternedLengths> {
  const walk: Walk = {
    ...{ leftOut: [], patterns: new Set(), work: createWork(SLICE) },
    ...{ left: MAX_CHARACTERS, hasLengths: false },
  }
  const patterned = (yield* rewritten(schema, '', walk)) as Fields
  return { schema: patterned, leftOut: walk.leftOut, hasLengths: walk.hasLengths }
}

function* rewritten(schema: unknown, path: string, walk: Walk): Slices<unknown> {
  walk.work.left -= 1
  if (walk.work.left <= 0) yield* walk.work.pause()
  if (!isFields(schema)) return schema
  const { minLength, maxLength, ...others } = schema
  const kept: [string, unknown][] = []
  for (const [keyword, value] of Object.entries(others)) {
    const at = below(path, keyword)
    kept.push([keyword, yield* eachSchema(keyword, value, at, (one, place) => rewritten(one, place, walk))])
  }
  const pattern = patternOf(minLength as number | undefined, maxLength as number | undefined, path, walk)
  if (pattern !== undefined) kept.push(['pattern', pattern])
  return Object.fromEntries(kept)
}

/** Returns the pattern of a string's lengths, without those that cannot be counted; undefined if none is left. */
function patternOf(min: number | undefined, max: number | undefined, path: string, walk: Walk): string | undefined {
  if (min === undefined && max === undefined) return undefined
  const isContrary = max !== undefined && (min ?? 0) > max
  const isKnown = !isContrary && walk.patterns.has(spelled(min, max))
  const counted = (keyword: string, length: number | undefined): number | undefined => {
    if (length === undefined || !(isContrary || (length > walk.left && !isKnown))) return length
    walk.leftOut.push(notEnforced(below(path, keyword), keyword))
    return undefined
  }
  const from = counted('minLength', min)
  const to = counted('maxLength', max)
  walk.hasLengths ||= (min ?? 0) > 0 || max !== undefined
  if ((from ?? 0) === 0 && to === undefined) return undefined
  const pattern = spelled(from, to)
  if (!isKnown) walk.left -= to ?? from ?? 0
  walk.patterns.add(pattern)
  return pattern
}

/** Spells a string of `min` to `max` plain characters. */
function spelled(min = 0, max = Number.POSITIVE_INFINITY): string {
  const more = max - min
  // The last repetition has at least BLOCK - 1, without which some lengths between two blocks would be refused.
  const blocks = Math.max(0, Math.floor((more - BLOCK + 1) / BLOCK))
  const needed = [repeated(`(?:${PLAIN}{${BLOCK}})`, Math.floor(min / BLOCK)), repeated(PLAIN, min % BLOCK)]
  if (max === Number.POSITIVE_INFINITY) return `^${needed.join('')}${PLAIN}*$`
  const free = [blocks === 0 ? '' : `(?:${PLAIN}{${BLOCK}}){0,${blocks}}`, `${PLAIN}{0,${more - blocks * BLOCK}}`]
  return `^${[...needed, ...free].join('')}$`
}

function repeated(part: string, times: number): string {
  return times === 0 ? '' : `${part}{${times}}`
}
