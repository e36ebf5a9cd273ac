import type { CallUsage, StopEntry } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import type { HostUsage, StreamEnd } from '../tokens/token-source.js'

/**
 * How a model call ended.
 *
 * @param given - how many tokens the engine gave in it
 */
export function stopOf(
  fold: ResponseFold,
  { reason: said = 'stop', usage: counted }: StreamEnd,
  given: number,
): StopEntry {
  // A turn that has ended may be as long as the limit allows. A process that goes on from that token knows no other reason.
  const reason = fold.stage === 'stopped' ? 'stop' : said
  const usage = usageOf(fold, counted, given)
  return { type: 'stop', reason, ...(Object.keys(usage).length > 0 && { usage }) }
}

/** What was read is never more than what was sampled, whatever the engine counts. */
function usageOf(fold: ResponseFold, counted: HostUsage | undefined, given: number): CallUsage {
  const { cachedTokens, outputTokens = 0 } = counted ?? {}
  return {
    ...(cachedTokens !== undefined && !fold.hasCached && { cachedTokens: Math.min(cachedTokens, fold.turnInput) }),
    ...(outputTokens > given && { unreadTokens: outputTokens - given }),
  }
}

/** Whether an engine refused a call because its context is full. */
export function isContextFull(error: unknown): boolean {
  const { name, code } = Object(error) as { readonly name?: unknown; readonly code?: unknown }
  return name === 'EngineError' && code === 'context_length_exceeded'
}
