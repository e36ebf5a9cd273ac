import { closable, createWaiter } from '../closable.js'
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
  const waiter = createWaiter()
  let tokens: AsyncGenerator<TokenChunk, StreamEnd | undefined> | undefined
  let closed: 'aborted' | 'left' | undefined

  function close(why: 'aborted' | 'left'): void {
    if (closed !== undefined) return
    closed = why
    signal?.removeEventListener('abort', abort)
    // First, so that the wait under way ends before the generator can throw at the abort.
    waiter.interrupt()
    call.abort(why === 'aborted' ? signal?.reason : undefined)
    // Not awaited: the generator's clean-up comes only after its step under way. Nobody reads its errors any more.
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
