import { type Constraint, type ConstraintKind, constraintKind, type FittedConstraint } from '../engine/constraint.js'
import {
  BadGrammar,
  compileSchema,
  createMatcher,
  regexToGbnf,
  UnsupportedSchema,
  writeGbnf,
} from '../grammar/index.js'
import { atOnce, type Slices } from '../slices.js'
import type { BodyGrammar } from './sampler.js'

/** What a scripted engine can hold. */
export const SCRIPTED_CONSTRAINTS: readonly ConstraintKind[] = Object.freeze(['json_schema', 'regex', 'gbnf'] as const)

/** A constraint as GBNF. */
interface Written extends Pick<FittedConstraint, 'relaxed' | 'nodes'> {
  readonly gbnf: string
}

export interface Grammars {
  fit(constraint: Constraint): Slices<FittedConstraint>
  /** The grammar of a constraint of which anything is held. */
  grammarOf(constraint: Constraint): BodyGrammar
}

/** So many are kept: a response asks for the same one several times. */
const MOST_KEPT = 50

/** The grammars of an engine that holds these kinds. */
export function createGrammars(kinds: readonly ConstraintKind[]): Grammars {
  const kept = new Map<string, Written>()

  function* written(constraint: Constraint): Slices<Written> {
    const key = textOf(constraint)
    const known = kept.get(key) ?? (yield* write(constraint))
    kept.delete(key)
    kept.set(key, known)
    for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest)
    return known
  }

  return {
    *fit(constraint) {
      const kind = constraintKind(constraint)
      if (!kinds.includes(kind)) return nothing('', `The engine holds no constraint of kind ${kind}.`)
      try {
        const { gbnf, relaxed, nodes } = yield* written(constraint)
        if (kind === 'gbnf') createMatcher(gbnf)
        // As it was given, since what a script says is held to the schema, not to a grammar of it alone.
        return { constraint, relaxed, nodes }
      } catch (error) {
        if (error instanceof UnsupportedSchema) return nothing(error.path, error.message)
        if (error instanceof BadGrammar) return nothing('', error.message)
        throw error
      }
    },
    grammarOf(constraint) {
      const { gbnf } = atOnce(written(constraint))
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

function* write(constraint: Constraint): Slices<Written> {
  if (!('jsonSchema' in constraint)) {
    const gbnf = 'regex' in constraint ? regexToGbnf(constraint.regex) : constraint.grammar
    return { gbnf, relaxed: [], nodes: gbnf.length >> 3 }
  }
  const { grammar, shared, relaxed, nodes } = yield* compileSchema(constraint.jsonSchema)
  return { gbnf: yield* writeGbnf(grammar, shared), relaxed, nodes }
}
