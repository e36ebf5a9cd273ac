import type { Constraint, EngineCapabilities, FittedConstraint } from '../../engine/constraint.js'
import { checkSchema, UnsupportedSchema } from '../../grammar/index.js'
import type { Slices } from '../../slices.js'
import { fitGbnf, fittedOrNot } from '../gbnf.js'
import type { GrammarBackend } from './backends.js'
import { plainSchema } from './plain-schema.js'

/** A constraint as a backend is sent it. */
export type SentConstraint =
  | { readonly kind: 'structural_tag' | 'regex' | 'grammar'; readonly text: string }
  | { readonly kind: 'json'; readonly schema: object }

/** xgrammar counts characters of JSON strings by copies of their rule: some milliseconds a token for each. */
const MOST_COUNTED = 10
const MOST_CLASS_COUNTED = 64
/** What may stand between the tokens of a body, in characters: a model that is unsure writes blanks for ever. */
const MOST_BLANKS = 2

/** What an engine can be held to before this backend. */
export function heldBy(backend: GrammarBackend, { hasLark }: { readonly hasLark: boolean }): EngineCapabilities {
  if (backend === 'none') return { constraints: [] }
  const isWhole = backend === 'xgrammar' || backend === 'guidance'
  return {
    constraints: [
      'json_schema',
      'regex',
      ...(isWhole && hasLark ? (['lark'] as const) : []),
      ...(isWhole ? (['gbnf'] as const) : []),
    ],
    hasConstrainedLogprobs: true,
    fit: (constraint) => fittedOrNot(fitConstraint(backend, constraint)),
  }
}

/** A constraint that this backend holds as it is, as it is sent. */
export function sentTo(backend: GrammarBackend, constraint: Constraint): SentConstraint {
  if ('regex' in constraint) return { kind: 'regex', text: constraint.regex }
  if ('grammar' in constraint) return { kind: 'grammar', text: constraint.grammar }
  const { jsonSchema: schema } = constraint
  return backend === 'xgrammar' ? { kind: 'structural_tag', text: structuralTag(schema) } : { kind: 'json', schema }
}

/** @throws UnsupportedSchema if it is no schema, or no grammar of ours can be made of it and the backend has no other way */
function* fitConstraint(backend: GrammarBackend, constraint: Constraint): Slices<FittedConstraint> {
  // Those are the backend's to read.
  if (!('jsonSchema' in constraint)) return { constraint, relaxed: [], nodes: 0 }
  if (backend === 'guidance') return yield* fitGbnf(constraint)
  yield* checkSchema(constraint.jsonSchema)
  const { schema, leftOut } = yield* plainSchema(constraint.jsonSchema)
  if (backend === 'xgrammar' && leftOut.length > 0) {
    const ours = yield* fastGrammar(constraint)
    if (ours !== undefined) return ours
  }
  return { constraint: { jsonSchema: schema }, relaxed: leftOut, nodes: 0 }
}

/** Our grammar of a schema; undefined if there is none, or xgrammar would be slow with it. */
function* fastGrammar(constraint: Constraint): Slices<FittedConstraint | undefined> {
  try {
    const ours = yield* fitGbnf(constraint)
    const { grammar } = ours.constraint as Extract<Constraint, { readonly grammar: string }>
    return isFast(grammar) ? ours : undefined
  } catch (error) {
    if (error instanceof UnsupportedSchema) return undefined
    throw error
  }
}

function structuralTag(schema: unknown): string {
  const format = { type: 'json_schema', json_schema: schema, max_whitespace_cnt: MOST_BLANKS }
  return JSON.stringify({ type: 'structural_tag', format })
}

/** Whether xgrammar finds the next tokens of a grammar in good time. */
function isFast(grammar: string): boolean {
  for (const [, before, least, most] of grammar.matchAll(/([\])\w-])\{(\d+)(?:,(\d*))?\}/g)) {
    const times = Number(most === undefined || most === '' ? least : most)
    if (times > (before === ']' ? MOST_CLASS_COUNTED : MOST_COUNTED)) return false
  }
  return true
}
