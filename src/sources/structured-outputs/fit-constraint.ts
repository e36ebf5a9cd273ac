import type {
  Constraint,
  EngineCapabilities,
  RelaxedConstraint,
  UnsupportedConstraint,
} from '../../engine/constraint.js'
import { checkSchema, UnsupportedSchema, unsupportedIn } from '../../grammar/index.js'
import { atOnce, type Slices } from '../../slices.js'
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
 * @throws UnsupportedSchema if it is no schema, or no grammar of ours can be made of it and the backend has no other way
 */
export function* fitConstraint(backend: GrammarBackend, constraint: Constraint): Slices<FittedConstraint> {
  if ('regex' in constraint) return whole({ kind: 'regex', text: constraint.regex })
  if ('grammar' in constraint) return whole({ kind: 'grammar', text: constraint.grammar })
  if (backend === 'guidance') return yield* asGrammar(constraint)
  yield* checkSchema(constraint.jsonSchema)
  const { schema, leftOut } = yield* plainSchema(constraint.jsonSchema)
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
    refuses: (constraint) => refusalOf(backend, constraint),
    relaxes: (constraint) => fitConstraint(backend, constraint),
  }
}

/** What is no schema, and what our own grammar cannot say where that is sent. Other kinds are the backend's to read. */
function refusalOf(backend: GrammarBackend, constraint: Constraint): UnsupportedConstraint | undefined {
  if (!('jsonSchema' in constraint)) return undefined
  if (backend === 'guidance') return GBNF_CAPABILITIES.refuses?.(constraint)
  return unsupportedIn(() => atOnce(checkSchema(constraint.jsonSchema)))
}
