import type { TokenTable } from '../core/tokens/token-table.js'
import type { ConstraintKind } from '../engines/contract/constraint.js'
import { EngineError } from '../engines/contract/engine-error.js'
import { checkOptions, type OptionTable } from '../shared/options/check-options.js'
import { aTokenTable, listOf, oneOf, that } from '../shared/options/checks.js'
import { SCRIPTED_CONSTRAINTS } from './constraints.js'

/** Options of `scriptedEngine`. */
export interface ScriptedEngineOptions {
  /** Default: loaded with the first call. */
  readonly tokenTable?: TokenTable
  /** The sizes of chunks in tokens (at least 1), repeated as needed. Default `[1]`: each token is a chunk. */
  readonly chunkSizes?: readonly number[]
  /** The limit of prompt and answer tokens together. Default: none. */
  readonly contextLength?: number
  /** The kinds of constraints that the engine can enforce. Default: all except `lark`, for which it has no reader. */
  readonly constraints?: readonly ConstraintKind[]
  /**
   * How many calls `calls` retains, and how many begun turns can be continued: the latest. Default: all, which suits a
   * test.
   */
  readonly remembered?: number
  /** The error of `health`. Default: none. */
  readonly healthError?: EngineError
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1
const anyCount = that((value) => value === Number.POSITIVE_INFINITY || isCount(value), 'a whole number of at least 1')

const SCRIPTED_ENGINE_OPTIONS: OptionTable<ScriptedEngineOptions> = {
  tokenTable: aTokenTable,
  chunkSizes: that(
    (value) => Array.isArray(value) && value.length > 0 && value.every(isCount),
    'whole numbers of at least 1',
  ),
  contextLength: anyCount,
  constraints: listOf(oneOf(...SCRIPTED_CONSTRAINTS), `a list of ${SCRIPTED_CONSTRAINTS.join(', ')}`),
  remembered: anyCount,
  healthError: that((value) => value instanceof EngineError, 'an EngineError'),
}

/** Checks the options, and fills in defaults. */
export function resolvedOptions(options: ScriptedEngineOptions): ScriptedEngineOptions & {
  readonly chunkSizes: readonly number[]
  readonly contextLength: number
  readonly remembered: number
  readonly constraints: readonly ConstraintKind[]
} {
  checkOptions('scriptedEngine', options, SCRIPTED_ENGINE_OPTIONS)
  const { chunkSizes = [1], contextLength = Number.POSITIVE_INFINITY } = options
  const { constraints = SCRIPTED_CONSTRAINTS, remembered = Number.POSITIVE_INFINITY } = options
  return { ...options, chunkSizes: [...chunkSizes], contextLength, remembered, constraints: [...constraints] }
}
