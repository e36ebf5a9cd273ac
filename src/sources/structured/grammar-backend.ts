import {
  type Constraint,
  constraintKind,
  type EngineCapabilities,
  type RelaxedConstraint,
} from '../../engine/constraint.js'
import { UnsupportedSchema } from '../../grammar/index.js'
import type { Slices } from '../../slices.js'
import { GBNF_CAPABILITIES, writtenGbnf } from '../gbnf.js'
import type { GrammarBackend } from './backends.js'
import { type PlainSchema, plainSchema } from './plain-schema.js'

/** A constraint as a backend is sent it. */
export type SentConstraint =
  | { readonly kind: 'structural_tag' | 'regex' | 'grammar'; readonly text: string }
  | { readonly kind: 'json'; readonly schema: PlainSchema['schema'] }

/** What a backend is sent, and what that leaves out. */
export interface FittedConstraint extends RelaxedConstraint {
  readonly sent: SentConstraint
}

interface OurGrammar extends FittedConstraint {
  readonly sent: { readonly kind: 'grammar'; readonly text: string }
}

/** xgrammar counts characters of JSON strings by copies of their rule: some milliseconds a token for each. */
const MOST_COUNTED = 8
const MOST_CLASS_COUNTED = 64
/** What may stand between the tokens of a body, in characters: a model that is unsure writes blanks for ever. */
const MOST_BLANKS = 2

/**
 * A constraint as this backend holds it.
 *
 * @param constraint - of a kind that {@link heldBy} names
 * @throws UnsupportedSchema if there is no grammar of it
 */
export function* fitConstraint(backend: GrammarBackend, constraint: Constraint): Slices<FittedConstraint> {
  if ('regex' in constraint) return whole({ kind: 'regex', text: constraint.regex })
  if ('grammar' in constraint) return whole({ kind: 'grammar', text: constraint.grammar })
  if (backend === 'guidance') return yield* asGrammar(constraint)
  const { schema, leftOut } = plainSchema(constraint.jsonSchema)
  if (backend !== 'xgrammar') return { sent: { kind: 'json', schema }, relaxed: leftOut, nodes: 0 }
  const ours = leftOut.length === 0 ? undefined : yield* ifAny(constraint)
  if (ours !== undefined && isFast(ours.sent.text)) return ours
  return { sent: { kind: 'structural_tag', text: structuralTag(schema) }, relaxed: leftOut, nodes: 0 }
}

function whole(sent: SentConstraint): FittedConstraint {
  return { sent, relaxed: [], nodes: 0 }
}

/** Undefined if there is no grammar of it. */
function* ifAny(constraint: Constraint): Slices<OurGrammar | undefined> {
  try {
    return yield* asGrammar(constraint)
  } catch (error) {
    if (error instanceof UnsupportedSchema) return undefined
    throw error
  }
}

function* asGrammar(constraint: Constraint): Slices<OurGrammar> {
  const { grammar, relaxed, nodes } = yield* writtenGbnf(constraint)
  return { sent: { kind: 'grammar', text: grammar }, relaxed, nodes }
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
    ...(backend === 'guidance' && { refuses: refusalOf }),
    relaxes: (constraint) => fitConstraint(backend, constraint),
  }
}

/** What our own grammar cannot say at all. A regular expression is the backend's own to read. */
function refusalOf(constraint: Constraint): ReturnType<NonNullable<EngineCapabilities['refuses']>> {
  return constraintKind(constraint) === 'json_schema' ? GBNF_CAPABILITIES.refuses?.(constraint) : undefined
}
