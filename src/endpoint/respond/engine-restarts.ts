import type { EngineCapabilities } from '../../engines/contract/constraint.js'
import type { EngineError } from '../../engines/contract/engine-error.js'
import type { ResponseFold } from '../journal/response-fold.js'
import { retryAfterOf } from './opening/unavailable.js'

/** The wait before an engine is asked again for the first time. It doubles with each. */
const FIRST_WAIT_MS = 500
/** The longest wait. An engine that asks for more is treated as failed. */
const MAX_WAIT_MS = 30_000

/** An engine that has failed, and is asked again. */
export interface EngineRestart {
  readonly error: unknown
  readonly waitMs: number
}

type Capabilities = Omit<EngineCapabilities, 'fit'>

/** Decides whether an engine that has failed in the middle of a response is asked again, for the rest. */
export class EngineRestarts {
  readonly #fold: ResponseFold
  readonly #capabilities: () => Capabilities
  readonly #most: number
  #count = 0
  #next: EngineRestart | undefined
  #hasSampled = false

  /** @param most - how often it is asked again */
  constructor(fold: ResponseFold, capabilities: () => Capabilities, most = 2) {
    this.#fold = fold
    this.#capabilities = capabilities
    this.#most = most
  }

  /** The restart that is about to begin. */
  get next(): EngineRestart | undefined {
    return this.#next
  }

  /** Takes a failure. Returns whether the engine is asked again. A property, as all that is passed on alone. */
  readonly take = (error: unknown): boolean => {
    const waitMs = Math.max(Math.min(FIRST_WAIT_MS * 2 ** this.#count, MAX_WAIT_MS), retryAfterOf(error) ?? 0)
    const isAllowed = this.#count < this.#most && waitMs <= MAX_WAIT_MS
    if (!isAllowed || !isPassing(error) || !this.#isBegun) return false
    if (!canContinue(this.#fold, this.#capabilities())) return false
    this.#count += 1
    this.#next = { error, waitMs }
    return true
  }

  /** The model has sampled a token, even if it is not shown. */
  readonly noteSampled = (): void => {
    this.#hasSampled = true
  }

  /** Whether something would be lost. Otherwise the client should learn at once that it has to try again. */
  get #isBegun(): boolean {
    return this.#hasSampled || this.#fold.sampled > 0 || this.#fold.started > 0
  }

  /** Removes and returns the restart that begins now. */
  begin(): EngineRestart | undefined {
    const next = this.#next
    this.#next = undefined
    return next
  }
}

/**
 * Whether an error says nothing about the request. An engine without room says so with the status of its server;
 * without one, there is no room here.
 */
function isPassing(error: unknown): boolean {
  const { name, code, status } = Object(error) as Partial<EngineError>
  return name === 'EngineError' && (code === 'server_error' || (code === 'rate_limit_exceeded' && status !== undefined))
}

/** Whether the engine can continue the turn where it stopped. */
function canContinue(fold: ResponseFold, { continues, spellsMarkers }: Capabilities): boolean {
  if (fold.stage !== 'sampling' || fold.turnTokens.length === 0) return true
  const where = continues ?? (spellsMarkers ? 'turn' : 'anywhere')
  if (where === 'anywhere' || where === 'turn') return where === 'anywhere'
  if (fold.isBetweenMessages) return true
  const { mode, message } = fold.parserState
  const { role, recipient, channel } = message.header
  if (mode !== 'content' || role !== 'assistant' || recipient !== undefined) return false
  return channel === 'analysis' || where === 'answer'
}
