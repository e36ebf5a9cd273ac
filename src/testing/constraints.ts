import {
  type Constraint,
  type ConstraintKind,
  constraintKind,
  type FittedConstraint,
} from '../engines/contract/constraint.js'
import {
  BadGrammar,
  matcherOfGbnf,
  UnsupportedSchema,
  type WrittenGrammar,
  writtenGrammar,
} from '../engines/grammar/index.js'
import { atOnce, type Slices } from '../shared/slices.js'
import type { BodyGrammar } from './sampler.js'

/** The constraints that a scripted engine supports. */
export const SCRIPTED_CONSTRAINTS: readonly ConstraintKind[] = Object.freeze(['json_schema', 'regex', 'gbnf'] as const)

export interface Grammars {
  fit(constraint: Constraint): Slices<FittedConstraint>
  /** Returns the grammar of a constraint, which has to be held at least in part. */
  grammarOf(constraint: Constraint): BodyGrammar
}

/** The number of cached grammars: a response uses the same one several times. */
const MAX_GRAMMARS = 50

/** The grammars of an engine that holds these kinds. */
export function createGrammars(kinds: readonly ConstraintKind[]): Grammars {
  const kept = new Map<string, WrittenGrammar>()

  function* written(constraint: Constraint): Slices<WrittenGrammar> {
    const key = textOf(constraint)
    const known = kept.get(key) ?? (yield* writtenGrammar(constraint))
    kept.delete(key)
    kept.set(key, known)
    for (const oldest of kept.keys()) if (kept.size > MAX_GRAMMARS) kept.delete(oldest)
    return known
  }

  return {
    *fit(constraint) {
      const kind = constraintKind(constraint)
      if (!kinds.includes(kind)) return nothing('', `The engine enforces no constraint of kind ${kind}.`)
      try {
        const { grammar, relaxed, nodes } = yield* written(constraint)
        if (kind === 'gbnf') yield* matcherOfGbnf(grammar)
        // Passed on unchanged: a script is checked against the schema, not only against its grammar.
        return { constraint, relaxed, nodes }
      } catch (error) {
        if (error instanceof UnsupportedSchema) return nothing(error.path, error.message)
        if (error instanceof BadGrammar) return nothing('', error.message)
        throw error
      }
    },
    grammarOf(constraint) {
      const { grammar: gbnf } = atOnce(written(constraint))
      return 'jsonSchema' in constraint ? { gbnf, jsonSchema: constraint.jsonSchema } : { gbnf }
    },
  }
}

function nothing(path: string, message: string): FittedConstraint {
  return { constraint: undefined, relaxed: [{ path, message }], nodes: 0 }
}

function textOf(constraint: Constraint): string {
  try {
    return JSON.stringify(constraint)
  } catch {
    throw new UnsupportedSchema('', 'The schema is no JSON.')
  }
}
