import type { StreamEnd, TokenChunk } from '../tokens/token-source.js'
import type { TokenStream } from './engine.js'

/** What one step of an engine gives: tokens, or how the call ended. */
export type EngineStep = IteratorResult<TokenChunk, StreamEnd | undefined>

/** The key of {@link CallbackStream}'s method. A symbol, so that no stream of a host's has it by chance. */
export const ASK: unique symbol = Symbol('ask')

/**
 * A stream that wraps another one, and can answer by callbacks: each layer that answers by `next()` alone adds its own
 * promises to every token.
 */
export interface CallbackStream extends TokenStream {
  /** As `next()`, answered by exactly one of the two, which must not throw. */
  [ASK](answered: (step: EngineStep) => void, refused: (error: unknown) => void): void
}

/** Asks a stream for its next step, by callbacks where it has them. Throws what its `next()` throws at once. */
export function ask(
  stream: TokenStream | CallbackStream,
  answered: (step: EngineStep) => void,
  refused: (error: unknown) => void,
): void {
  if (ASK in stream) stream[ASK](answered, refused)
  else stream.next().then(answered, refused)
}
