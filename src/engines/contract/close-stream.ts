import type { TokenStream } from './engine.js'

/**
 * Closes a call of the model without waiting: an engine that is computing a token answers only after it, and one that hangs
 * never does. In a promise, since an engine of the host's may throw, where nobody could take the error.
 */
export function closeStream(stream: TokenStream, onError: (error: unknown) => void): void {
  new Promise((resolve) => resolve(stream.return())).catch(onError)
}
