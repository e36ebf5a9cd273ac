import type { EngineCapabilities } from '../engine/constraint.js'

/** The context as far as prompts reach: each prompt of a response has fewer tokens. Infinity if it is unknown. */
export function promptBound({
  contextLength = Number.POSITIVE_INFINITY,
  maxPromptLength = Number.POSITIVE_INFINITY,
}: EngineCapabilities): number {
  return Math.min(contextLength, maxPromptLength + 1)
}
