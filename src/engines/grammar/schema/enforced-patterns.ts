import type { Slices } from '../../../shared/slices.js'
import type { Automaton } from '../regex/automaton.js'
import type { Pattern } from '../regex/pattern.js'
import { automatonOf } from '../regex/pattern-automaton.js'
import { readPattern } from '../regex/read-pattern.js'
import { searched } from '../regex/search.js'
import type { Spend } from '../regex/work.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import type { Relax } from './relaxations.js'
import type { Sourced } from './shape.js'

/** A pattern for the whole of a text, and its place in the schema. */
export interface EnforcedPattern {
  readonly pattern: Pattern
  readonly path: string
  /** The format that it expresses, if any. */
  readonly format?: string
}

/**
 * The regular expressions of one document. Each is read once, and converted to an automaton once, however many places
 * use it.
 */
export class EnforcedPatterns {
  readonly #spend: Spend
  /** By their sources. A text is the reason why no grammar can enforce the pattern. */
  readonly #read = new Map<string, Pattern | string>()
  readonly #formats = new Map<string, Pattern>()
  readonly #automata = new Map<Pattern, Automaton>()

  /** @param spend - counts what automata take, each once */
  constructor(spend: Spend) {
    this.#spend = spend
  }

  /**
   * Returns a pattern for the whole of a text in which the given one matches. None if no grammar can enforce it, which is
   * reported.
   */
  read({ value, path }: Sourced<string>, relax: Relax): EnforcedPattern[] {
    const known = this.#read.get(value) ?? readSearched(value)
    this.#read.set(value, known)
    if (typeof known !== 'string') return [{ pattern: known, path }]
    relax(path, known)
    return []
  }

  /** Returns a pattern for the texts of a format. @param source - the format as a regular expression */
  readFormat({ value, path }: Sourced<string>, source: string): EnforcedPattern {
    const pattern = this.#formats.get(source) ?? readPattern(source, path, source.length)
    this.#formats.set(source, pattern)
    return { pattern, path, format: value }
  }

  /** The texts that match. Undefined if that takes too many states. */
  *automatonOf({ pattern }: EnforcedPattern): Slices<Automaton | undefined> {
    const known = this.#automata.get(pattern)
    if (known !== undefined) return known
    const made = yield* automatonOf(pattern, this.#spend)
    if (made !== undefined) this.#automata.set(pattern, made)
    return made
  }
}

function readSearched(source: string): Pattern | string {
  try {
    return searched(readPattern(source, ''), '')
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error
    return error.message
  }
}
