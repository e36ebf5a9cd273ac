import { TERMINATORS } from '../../../core/harmony/stop-tokens.js'
import { ROLES, SPECIAL } from '../../../core/harmony/vocabulary.js'
import { createDetokenizer } from '../../../core/tokens/detokenizer.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { EarlierResult } from '../../tools/tool.js'

/** The maximum number of tokens of a name. */
const MAX_NAME = 64

/**
 * Returns the results in a context, in its order. Only these are decoded: a context of 100,000 tokens has few. The host
 * writes them, so that they are well formed.
 */
export function earlierResults(context: ArrayLike<number>, tokenTable: TokenTable): readonly EarlierResult[] {
  const results: EarlierResult[] = []
  const decoded = (from: number, end: number): string => {
    const text = createDetokenizer(tokenTable)
    const parts: string[] = []
    for (let at = from; at < end; at++) parts.push(text.push(context[at] as number))
    return parts.join('') + text.flush()
  }
  for (let at = 0; at < context.length; at++) {
    if (context[at] !== SPECIAL.start) continue
    const name = endOf(context, at + 1, [SPECIAL.channel, SPECIAL.message], MAX_NAME)
    const [tool = ''] = name === undefined ? [] : decoded(at + 1, name).split(' ', 1)
    if (tool === '' || name === undefined || (ROLES as readonly string[]).includes(tool)) continue
    const body = endOf(context, name, [SPECIAL.message, SPECIAL.start], MAX_NAME)
    if (body === undefined || context[body] !== SPECIAL.message) continue
    const end = endOf(context, body + 1, [...TERMINATORS, SPECIAL.start], context.length) ?? context.length
    results.push({ tool, text: decoded(body + 1, end) })
    at = end - 1
  }
  return results
}

/** Returns the index of the first of these ids; undefined if the next ones have none of them. */
function endOf(context: ArrayLike<number>, from: number, ids: readonly number[], most: number): number | undefined {
  const until = Math.min(context.length, from + most)
  for (let at = from; at < until; at++) if (ids.includes(context[at] as number)) return at
  return undefined
}
