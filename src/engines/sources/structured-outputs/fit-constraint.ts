import type { Slices } from '../../../shared/slices.js'
import type { Constraint, EngineCapabilities, FittedConstraint } from '../../contract/constraint.js'
import { checkSchema, plainlySpelled, separateClasses, UnsupportedSchema } from '../../grammar/index.js'
import { fitGbnf, fittedOrNot } from '../gbnf.js'
import type { GrammarBackend } from './backends.js'
import { plainSchema } from './plain-schema.js'
import { lengthsAsPatterns } from './xgrammar-lengths.js'

/** A constraint in the form that a backend is sent. */
export type SentConstraint =
  | { readonly kind: 'structural_tag' | 'regex' | 'grammar'; readonly text: string }
  | { readonly kind: 'json'; readonly schema: object }

/** The maximum number of blanks between the tokens of a body: an unsure model would write blanks forever. */
const MAX_BLANKS = 2

/** Returns an engine's constraint capabilities with this backend. */
export function enforcedBy(backend: GrammarBackend, { hasLark }: { readonly hasLark: boolean }): EngineCapabilities {
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

/** Returns a constraint that this backend enforces, in the form that it is sent. */
export function sentTo(backend: GrammarBackend, constraint: Constraint): SentConstraint {
  if ('regex' in constraint) return { kind: 'regex', text: constraint.regex }
  if ('grammar' in constraint) return { kind: 'grammar', text: constraint.grammar }
  const { jsonSchema: schema } = constraint
  return backend === 'xgrammar' ? { kind: 'structural_tag', text: structuralTag(schema) } : { kind: 'json', schema }
}

/**
 * @throws UnsupportedSchema if it is not a schema, or our grammars cannot express it and the backend has no other way
 */
function* fitConstraint(backend: GrammarBackend, constraint: Constraint): Slices<FittedConstraint> {
  if (!('jsonSchema' in constraint)) return backend === 'xgrammar' ? yield* fitGrammar(constraint) : whole(constraint)
  if (backend === 'guidance') return yield* fitGbnf(constraint)
  yield* checkSchema(constraint.jsonSchema)
  if (backend === 'xgrammar') return yield* fitXgrammar(constraint)
  const { schema, leftOut } = yield* plainSchema(constraint.jsonSchema, 'other')
  return { constraint: { jsonSchema: schema }, relaxed: leftOut, nodes: 0 }
}

/** Sends a schema to xgrammar as it is if it enforces all of it, else as our grammar where that is fast. */
function* fitXgrammar(constraint: Extract<Constraint, { readonly jsonSchema: object }>): Slices<FittedConstraint> {
  const { schema, leftOut, inPart, isNarrow } = yield* plainSchema(constraint.jsonSchema, 'xgrammar')
  const { hasLengths, ...patterned } = yield* lengthsAsPatterns(schema)
  if (leftOut.length > 0 || hasLengths || isNarrow) {
    const ours = yield* fastGrammar(constraint)
    if (ours !== undefined) return ours
  }
  // Our grammar may express the rest even if the whole was too slow, or too large.
  const rests = [
    ...(leftOut.length > 0 && (inPart.length > 0 || hasLengths || isNarrow) ? [{ schema, dropped: [] }] : []),
    // Without the lengths it may be fast, and then it enforces all of what xgrammar enforces in part.
    ...((inPart.length > 0 || isNarrow) && hasLengths
      ? [{ schema: patterned.schema, dropped: patterned.leftOut }]
      : []),
  ]
  for (const { schema: jsonSchema, dropped } of rests) {
    const rest = yield* fastGrammar({ jsonSchema })
    if (rest === undefined) continue
    const relaxed = [...leftOut.filter((reason) => !inPart.includes(reason)), ...dropped, ...rest.relaxed]
    return { ...rest, relaxed }
  }
  return { constraint: { jsonSchema: patterned.schema }, relaxed: [...leftOut, ...patterned.leftOut], nodes: 0 }
}

/** Leaves the constraint to the backend. */
function whole(constraint: Constraint): FittedConstraint {
  return { constraint, relaxed: [], nodes: 0 }
}

/**
 * Rewrites a grammar to a form that xgrammar handles fast and masks correctly. Without this, the rest of a body that
 * another process began, such as a string with a limited length, would take it seconds.
 */
function* fitGrammar(constraint: Constraint): Slices<FittedConstraint> {
  if (!('grammar' in constraint) || constraint.syntax === 'lark') return whole(constraint)
  const counted = withoutSlowCounts(constraint.grammar)
  // In a grammar of another language, an escape and its character are different texts, so both must stay.
  const grammar = yield* separateClasses(constraint.isJson ? yield* plainlySpelled(counted) : counted)
  if (grammar === constraint.grammar) return whole(constraint)
  const relaxed = counted === constraint.grammar ? [] : [{ path: '', message: NOT_COUNTED }]
  return { constraint: { ...constraint, grammar }, relaxed, nodes: 0 }
}

const NOT_COUNTED = "The engine's grammar backend is slow where it counts far: long repetitions are not limited."

/** Returns our grammar of a schema; undefined if there is none, or xgrammar would be slow with it. */
function* fastGrammar(constraint: Constraint): Slices<FittedConstraint | undefined> {
  try {
    const ours = yield* fitGbnf(constraint)
    const { grammar } = ours.constraint as Extract<Constraint, { readonly grammar: string }>
    if (hasSlowCounts(grammar)) return undefined
    const written = yield* separateClasses(yield* plainlySpelled(grammar))
    return { ...ours, constraint: { grammar: written, syntax: 'gbnf' } }
  } catch (error) {
    if (error instanceof UnsupportedSchema) return undefined
    throw error
  }
}

function structuralTag(schema: unknown): string {
  const format = { type: 'json_schema', json_schema: schema, max_whitespace_cnt: MAX_BLANKS }
  return JSON.stringify({ type: 'structural_tag', format })
}

/*
 * xgrammar copies repetitions, and visits all copies for each token: `char{0,200}`, the rest of a string of at most 200
 * characters, took 450 ms a token, `char*` a hundredth of one (xgrammar 0.2.8).
 */

/**
 * The maximum repetitions: of a class of characters, of a rule of few characters or a group, and of a rule of any
 * character.
 */
const MAX_OF_A_CLASS = 64
const MAX_OF_FEW = 12
const MAX_OF_MANY = 8
/** Matches a text, a class, or a number of repetitions, with the name of the rule before it. */
const PARTS = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|([\w-]*)\{(\d+)(?:,(\d*))?\}/g
/** Matches a rule with characters beyond ASCII, like any character of a JSON string. */
const OF_MANY = /^([\w-]+) ::= .*[^\0-\x7e]/gm

/** Whether a grammar in GBNF has repetitions that make xgrammar slow. */
function hasSlowCounts(gbnf: string): boolean {
  return withoutSlowCounts(gbnf) !== gbnf
}

/** Replaces long repetitions in GBNF by unlimited ones. */
function withoutSlowCounts(gbnf: string): string {
  const ofMany = new Set(Array.from(gbnf.matchAll(OF_MANY), ([, name]) => name))
  return gbnf.replace(PARTS, (part, name: string, min?: string, max?: string, ...[at]: unknown[]) => {
    if (min === undefined) return part
    const few = ofMany.has(name) ? MAX_OF_MANY : MAX_OF_FEW
    const limit = gbnf[Number(at) - 1] === ']' ? MAX_OF_A_CLASS : few
    if (Number(max || min) <= limit) return part
    const first = Math.min(Number(min), limit)
    return `${name}${first === 0 ? '*' : `{${first},}`}`
  })
}
