import type { Slices } from '../../../shared/slices.js'
import type { Grammar } from '../expression.js'
import { readGbnf } from './read-gbnf.js'
import { writeGbnf } from './write-gbnf.js'

/** The maximum length of a grammar: reading a longer one would take more time than rewriting it saves. */
const MAX_LENGTH = 200_000

/** Rewrites a grammar in GBNF. One that is too long, cannot be read, or does not change is returned as it is. */
export function* rewriteGbnf(gbnf: string, rewrite: (grammar: Grammar) => Grammar): Slices<string> {
  if (gbnf.length > MAX_LENGTH) return gbnf
  let grammar: Grammar
  try {
    grammar = yield* readGbnf(gbnf)
  } catch {
    // The backend refuses it.
    return gbnf
  }
  const written = yield* writeGbnf(rewrite(grammar))
  return written === (yield* writeGbnf(grammar)) ? gbnf : written
}
