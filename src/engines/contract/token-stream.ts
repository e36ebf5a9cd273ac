import type { StreamEnd, TokenChunk } from '../../core/tokens/token-source.js'
import { closable, createWaiter } from '../../shared/closable.js'
import { aFunction } from '../../shared/options/checks.js'
import type { TokenStream } from './engine.js'

/**
 * Wraps a generator that takes a signal as a stream of tokens. The signal aborts as soon as the consumer leaves or the
 * caller's own signal aborts. Without it, a generator would learn of that only after the engine's next token, which may
 * never come.
 *
 * @param run - starts the call, at the first `next()`. The generator has to end soon after its signal aborts.
 * @param signal - the caller's. When it aborts, the stream throws its reason once.
 *
 * @example
 * ```ts
 * import { type TokenEngine, tokenStream } from 'harmony-responses/engine'
 *
 * const engine: TokenEngine = {
 *   generate: (promptTokens, options) =>
 *     tokenStream(async function* (signal) {
 *       const response = await fetch(url, { method: 'POST', body: JSON.stringify([...promptTokens]), signal })
 *       yield (await response.json()) as number[]
 *       return { reason: 'stop' }
 *     }, options?.signal),
 *   health: async () => {},
 * }
 * ```
 */
export function tokenStream(
  run: (signal: AbortSignal) => AsyncGenerator<TokenChunk, StreamEnd | undefined>,
  signal?: AbortSignal,
): TokenStream {
  aFunction(run, 'tokenStream: run')
  const call = new AbortController()
  const waiter = createWaiter()
  let tokens: AsyncGenerator<TokenChunk, StreamEnd | undefined> | undefined
  let closed: 'aborted' | 'left' | undefined

  function close(why: 'aborted' | 'left'): void {
    if (closed !== undefined) return
    closed = why
    signal?.removeEventListener('abort', abort)
    // First, so that the pending wait ends before the generator can throw because of the abort.
    waiter.interrupt()
    call.abort(why === 'aborted' ? signal?.reason : undefined)
    // Not awaited: the generator cleans up only after its pending step, and its errors are no longer read.
    tokens?.return(undefined).catch(() => {})
  }
  const abort = (): void => close('aborted')

  async function* read(): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
    if (signal?.aborted) abort()
    else {
      signal?.addEventListener('abort', abort)
      tokens = run(call.signal)
    }
    try {
      while (tokens !== undefined && closed === undefined) {
        const step = await waiter.wait(tokens.next())
        if (step === undefined || closed !== undefined) break
        if (step.done) return step.value
        yield step.value
      }
      if (closed === 'aborted') throw signal?.reason
      return undefined
    } finally {
      close('left')
    }
  }

  return closable(read(), () => close('left'))
}
