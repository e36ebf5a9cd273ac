import type { StopEntry } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import type { StreamEnd } from '../tokens/token-source.js'

/** How a model call ended. What of a turn's prompt was in the cache, its first call says: the others begin in it. */
export function stopOf(fold: ResponseFold, end: StreamEnd | undefined): StopEntry {
  const { reason: said = 'stop', usage } = end ?? {}
  // A turn that has ended may be as long as the limit allows. Whoever goes on from that token has no other reason.
  const reason = fold.stage === 'stopped' ? 'stop' : said
  if (usage?.cachedTokens === undefined || fold.hasUsage) return { type: 'stop', reason }
  return { type: 'stop', reason, usage: { cachedTokens: Math.min(usage.cachedTokens, fold.turnInput) } }
}

/** Whether an engine refused a call because its context is full. */
export function isContextFull(error: unknown): boolean {
  const { name, code } = Object(error) as { readonly name?: unknown; readonly code?: unknown }
  return name === 'EngineError' && code === 'context_length_exceeded'
}
