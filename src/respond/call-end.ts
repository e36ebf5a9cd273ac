import { EngineError } from '../engine/engine-error.js'
import type { StopEntry } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import type { HarmonyToken, StreamEnd, TokenChunk } from '../tokens/token-source.js'

/** How a model call ended. What of a turn's prompt was in the cache, its first call says: the others begin in it. */
export function stopOf(fold: ResponseFold, end: StreamEnd | undefined): StopEntry {
  const { reason = 'stop', usage } = end ?? {}
  if (usage?.cachedTokens === undefined || fold.hasUsage) return { type: 'stop', reason }
  return { type: 'stop', reason, usage: { cachedTokens: Math.min(usage.cachedTokens, fold.turnInput) } }
}

/** Whether an engine refused a call because its context is full. */
export function isContextFull(error: unknown): boolean {
  const { name, code } = Object(error) as { readonly name?: unknown; readonly code?: unknown }
  return name === 'EngineError' && code === 'context_length_exceeded'
}

/** @throws EngineError if the engine gives text, which cannot be put back into its context */
export function tokensOf(chunk: TokenChunk): HarmonyToken[] {
  if (typeof chunk === 'number' || (typeof chunk === 'object' && 'id' in chunk)) return [chunk]
  if (Array.isArray(chunk) || chunk instanceof Uint32Array) return Array.from(chunk as readonly HarmonyToken[])
  throw new EngineError('server_error', 'respond: expected token ids from the engine, got text')
}
