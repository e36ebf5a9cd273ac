import { constraintKind, type EngineCapabilities, type UnsupportedConstraint } from '../engine/constraint.js'
import { invalidSchema, RequestError, unsupported } from '../request-error.js'
import { callHost } from '../translate/call-host.js'
import type { StrictPart } from './strict-parts.js'

export interface HeldPartsOptions {
  /** What becomes of a part that the request asks for and the engine cannot hold. */
  readonly unconstrained: 'validate' | 'refuse'
  readonly onError: (error: unknown) => void
}

export interface HeldParts {
  /** The parameters of the parts that the engine holds. */
  readonly held: readonly string[]
  /** Those that the request does not ask for, and why the engine does not hold them. */
  readonly relaxed: ReadonlyMap<string, UnsupportedConstraint>
}

/**
 * What the engine holds of the parts.
 *
 * @throws RequestError if it does not hold all that the request asks for, and a request is refused then
 */
export function heldParts(
  parts: readonly StrictPart[],
  capabilities: EngineCapabilities,
  { unconstrained, onError }: HeldPartsOptions,
): HeldParts {
  const held: string[] = []
  const relaxed = new Map<string, UnsupportedConstraint>()
  for (const part of parts) {
    const refusal = refusalOf(part, capabilities, onError)
    if (refusal === undefined) held.push(part.param)
    else if (!part.isAsked) {
      // That an engine has no constraints at all, its host knows.
      if (refusal !== 'kind') relaxed.set(part.param, refusal)
    } else if (unconstrained === 'refuse') throw refused(part, refusal)
  }
  return { held, relaxed }
}

/** Why the engine does not hold a part: it does not know the kind, or not what is in there. */
function refusalOf(
  { constraint }: StrictPart,
  { constraints = [], refuses }: EngineCapabilities,
  onError: (error: unknown) => void,
): UnsupportedConstraint | 'kind' | undefined {
  if (!constraints.includes(constraintKind(constraint))) return 'kind'
  try {
    return refuses?.(constraint)
  } catch (error) {
    // The schema is the client's, and may be more than the engine's reading of it can take.
    callHost(onError, error)
    return { path: '', message: 'the schema cannot be read' }
  }
}

function refused({ param, owner, constraint }: StrictPart, refusal: UnsupportedConstraint | 'kind'): RequestError {
  if (refusal === 'kind') return unsupported(param, 'constrained output is')
  const { path, message } = refusal
  if ('jsonSchema' in constraint) return invalidSchema(param, owner, path, message)
  const text = `Invalid '${param}': ${message}`
  return new RequestError(text, { param, code: 'invalid_value' })
}
