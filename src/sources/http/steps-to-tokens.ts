import type { HarmonyToken, HostUsage, StreamEnd, TokenChunk } from '../../tokens/token-source.js'
import { sleep } from '../sleep.js'
import { TransientError } from './failure-of.js'

/** What one event of an engine's stream says. */
export interface EngineStep {
  /** What was sampled since the step before; text where the engine keeps ids back. */
  readonly tokens: readonly HarmonyToken[] | string
  /** The engine says why it ends. */
  readonly end?: {
    readonly reason: 'stop' | 'max_output_tokens'
    /** The id that it stopped at, which may be missing in `tokens`. */
    readonly stopToken?: number | undefined
  }
  readonly usage?: HostUsage
}

/** How long a stream may stay open once it is known why it ends: its counts come last, and some servers never close. */
export const FINAL_COUNTS_MS = 2000

/**
 * The tokens of an engine's steps, as a `TokenStream` promises them: the stop token last, put back where the engine
 * swallows it, and nothing after it, also where the engine does not know all the ids to stop at.
 *
 * @throws EngineError `server_error` where the steps end and none said why, which another try may mend
 */
export async function* stepsToTokens(
  steps: AsyncIterable<EngineStep>,
  stop: readonly number[],
  maxTokens: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<TokenChunk, StreamEnd> {
  let left = maxTokens
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
      const tokens = isOver() ? [] : within(step.tokens, stop, left)
      if (tokens.length > 0) {
        if (typeof tokens !== 'string') left -= tokens.length
        last = typeof tokens === 'string' ? undefined : idOf(tokens.at(-1))
        yield tokens
      }
      const stopToken = step.end?.stopToken
      if (stopToken !== undefined && last !== stopToken && !isStop(last, stop)) {
        last = stopToken
        yield [stopToken]
      }
      if (isOver()) reason = isStop(last, stop) ? 'stop' : 'max_output_tokens'
      else reason = step.end?.reason ?? reason
      // It went on after a token that it should have stopped at: nobody waits for what it says of its end.
      if (tokens.length < step.tokens.length) return end()
    }
  } catch (error) {
    // What breaks off after the last token takes nothing away.
    if (reason === undefined) throw error
  } finally {
    patience.abort()
    // Not awaited: a generator that waits for its server hears of it only when the call is closed, which comes next.
    reader.return?.().catch(() => {})
  }
  if (reason === undefined) throw new TransientError('server_error', 'the stream ended without a finish reason')
  return end()
}

const DONE = { done: true, value: undefined } as const

function isStop(id: number | undefined, stop: readonly number[]): boolean {
  return id !== undefined && stop.includes(id)
}

function idOf(token: HarmonyToken | undefined): number | undefined {
  return typeof token === 'object' ? token.id : token
}

/** As many of a step's tokens as there is room for, and none behind a stop token. */
function within(tokens: EngineStep['tokens'], stop: readonly number[], left: number): EngineStep['tokens'] {
  if (typeof tokens === 'string') return tokens
  const at = tokens.findIndex((token) => stop.includes(idOf(token) ?? -1))
  return tokens.slice(0, Math.min(at < 0 ? tokens.length : at + 1, left))
}
