import {
  type Constraint,
  type ConstraintKind,
  constraintKind,
  type RelaxedConstraint,
  type UnsupportedConstraint,
} from '../engine/constraint.js'
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
interface Written extends RelaxedConstraint {
  readonly gbnf: string
}

export interface Grammars {
  /** Why the engine would not hold a constraint. */
  refusalOf(constraint: Constraint): UnsupportedConstraint | undefined
  relaxes(constraint: Constraint): Slices<RelaxedConstraint>
  /** The grammar of a constraint that is not refused. */
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
    refusalOf(constraint) {
      const kind = constraintKind(constraint)
      if (!kinds.includes(kind)) return { path: '', message: `The engine holds no constraint of kind ${kind}.` }
      try {
        const { gbnf } = atOnce(written(constraint))
        if (kind === 'gbnf') createMatcher(gbnf)
        return undefined
      } catch (error) {
        if (error instanceof UnsupportedSchema) return { path: error.path, message: error.message }
        if (error instanceof BadGrammar) return { path: '', message: error.message }
        throw error
      }
    },
    relaxes: written,
    grammarOf(constraint) {
      const { gbnf } = atOnce(written(constraint))
      return 'jsonSchema' in constraint ? { gbnf, jsonSchema: constraint.jsonSchema } : { gbnf }
    },
  }
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
