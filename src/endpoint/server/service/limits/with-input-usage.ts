import type { HostUsage } from '../../../../core/tokens/token-source.js'
import type { TokenEngine } from '../../../../engines/contract/index.js'

/** Wraps the engine of one response so that it reports the input of its first call before the answer. */
export function withInputUsage(engine: TokenEngine, onInput: (usage: HostUsage) => void): TokenEngine {
  const { capabilities } = engine
  let isFirst = true
  return {
    generate(prompt, options = {}) {
      if (!isFirst) return engine.generate(prompt, options)
      isFirst = false
      onInput({ inputTokens: prompt.length })
      return engine.generate(prompt, {
        ...options,
        onUsage(usage) {
          onInput({ inputTokens: prompt.length, ...usage })
          options.onUsage?.(usage)
        },
      })
    },
    health: (options) => engine.health(options),
    ...(capabilities && { capabilities: (options) => capabilities.call(engine, options) }),
  }
}
