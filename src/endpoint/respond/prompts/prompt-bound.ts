import type { EngineCapabilities } from '../../../engines/contract/constraint.js'

/** Returns the engine's bound of prompts: each prompt of a response has fewer tokens. Infinity if it is unknown. */
export function promptBound({
  contextLength = Number.POSITIVE_INFINITY,
  maxPromptLength = Number.POSITIVE_INFINITY,
}: EngineCapabilities): number {
  return Math.min(contextLength, maxPromptLength + 1)
}
