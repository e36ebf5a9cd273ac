import type { StreamEnd, TokenChunk } from '../tokens/token-source.js'
import type { TokenStream } from './engine.js'

/**
 * A stream of tokens from a generator that is given a signal. The signal aborts as soon as nobody wants more: the
 * consumer leaves, or the caller's own signal aborts. A generator alone would hear of either only after the engine's
 * next token, which may never come.
 *
 * @param run - the call; begun with the first `next()`. It has to end soon after its signal aborts.
 * @param signal - the caller's; when it aborts, the stream throws its reason, once
 */
export function tokenStream(
  run: (signal: AbortSignal) => AsyncGenerator<TokenChunk, StreamEnd | undefined>,
  signal?: AbortSignal,
): TokenStream {
  const call = new AbortController()
  let tokens: AsyncGenerator<TokenChunk, StreamEnd | undefined> | undefined
  let isOver = false
  /** The `next()` under way. */
  let waiting: { resolve(step: Step): void; reject(error: unknown): void; answered: Promise<unknown> } | undefined
  /** The caller aborted while no `next()` was under way: the next one throws. */
  let owesReason = false

  function close(reason?: unknown): void {
    if (isOver) return
    isOver = true
    signal?.removeEventListener('abort', abort)
    call.abort(reason)
    // The generator's own clean-up, which waits for its step under way. Nobody listens to what comes of it any more.
    tokens?.return(undefined).catch(() => {})
  }

  function abort(): void {
    close(signal?.reason)
    if (waiting === undefined) owesReason = true
    else waiting.reject(signal?.reason)
  }

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      // One after the other, as a generator's are.
      while (waiting !== undefined) await waiting.answered
      if (tokens === undefined && !isOver) {
        if (signal?.aborted) abort()
        else {
          signal?.addEventListener('abort', abort)
          tokens = run(call.signal)
        }
      }
      if (owesReason) {
        owesReason = false
        throw signal?.reason
      }
      if (isOver || tokens === undefined) return OVER
      const step = tokens.next()
      let resolve: (step: Step) => void = () => {}
      let reject: (error: unknown) => void = () => {}
      const answer = new Promise<Step>((...settle) => {
        ;[resolve, reject] = settle
      })
      waiting = { resolve, reject, answered: answer.catch(() => {}) }
      step.then((one) => {
        if (one.done) close()
        resolve(one)
      }, reject)
      try {
        return await answer
      } catch (error) {
        close(error)
        throw error
      } finally {
        waiting = undefined
      }
    },
    async return() {
      close()
      waiting?.resolve(OVER)
      return OVER
    },
  }
}

type Step = IteratorResult<TokenChunk, StreamEnd | undefined>

const OVER = { done: true, value: undefined } as const
