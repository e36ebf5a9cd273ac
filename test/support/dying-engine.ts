import type { TokenEngine } from '../../src/engines/contract/engine.js'
import { EngineError } from '../../src/engines/contract/engine-error.js'
import { tokenStream } from '../../src/engines/contract/token-stream.js'

/** How an engine's connection ends when its process dies. */
export const DEATH: EngineError = new EngineError('server_error', 'the connection was lost')

export interface DyingEngine extends TokenEngine {
  /** How many steps its calls have given. */
  readonly steps: number
  /** How often it has died. */
  readonly deaths: number
}

/**
 * The same engine, whose process dies, once each, when its calls have given so many steps in all.
 *
 * @param error - how the call ends
 */
export function dyingEngine(engine: TokenEngine, dies: readonly number[] = [], error: unknown = DEATH): DyingEngine {
  const left = [...dies]
  let steps = 0
  let deaths = 0
  return {
    ...engine,
    get steps() {
      return steps
    },
    get deaths() {
      return deaths
    },
    generate(prompt, options = {}) {
      return tokenStream(async function* (signal) {
        const stream = engine.generate(prompt, { ...options, signal })
        try {
          for (;;) {
            if (left[0] === steps) {
              left.shift()
              deaths += 1
              throw error
            }
            const step = await stream.next()
            if (step.done) return step.value
            steps += 1
            yield step.value
          }
        } finally {
          await stream.return()
        }
      }, options.signal)
    },
  }
}
