import { check } from '../../../shared/errors.js'
/** One model call that a scripted backend plays, and how its reader behaves. */
export interface SourcePlan {
  /** The tokens that the model samples. The last one is the stop token if the call ends with `stop`. */
  readonly tokens: readonly number[]
  /**
   * The numbers of tokens (at least 1) that the backend sends at a time; repeated as needed. See {@link planPieces}.
   */
  readonly cuts: readonly number[]
  /**
   * The event after the tokens: the model stops, the token limit is reached, the backend fails, or nothing more comes.
   */
  readonly ending: 'stop' | 'length' | 'error' | 'hang'
  /**
   * Reads to the end, or calls `return()` (`leaves`) or aborts (`aborts`) after this many tokens. If the backend has
   * sent all its tokens and hangs, the reader leaves or aborts during a pending `next()`. A backend that hangs is never
   * read to its end.
   */
  readonly reader: { readonly does: 'reads on' } | { readonly does: 'leaves' | 'aborts'; readonly after: number }
}

/**
 * A plan's tokens in the pieces in which its backend sends them.
 *
 * @example
 * ```ts
 * import { planPieces } from 'harmony-responses/conformance'
 *
 * const plan = { tokens: [1, 2, 3], cuts: [2], ending: 'stop', reader: { does: 'reads on' } } as const
 * console.log(JSON.stringify(planPieces(plan))) // [[1,2],[3]]
 * ```
 */
export function planPieces(plan: SourcePlan): number[][] {
  const { tokens, cuts } = Object(plan) as SourcePlan
  check(Array.isArray(tokens) && Array.isArray(cuts), 'planPieces', 'a plan with tokens and cuts', plan)
  const pieces: number[][] = []
  for (let from = 0; from < tokens.length; ) {
    const size = Math.max(1, cuts[pieces.length % cuts.length] ?? tokens.length)
    pieces.push(tokens.slice(from, from + size))
    from += size
  }
  return pieces
}
