import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { TokenEngine } from '../../../engines/contract/index.js'
import { scriptedEngine } from '../../../testing/index.js'
import type { Playable } from './playable.js'
import { playedTurn } from './played-turn.js'
import { scriptedTurn } from './scripted-model.js'

/** Creates an engine without a model: it plays a recording of the prompt, or else a script. */
export function createReplayEngine(playables: readonly Playable[], tokenTable: TokenTable): TokenEngine {
  const capable = scriptedEngine([], { tokenTable })
  return {
    generate(prompt, options) {
      // Created for each call, without a memory: the prompt determines the place in a recording.
      const engine = scriptedEngine(
        async (scriptPrompt) =>
          (await playedTurn(playables, scriptPrompt, tokenTable)) ?? [...scriptedTurn(scriptPrompt)],
        { tokenTable },
      )
      return engine.generate(prompt, options)
    },
    async health() {},
    capabilities: async (options) => (await capable.capabilities?.(options)) ?? {},
  }
}
