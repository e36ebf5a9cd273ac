import { EngineError } from '../../../engines/contract/index.js'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import { UsageError } from '../../io.js'

/** Returns the error of an engine that cannot be opened with an option, as wrong usage of it if the engine says why. */
export function engineUsageError(error: unknown, option: string): unknown {
  if (!(error instanceof HarmonyResponsesError || error instanceof EngineError)) return error
  return new UsageError(`${option}: ${error.message.replace(/^modelPath: /, '')}`, { cause: error })
}
