import type { EngineCapabilities } from '../../../engines/contract/constraint.js'
import { withPauses } from '../../../shared/slices.js'
import type { OpenEntry } from '../../journal/entry.js'
import { enforcedParts } from './enforced-parts.js'
import type { Enforced, Strictness } from './strictness.js'

export interface EnforcedNowOptions {
  /** What the engine in use reports of itself. */
  readonly capabilities: EngineCapabilities
  readonly open: OpenEntry
  readonly pause: () => Promise<void>
  readonly signal: AbortSignal
  readonly report: (error: unknown) => void
  /** Called with each part that this engine does not enforce, and why. */
  readonly onRelaxed: (subject: string) => void
}

/**
 * Returns what the engine in use enforces of the constraints of a response that another process opened. Its engine may
 * have been another one: a constraint of a kind that this one refuses would fail the response.
 */
export async function enforcedNow(
  { parts }: Strictness,
  { capabilities, open, pause, signal, report, onRelaxed }: EnforcedNowOptions,
): Promise<Enforced> {
  const { constrained = [] } = open
  const begun = parts.filter(({ param }) => constrained.includes(param))
  // The response is open, so nothing can be refused any more.
  const enforcing = enforcedParts(begun, capabilities, { onUnsupportedConstraint: 'relax', onError: report })
  const { enforced, relaxed } = await withPauses(enforcing, pause, signal)
  for (const subject of relaxed) onRelaxed(subject)
  return { kinds: capabilities.constraints ?? [], params: enforced }
}
