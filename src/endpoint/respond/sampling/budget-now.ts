import type { EngineCapabilities } from '../../../engines/contract/constraint.js'
import type { TokenEngine } from '../../../engines/contract/engine.js'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import { withPauses } from '../../../shared/slices.js'
import type { OpenEntry } from '../../journal/entry.js'
import { isEnforced, nameConstraint } from '../demand/callees.js'
import type { ForcedCall } from '../demand/forced-call.js'
import { enforcedParts } from '../strict/enforced-parts.js'
import type { Enforced, Strictness } from '../strict/strictness.js'
import type { Budget } from './budget.js'
import { takesMessages } from './next-step.js'

export interface BudgetNowOptions extends Omit<EnforcedNowOptions, 'capabilities'> {
  readonly engine: TokenEngine
}

/**
 * Returns the budget of a response that another process opened, with what the engine in use can do. Its engine may have
 * been another one: a constraint of a kind that this one refuses would fail the response.
 *
 * @throws EngineError if the engine cannot report its capabilities. HarmonyResponsesError `bad_option` if it is of
 * another kind
 */
export async function budgetNow(budget: Budget, { engine, ...options }: BudgetNowOptions): Promise<Budget> {
  const { strict, forced } = budget
  const hasNames = forced?.names !== undefined
  const isConstrained = strict.isPaused || hasNames
  const capabilities = (await engine.capabilities?.({ signal: options.signal, constraints: isConstrained })) ?? {}
  // The tokens of one kind mean nothing to the other, and neither do its counts.
  if (takesMessages(capabilities) !== takesMessages(budget.capabilities)) {
    throw new HarmonyResponsesError('bad_option', 'engine: expected one of the kind that began the response')
  }
  // An engine that need not constrain anything need not find out by which means it could.
  if (!isConstrained) return budget
  strict.useEngine(await enforcedNow(strict, { ...options, capabilities }))
  const isNameEnforced = hasNames && isEnforced(nameConstraint(forced.names), capabilities)
  return { ...budget, capabilities, forced: hasNames && !isNameEnforced ? withFreeName(forced) : forced }
}

/** Lets the model choose any name: whether it called a demanded tool is checked at the end of its turn, as always. */
function withFreeName({ names: _, ...forced }: ForcedCall): ForcedCall {
  return forced
}

interface EnforcedNowOptions {
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
async function enforcedNow(
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
