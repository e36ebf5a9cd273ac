import type { TokenTable } from '../tokens/token-table.js'
import { restOfTurn } from './rest-of-turn.js'
import type { WrittenTurn } from './write-turn.js'

/** A turn that was asked for. */
export interface BegunTurn extends WrittenTurn {
  readonly number: number
  /** The prompt up to where the turn begins. */
  readonly base: Uint32Array
  /** What else came of it: under a constraint, a turn goes on otherwise from a prompt on. The last one first. */
  readonly sampled: Pick<BegunTurn, 'base' | 'tokens'>[]
  isOver: boolean
}

/** What is left of a turn that was cut short, if this prompt goes on with it. */
export function unplayed(turn: BegunTurn, prompt: Uint32Array, tokenTable: TokenTable): readonly number[] | undefined {
  for (const { base, tokens } of [...turn.sampled, turn]) {
    // The same prompt again asks for another turn.
    if (prompt.length <= base.length || commonLength(base, prompt) < base.length) continue
    const rest = restOfTurn(tokens, prompt.subarray(base.length), tokenTable)
    if (rest !== undefined && (rest.length > 0 || turn.ending !== undefined)) return rest
  }
  return undefined
}

/** How many tokens both begin with. */
export function commonLength(one: Uint32Array, other: Uint32Array): number {
  const most = Math.min(one.length, other.length)
  for (let at = 0; at < most; at++) if (one[at] !== other[at]) return at
  return most
}
