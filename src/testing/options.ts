import type { ConstraintKind } from '../engine/constraint.js'
import { EngineError } from '../engine/engine-error.js'
import { check } from '../errors.js'
import type { TokenTable } from '../tokens/token-table.js'
import { SCRIPTED_CONSTRAINTS } from './constraints.js'

export interface ScriptedEngineOptions {
  /** Default: loaded with the first call. */
  readonly tokenTable?: TokenTable
  /** How many tokens each chunk has (at least 1), repeated as needed. Default `[1]`: each token is a chunk. */
  readonly chunkSizes?: readonly number[]
  /** How many tokens prompt and answer may have together. Default: any number. */
  readonly contextLength?: number
  /** The kinds of constraints that the engine can hold. Default: all but `lark`, which it has no reader for. */
  readonly constraints?: readonly ConstraintKind[]
  /** How many calls `calls` has, and how many begun turns may go on: the latest. Default: all, which suits a test. */
  readonly remembered?: number
  /** Why `health` fails. Default: it does not. */
  readonly illness?: EngineError
}

/** Checks the options, and fills in what is missing. */
export function checkOptions(options: ScriptedEngineOptions): ScriptedEngineOptions & {
  readonly chunkSizes: readonly number[]
  readonly contextLength: number
  readonly remembered: number
  readonly constraints: readonly ConstraintKind[]
} {
  check(typeof options === 'object' && options !== null, 'options', 'an object', options)
  const { chunkSizes = [1], contextLength = Number.POSITIVE_INFINITY, illness } = options
  const { constraints = SCRIPTED_CONSTRAINTS, remembered = Number.POSITIVE_INFINITY } = options
  const isCount = (n: unknown): boolean => Number.isSafeInteger(n) && (n as number) >= 1
  const isSizes = Array.isArray(chunkSizes) && chunkSizes.length > 0 && chunkSizes.every(isCount)
  check(isSizes, 'chunkSizes', 'whole numbers of at least 1', chunkSizes)
  const isLength = contextLength === Number.POSITIVE_INFINITY || isCount(contextLength)
  check(isLength, 'contextLength', 'a whole number of at least 1', contextLength)
  const isMemory = remembered === Number.POSITIVE_INFINITY || isCount(remembered)
  check(isMemory, 'remembered', 'a whole number of at least 1', remembered)
  check(illness === undefined || illness instanceof EngineError, 'illness', 'an EngineError', illness)
  const isKinds = Array.isArray(constraints) && constraints.every((kind) => SCRIPTED_CONSTRAINTS.includes(kind))
  check(isKinds, 'constraints', `a list of ${SCRIPTED_CONSTRAINTS.join(', ')}`, constraints)
  return { ...options, chunkSizes: [...chunkSizes], contextLength, remembered, constraints: [...constraints] }
}
