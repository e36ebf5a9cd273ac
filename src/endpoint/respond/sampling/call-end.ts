import type { HostUsage, StreamEnd } from '../../../core/tokens/token-source.js'
import type { CallUsage, StopEntry } from '../../journal/entry.js'
import type { ResponseFold } from '../../journal/response-fold.js'

/**
 * Returns how a model call ended.
 *
 * @param given - the number of tokens that the engine returned in it
 */
export function stopOf(
  fold: ResponseFold,
  { reason: streamReason = 'stop', usage: counted }: StreamEnd,
  given: number,
): StopEntry {
  // An ended turn may be exactly as long as the limit. A process that resumes after that token knows no other reason.
  const reason = fold.stage === 'stopped' ? 'stop' : streamReason
  const usage = fold.takesMessages ? serverUsage(fold, counted, given) : usageOf(fold, counted, given)
  return { type: 'stop', reason, ...(Object.keys(usage).length > 0 && { usage }) }
}

/** Never counts fewer sampled than read tokens, even if the engine reports fewer. */
function usageOf(fold: ResponseFold, counted: HostUsage | undefined, given: number): CallUsage {
  const { cachedTokens, outputTokens = 0 } = counted ?? {}
  return {
    ...(cachedTokens !== undefined && !fold.hasCached && { cachedTokens: Math.min(cachedTokens, fold.turnInput) }),
    ...(outputTokens > given && { unreadTokens: outputTokens - given }),
  }
}

/** The counts of a server that renders its own prompt: in its tokens, of which it may have sampled fewer than were read. */
function serverUsage(fold: ResponseFold, counted: HostUsage = {}, given: number): CallUsage {
  const { inputTokens = fold.turnInput, cachedTokens, outputTokens = given, reasoningTokens } = counted
  return {
    inputTokens,
    ...(cachedTokens !== undefined && { cachedTokens: Math.min(cachedTokens, inputTokens) }),
    ...(outputTokens !== given && { unreadTokens: outputTokens - given }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  }
}

/** Whether an engine refused a call because its context is full. */
export function isContextFull(error: unknown): boolean {
  const { name, code } = Object(error) as { readonly name?: unknown; readonly code?: unknown }
  return name === 'EngineError' && code === 'context_length_exceeded'
}
