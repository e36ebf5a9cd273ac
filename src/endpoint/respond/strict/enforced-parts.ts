import {
  constraintKind,
  type EngineCapabilities,
  type FittedConstraint,
  type UnsupportedConstraint,
} from '../../../engines/contract/constraint.js'
import { checkSchema, UnsupportedSchema } from '../../../engines/grammar/index.js'
import { callSafely } from '../../../shared/call-safely.js'
import { invalidSchema, RequestError, unsupported } from '../../../shared/request-error.js'
import type { Slices } from '../../../shared/slices.js'
import type { StrictPart } from './strict-parts.js'

export interface EnforcedPartsOptions {
  /** How to treat parts of the request that the engine cannot enforce. */
  readonly onUnsupportedConstraint: 'relax' | 'refuse'
  readonly onError: (error: unknown) => void
}

export interface EnforcedParts {
  /** The parameters of the parts that the engine enforces, as far as it can. */
  readonly enforced: readonly string[]
  /** The parameters for which only the type is enforced. */
  readonly typeOnly: readonly string[]
  /**
   * The parts that are not enforced, and why: parameter and path in one, as in `tools[0].parameters/properties/a/not: ...`.
   */
  readonly relaxed: readonly string[]
  /** The parameters of unconstrained functions without an explicit `strict`. */
  readonly free: ReadonlySet<string>
}

/** The approximate limit of all grammars of a request together, in nodes: some seconds of work, in slices. */
const MAX_NODES = 300_000
/** The limit of a schema in values, including those in its lists: 5,000 ordinary properties. */
const MAX_VALUES = 50_000

/** The number of values that are examined in one slice. */
const SLICE = 2_000

const TOO_MUCH = 'Together, the schemas of the request exceed the limit; only the type of this one is enforced.'
const TOO_LARGE = `The schema has more than ${MAX_VALUES} values; only its type is enforced.`

/**
 * Returns the parts that the engine enforces.
 *
 * @throws RequestError if a schema is invalid or, if unsupported requests are refused, the engine does not enforce all of
 * them
 */
export function* enforcedParts(
  parts: readonly StrictPart[],
  capabilities: EngineCapabilities,
  { onUnsupportedConstraint, onError }: EnforcedPartsOptions,
): Slices<EnforcedParts> {
  const [enforced, typeOnly, relaxed]: [string[], string[], string[]] = [[], [], []]
  const free = new Set<string>()
  let nodes = 0
  let work = 0
  for (const part of parts) {
    const { param, isAsked } = part
    if (isPassed(part, capabilities)) continue
    const values = 'jsonSchema' in part.constraint ? yield* checkedSize(part) : 0
    const isLarge = values > MAX_VALUES || nodes > MAX_NODES
    const outcome = yield* outcomeOf(isLarge ? typeAlone(part) : part, capabilities, onError)
    const all = 'relaxed' in outcome ? outcome.relaxed : []
    const whole = 'refusal' in outcome ? outcome.refusal : undefined
    const reasons = isLarge ? [{ path: '', message: values > MAX_VALUES ? TOO_LARGE : TOO_MUCH }, ...all] : all
    const [first = whole] = reasons
    if (isAsked && onUnsupportedConstraint === 'refuse' && first !== undefined) throw refused(part, first)
    for (const reason of [...reasons, ...(whole === undefined ? [] : reportOf(whole, part, capabilities))]) {
      relaxed.push(`${param}${reason.path}: ${reason.message}`)
    }
    if ('nodes' in outcome) {
      nodes += outcome.nodes
      enforced.push(param)
      if (isLarge) typeOnly.push(param)
    } else if (!isAsked) free.add(param)
    work += 10 + values
    if (work < SLICE) continue
    work = 0
    yield
  }
  return { enforced, typeOnly, relaxed, free }
}

/** Whether the engine passes the schema to a server that claims to enforce it: what the model writes is only checked. */
function isPassed({ constraint, isAsked }: StrictPart, { passesSchemas }: EngineCapabilities): boolean {
  return passesSchemas === true && isAsked && 'jsonSchema' in constraint
}

/** Returns a part whose body only needs the type that its schema names: an object, if it names none. */
export function typeAlone(part: StrictPart): StrictPart {
  if (!('jsonSchema' in part.constraint)) return part
  const { type = 'object' } = part.constraint.jsonSchema
  return { ...part, constraint: { jsonSchema: { type } } }
}

/** Counts the values of a schema. @throws RequestError for an invalid one, with any engine */
function* checkedSize({ param, owner, constraint }: StrictPart): Slices<number> {
  const schema = (constraint as { readonly jsonSchema: unknown }).jsonSchema
  try {
    yield* checkSchema(schema)
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error
    throw invalidSchema(param, owner, error.path, error.message)
  }
  return yield* countValues(schema, MAX_VALUES)
}

type Outcome = Pick<FittedConstraint, 'relaxed' | 'nodes'> | { readonly refusal: UnsupportedConstraint | 'kind' }

/** Fits a part to the engine, which may support neither its kind nor its content. */
function* outcomeOf(
  { constraint }: StrictPart,
  capabilities: EngineCapabilities,
  onError: (error: unknown) => void,
): Slices<Outcome> {
  if (!capabilities.constraints?.includes(constraintKind(constraint))) return { refusal: 'kind' }
  try {
    if (capabilities.fit === undefined) return { relaxed: [], nodes: 0 }
    const fitted = yield* capabilities.fit(constraint)
    if (fitted.constraint !== undefined) return fitted
    return { refusal: fitted.relaxed[0] ?? { path: '', message: 'the engine enforces nothing of it' } }
  } catch (error) {
    // The schema is the client's, and the engine may be unable to read it.
    callSafely(onError, error)
    return { refusal: { path: '', message: 'the schema cannot be read' } }
  }
}

/**
 * Returns the report of a part of which nothing is enforced. An engine without any constraints is not reported, since its host
 * knows; of one that has some, nobody would learn that it ignores a custom tool's grammar.
 */
function reportOf(
  refusal: UnsupportedConstraint | 'kind',
  { constraint }: StrictPart,
  { constraints = [] }: EngineCapabilities,
): readonly UnsupportedConstraint[] {
  if (refusal !== 'kind') return [refusal]
  const message = `the engine does not support this kind of constraint: ${constraintKind(constraint)}`
  return constraints.length === 0 ? [] : [{ path: '', message }]
}

function refused({ param, owner, constraint }: StrictPart, refusal: UnsupportedConstraint | 'kind'): RequestError {
  if (refusal === 'kind') return unsupported(param, 'constrained output is')
  const { path, message } = refusal
  if ('jsonSchema' in constraint) return invalidSchema(param, owner, path, message)
  const text = `Invalid '${param}': ${message}`
  return new RequestError(text, { param, code: 'invalid_value' })
}

/** The number of values that are counted in one slice. */
const COUNTED_AT_ONCE = 10_000

/** Counts the values in a JSON value, including itself: `max` plus one if there are more. */
function* countValues(value: unknown, max: number): Slices<number> {
  const open: unknown[] = [value]
  let count = 0
  for (; open.length > 0 && count <= max; count++) {
    if (count % COUNTED_AT_ONCE === COUNTED_AT_ONCE - 1) yield
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    // Stops listing values at the limit.
    for (const name in next) {
      open.push((next as { readonly [name: string]: unknown })[name])
      if (open.length > max) return max + 1
    }
  }
  return count
}
