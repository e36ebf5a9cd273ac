import type { GenerateOptions } from '../../engine/engine.js'
import type { HarmonyToken, HostUsage, StreamEnd } from '../../tokens/token-source.js'
import { sleep } from '../sleep.js'
import { TransientError } from './failure-of.js'

/** The content of one event of an engine's stream. */
export interface EngineStep {
  /** Tokens sampled since the previous step. */
  readonly tokens: readonly HarmonyToken[]
  /** Why the engine stops. */
  readonly end?: {
    readonly reason: 'stop' | 'max_output_tokens'
    /** The id at which it stopped, which may be missing from `tokens`. */
    readonly stopToken?: number | undefined
  }
  readonly usage?: HostUsage
  /** Whether the step only shows that the engine is working, without a token yet. */
  readonly isAtWork?: boolean
}

/** The limits of a call, and the callback for its early counts. */
export interface TokenLimits {
  readonly stop: readonly number[]
  readonly maxTokens?: number | undefined
  readonly onUsage?: GenerateOptions['onUsage'] | undefined
}

/** How long to wait for counts after the finish reason. They come last, and some servers never close the stream. */
export const FINAL_COUNTS_MS = 2000

/**
 * Converts an engine's steps to a `TokenStream`'s tokens: the stop token last, added if the engine swallowed it, and
 * nothing after it, even if the engine does not support all stop ids.
 *
 * @throws EngineError `server_error` if the steps end without a finish reason; the call can be retried
 */
export async function* stepsToTokens(
  steps: AsyncIterable<EngineStep>,
  { stop, maxTokens = Number.POSITIVE_INFINITY, onUsage }: TokenLimits,
): AsyncGenerator<readonly HarmonyToken[], StreamEnd> {
  let left = maxTokens
  let isTold = onUsage === undefined
  let last: number | undefined
  let usage: HostUsage | undefined
  let reason: StreamEnd['reason']
  const end = (): StreamEnd => ({ ...(reason && { reason }), ...(usage && { usage }) })
  const isOver = (): boolean => left <= 0 || (last !== undefined && stop.includes(last))

  const reader = steps[Symbol.asyncIterator]()
  const patience = new AbortController()
  let outOfPatience: Promise<typeof DONE> | undefined
  try {
    for (;;) {
      const next = reader.next()
      if (reason !== undefined) outOfPatience ??= sleep(FINAL_COUNTS_MS, patience.signal).then(() => DONE)
      const { done, value: step } = await (outOfPatience === undefined ? next : Promise.race([next, outOfPatience]))
      if (done) break
      if (step.usage !== undefined) usage = { ...usage, ...step.usage }
      if (!isTold && usage?.cachedTokens !== undefined) {
        isTold = true
        onUsage?.(usage)
      }
      const tokens = isOver() ? [] : within(step.tokens, stop, left)
      if (step.isAtWork === true && !isOver()) yield []
      if (tokens.length > 0) {
        left -= tokens.length
        last = idOf(tokens.at(-1))
        yield tokens
      }
      const stopToken = step.end?.stopToken
      if (stopToken !== undefined && last !== stopToken && !isStop(last, stop)) {
        last = stopToken
        yield [stopToken]
      }
      if (isOver()) reason = isStop(last, stop) ? 'stop' : 'max_output_tokens'
      else reason = step.end?.reason ?? reason
      // The engine continued after a stop token, so do not wait for its finish reason.
      if (tokens.length < step.tokens.length) return end()
    }
  } catch (error) {
    // An error after the last token loses nothing.
    if (reason === undefined) throw error
  } finally {
    patience.abort()
    // Not awaited: a generator that is waiting for its server returns only once the call is closed, which happens next.
    reader.return?.().catch(() => {})
  }
  if (reason === undefined) throw new TransientError('server_error', 'the stream ended without a finish reason')
  return end()
}

const DONE = { done: true, value: undefined } as const

function isStop(id: number | undefined, stop: readonly number[]): boolean {
  return id !== undefined && stop.includes(id)
}

export function idOf(token: HarmonyToken | undefined): number | undefined {
  return typeof token === 'object' ? token.id : token
}

/** A step's tokens within the limit and up to the stop token. */
function within(tokens: EngineStep['tokens'], stop: readonly number[], left: number): EngineStep['tokens'] {
  const at = tokens.findIndex((token) => stop.includes(idOf(token) ?? -1))
  return tokens.slice(0, Math.min(at < 0 ? tokens.length : at + 1, left))
}
