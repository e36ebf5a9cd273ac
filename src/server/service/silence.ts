import { type EngineCapabilities, EngineError, type TokenEngine, type TokenStream } from '../../engine/index.js'
import type { Deadlines } from './deadlines.js'

/** How long an engine may be silent while it is asked for a token, in seconds. */
export interface SilenceLimits {
  /** Before the first token of a model call: in the engine's queue, and while it reads the prompt. Default 600. */
  readonly firstTokenSeconds?: number
  /** Between two tokens, and until the engine says what it can do. Default 60. */
  readonly tokenSeconds?: number
}

/**
 * Ends the calls of engines that are silent for too long: a hung engine would keep its places for ever. A step without
 * tokens says that the engine is at work, and begins the wait anew. Only the time counts in which a token is awaited.
 *
 * @returns the engine with these limits: a call that exceeds them is closed, and throws an `EngineError`
 */
export function createSilenceLimit(
  { firstTokenSeconds = 600, tokenSeconds = 60 }: SilenceLimits,
  deadlines: Deadlines,
): (engine: TokenEngine) => TokenEngine {
  function limited(stream: TokenStream): TokenStream {
    let hasBegun = false
    const bounded: TokenStream = {
      async next() {
        const seconds = hasBegun ? tokenSeconds : firstTokenSeconds
        const step = await deadlines.within(seconds, stream.next(), () => {
          // Not awaited: an engine that hangs does not answer this either.
          stream.return().catch(() => {})
          return new EngineError('server_error', `the engine gave no token for ${seconds} seconds`)
        })
        hasBegun ||= !step.done && !isEmpty(step.value)
        return step
      },
      return: () => stream.return(),
      [Symbol.asyncIterator]: () => bounded,
    }
    return bounded
  }

  return (engine) => {
    const { capabilities } = engine
    return {
      generate: (prompt, options) => limited(engine.generate(prompt, options)),
      health: (options) => engine.health(options),
      ...(capabilities && {
        capabilities: (options): Promise<EngineCapabilities> =>
          deadlines.within(
            tokenSeconds,
            capabilities.call(engine, options),
            () => new EngineError('server_error', `the engine did not say for ${tokenSeconds} seconds what it can do`),
          ),
      }),
    }
  }
}

function isEmpty(chunk: unknown): boolean {
  return Object(chunk).length === 0
}
