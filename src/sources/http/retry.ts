import { TransientError } from './failure-of.js'
import type { HttpClient } from './http-client.js'

const FIRST_WAIT_MS = 500
/** The longest wait. A server that asks for more is treated as refusing. */
const LONGEST_WAIT_MS = 60_000

/**
 * Retries a stream that fails with a TransientError before its first value. After that it cannot be retried, because
 * the reader already has that value. An empty value, which only shows that the engine is working, does not count.
 */
export async function* withRetries<T, R>(
  attempt: () => AsyncGenerator<T, R>,
  { retries, delay }: Pick<HttpClient, 'retries' | 'delay'>,
  signal: AbortSignal,
): AsyncGenerator<T, R> {
  for (let tried = 0; ; tried++) {
    const stream = attempt()
    let first: IteratorResult<T, R>
    let isLeft = true
    try {
      first = await stream.next()
      while (!first.done && isEmpty(first.value)) {
        yield first.value
        first = await stream.next()
      }
      isLeft = false
    } catch (error) {
      isLeft = false
      if (!(error instanceof TransientError) || tried >= Math.min(retries, error.retries ?? retries)) throw error
      const wait = error.retryAfterMs ?? Math.min(FIRST_WAIT_MS * 2 ** tried, LONGEST_WAIT_MS)
      if (wait > LONGEST_WAIT_MS) throw error
      await delay(wait, signal)
      signal.throwIfAborted()
      continue
    } finally {
      // The type asks for a return value that nothing reads.
      if (isLeft) await stream.return(undefined as never)
    }
    if (first.done) return first.value
    try {
      yield first.value
      return yield* stream
    } finally {
      // The type asks for a return value that nothing reads.
      await stream.return(undefined as never)
    }
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
