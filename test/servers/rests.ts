import { constraintAfter } from '../../src/endpoint/respond/strict/constraint-after.js'
import type { Constraint } from '../../src/engines/contract/index.js'
import { atOnce } from '../../src/shared/slices.js'
import { decodeTokens, encodeText } from '../support/tokens.js'
import { STRICT_BODIES } from './strict-bodies.js'
import { STRICT_SCHEMAS } from './strict-schemas.js'

/** An interrupted body of a strict schema, and its allowed continuation. */
export interface Rest {
  readonly schema: string
  /** The existing part: whole characters. */
  readonly before: string
  /** The body's other tokens, as text. */
  readonly after: string
  readonly constraint: Constraint
  /** Whether the body may end here. */
  readonly canEnd: boolean
}

/** The rests of a body of each schema from each of its tokens on. Where a token ends in the middle of a character, none. */
export function everyRest(): readonly Rest[] {
  return Object.entries(STRICT_BODIES).flatMap(([schema, body]) => {
    const text = JSON.stringify(body)
    const tokens = encodeText(text)
    return tokens.slice(1).flatMap((_, at): Rest[] => {
      const before = wholeText(tokens.slice(0, at + 1))
      if (before === undefined) return []
      const rest = atOnce(constraintAfter({ jsonSchema: STRICT_SCHEMAS[schema] ?? {} }, before, ['gbnf']))
      if (rest === undefined) throw new Error(`${schema}: no grammar says what follows ${before}`)
      return [{ schema, before, after: text.slice(before.length), ...rest }]
    })
  })
}

/** The text of tokens; undefined if it ends in the middle of a character. */
function wholeText(tokens: readonly number[]): string | undefined {
  try {
    return decodeTokens(tokens)
  } catch {
    return undefined
  }
}
