import type { TokenEngine } from '../../../engine/index.js'
import { scriptedEngine } from '../../../testing/index.js'
import type { TokenTable } from '../../../tokens/token-table.js'
import type { Playable } from './playable.js'
import { playedTurn } from './played-turn.js'
import { scriptedTurn } from './scripted-model.js'

/** An engine without a model: it says what a recording of this prompt says, or else what a script does. */
export function createReplayEngine(playables: readonly Playable[], tokenTable: TokenTable): TokenEngine {
  const capable = scriptedEngine([], { tokenTable })
  return {
    generate(prompt, options) {
      // One for each call, which remembers nothing: the prompt says where in a recording it stands.
      const engine = scriptedEngine(
        async (asked) => (await playedTurn(playables, asked, tokenTable)) ?? [...scriptedTurn(asked)],
        { tokenTable },
      )
      return engine.generate(prompt, options)
    },
    async health() {},
    capabilities: async (options) => (await capable.capabilities?.(options)) ?? {},
  }
}
