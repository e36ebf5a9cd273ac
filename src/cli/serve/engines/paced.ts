import type { TokenEngine, TokenStream } from '../../../engines/contract/index.js'
import { tokenStream } from '../../../engines/contract/token-stream.js'
import { sleep } from '../../../shared/system/sleep.js'

/**
 * Wraps an engine so that it waits before each of its tokens: a recording then takes as long as a model, long enough to
 * see a spinner, to cancel, and to resume.
 *
 * @param delayMs - before each token, in milliseconds
 */
export function paced(engine: TokenEngine, delayMs: number): TokenEngine {
  if (delayMs === 0) return engine
  return {
    ...engine,
    generate(prompt, options = {}): TokenStream {
      const tokens = engine.generate(prompt, options)
      return tokenStream(async function* (signal) {
        try {
          for (;;) {
            const step = await tokens.next()
            if (step.done) return step.value
            await sleep(delayMs, signal)
            yield step.value
          }
        } finally {
          await tokens.return()
        }
      }, options.signal)
    },
  }
}
