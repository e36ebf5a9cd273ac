import { FIRST_SPECIAL } from '../../../core/harmony/vocabulary.js'
import type { ResponseFold } from '../../journal/response-fold.js'
import type { ForcedCall } from '../demand/forced-call.js'
import { isDemanded } from '../demand/unmet-demand.js'

/** The model's progress in choosing a name. */
export interface ChosenName {
  readonly written: string
  /** The possible continuations; an empty text if the name may end here. */
  readonly left: readonly string[]
}

/** Which of the host's writes is the header after which the model chooses: the first begins the reasoning. */
const HEADER = 2

/**
 * Returns the name that the model is choosing, if it is constrained. Undefined if it writes none, or chooses freely.
 */
export function chosenName(fold: ResponseFold, { names, textOf }: ForcedCall): ChosenName | undefined {
  if (names === undefined || !isDemanded(fold) || fold.hostWrites !== HEADER) return undefined
  const tokens = fold.sinceHost
  if (tokens.some((id) => id >= FIRST_SPECIAL)) return undefined
  const prefix = textOf(tokens)
  const continuations = names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
  return continuations.length === 0 ? undefined : { written: prefix, left: continuations }
}
