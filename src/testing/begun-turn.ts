import type { TokenTable } from '../core/tokens/token-table.js'
import { restOfTurn } from './rest-of-turn.js'
import type { WrittenTurn } from './write-turn.js'

/** A turn that was requested. */
export interface BegunTurn extends WrittenTurn {
  readonly number: number
  /** The prompt up to where the turn begins. */
  readonly base: Uint32Array
  /** Its other samplings: under a constraint, a turn continues differently from some prompt on. The latest first. */
  readonly sampled: Pick<BegunTurn, 'base' | 'tokens'>[]
  isOver: boolean
}

/** Returns the rest of an interrupted turn, if this prompt continues it. */
export function unplayed(turn: BegunTurn, prompt: Uint32Array, tokenTable: TokenTable): readonly number[] | undefined {
  for (const { base, tokens } of [...turn.sampled, turn]) {
    // The same prompt again requests another turn.
    if (prompt.length <= base.length || commonLength(base, prompt) < base.length) continue
    const rest = restOfTurn(tokens, prompt.subarray(base.length), tokenTable)
    if (rest !== undefined && (rest.length > 0 || turn.ending !== undefined)) return rest
  }
  return undefined
}

/** Returns the length of the common beginning, in tokens. */
export function commonLength(one: Uint32Array, other: Uint32Array): number {
  const most = Math.min(one.length, other.length)
  for (let at = 0; at < most; at++) if (one[at] !== other[at]) return at
  return most
}
