import type { StreamEnd, TokenChunk } from '../../core/tokens/token-source.js'
import type { TokenStream } from './engine.js'

/** One step of an engine: tokens, or how the call ended. */
export type EngineStep = IteratorResult<TokenChunk, StreamEnd | undefined>

/** The key of {@link CallbackStream}'s method. A symbol, so that no stream of the host has it by accident. */
export const ASK: unique symbol = Symbol('ask')

/**
 * A wrapper of another stream that can answer by callbacks: a layer with `next()` alone adds its own promises to every
 * token.
 */
export interface CallbackStream extends TokenStream {
  /** Requests the next step, like `next()`. Calls exactly one of the two callbacks, which must not throw. */
  [ASK](answered: (step: EngineStep) => void, refused: (error: unknown) => void): void
}

/**
 * Requests the next step of a stream, by callbacks where it supports them. Throws whatever its `next()` throws
 * synchronously.
 */
export function ask(
  stream: TokenStream | CallbackStream,
  answered: (step: EngineStep) => void,
  refused: (error: unknown) => void,
): void {
  if (ASK in stream) stream[ASK](answered, refused)
  else stream.next().then(answered, refused)
}
