import { atOnce } from '../../../shared/slices.js'
import { matcherOf } from '../matcher/matcher.js'
import { productive } from '../productive.js'
import type { Pattern } from '../regex/pattern.js'
import { patternExpression } from '../regex/pattern-expression.js'
import { readPattern } from '../regex/read-pattern.js'
import { searched } from '../regex/search.js'
import { createRules } from '../rules.js'
import { ANYTHING, both, type Located } from './located.js'

/** An entry of `patternProperties`: the schema of properties whose names match. */
export interface Patterned {
  readonly source: string
  readonly path: string
  readonly value: Located
  /** The pattern for the whole of a name. */
  readonly whole: Pattern
  /** Whether a name matches. Not by JavaScript's own engine, which a client's pattern could occupy forever. */
  readonly matches: (name: string) => boolean
  /** The prefix of matching names, if the pattern demands nothing else; `''` if all names match. */
  readonly prefix: string | undefined
  /** The prefix that all matching names have. */
  readonly beginning: string
}

/** @throws UnsupportedSchema if no grammar expresses the pattern, BadGrammar if it is too ambiguous */
export function patterned(source: string, path: string, value: Located): Patterned {
  const pattern = readPattern(source, path)
  const rules = createRules()
  const whole = searched(pattern, path)
  const root = patternExpression(whole, rules, 'plain')
  const grammar = atOnce(productive(new Map([...rules.all, ['root', root]])))
  const start = grammar && atOnce(matcherOf(grammar))
  const matches = (name: string): boolean => start?.accept(name)?.isComplete === true
  const { beginning, isAll } = beginningOf(pattern)
  const prefix = ALL.includes(source) ? '' : isAll ? beginning : undefined
  return { source, path, value, whole, matches, prefix, beginning }
}

/** Patterns that match all names. */
const ALL: readonly string[] = ['', '^', '$', '.*', '^.*', '.*$']

/** Returns the prefix of all matching texts, and whether the pattern demands nothing else. */
function beginningOf(pattern: Pattern): { readonly beginning: string; readonly isAll: boolean } {
  const [start, ...rest] = pattern.kind === 'sequence' ? pattern.of : []
  if (start?.kind !== 'start') return { beginning: '', isAll: false }
  const characters: string[] = []
  for (const part of rest) {
    const [range, other] = part.kind === 'class' ? part.ranges : []
    if (range === undefined || other !== undefined || range[0] !== range[1]) break
    characters.push(String.fromCodePoint(range[0]))
  }
  return { beginning: characters.join(''), isAll: characters.length === rest.length }
}

/** Returns the schema that patterns add to a property of this name; undefined if none matches. */
export function valueByPatterns(patterns: readonly Patterned[], name: string): Located | undefined {
  const values = patterns.filter(({ matches }) => matches(name)).map(({ value }) => value)
  return values.length === 0 ? undefined : values.reduce(both, ANYTHING)
}

/** Whether no name can match two of the patterns, because their prefixes differ. */
export function areApart(patterns: readonly Patterned[]): boolean {
  return patterns.every(({ beginning }, index) =>
    patterns
      .slice(index + 1)
      .every((other) => !beginning.startsWith(other.beginning) && !other.beginning.startsWith(beginning)),
  )
}
