import { type Constraint, type ConstraintKind, constraintKind } from '../../../engines/contract/constraint.js'
import { type MatcherState, matcherOfGbnf, rangesOf, remaining } from '../../../engines/grammar/index.js'
import { gbnfInSlices } from '../../../engines/sources/gbnf.js'
import type { Slices } from '../../../shared/slices.js'

/** The number of UTF-16 code units of a body that are matched between two pauses. */
const SLICE = 2_000

/** The characters with which a number goes on after a digit. */
const IN_NUMBERS = rangesOf('.0123456789Ee')

/** The constraint of a body's rest. */
export interface RestConstraint {
  readonly constraint: Constraint
  /** Whether the body may end without another character. */
  readonly canEnd: boolean
}

/**
 * Returns the constraint of the rest of a body that another process began. Undefined if no grammar expresses it: the
 * rest is then unconstrained, and checked at the end like everything else.
 *
 * @param text - whole characters
 */
export function* constraintAfter(
  constraint: Constraint,
  text: string,
  kinds: readonly ConstraintKind[],
): Slices<RestConstraint | undefined> {
  // No JSON text is empty; a regular expression or a grammar of the client's may allow nothing.
  if (text === '') return { constraint, canEnd: !('jsonSchema' in constraint) }
  const state = yield* stateAfter(constraint, text, kinds)
  if (state === undefined) return undefined
  try {
    const rest = { grammar: yield* remaining(state), syntax: 'gbnf', isJson: 'jsonSchema' in constraint } as const
    return { constraint: rest, canEnd: state.isComplete }
  } catch {
    return undefined
  }
}

/**
 * Returns a body's state in the grammar of its constraint. Undefined if the engine takes no grammar, if ours cannot
 * enforce the constraint, or if the engine that began the body allowed what ours rejects.
 */
export function* stateAfter(
  constraint: Constraint,
  text: string,
  kinds: readonly ConstraintKind[],
): Slices<MatcherState | undefined> {
  // A Lark grammar cannot be converted to GBNF.
  if (!kinds.includes('gbnf') || constraintKind(constraint) === 'lark') return undefined
  try {
    let state: MatcherState | undefined = yield* matcherOfGbnf(yield* gbnfInSlices(constraint))
    const blanks = 'jsonSchema' in constraint ? new JsonBlanks() : undefined
    for (let at = 0; at < text.length && state !== undefined; ) {
      const end = at + SLICE
      // A slice never ends within a character.
      const next = isLowSurrogate(text.charCodeAt(end)) ? end + 1 : end
      const piece = text.slice(at, next)
      state = state.accept(blanks?.remove(piece) ?? piece)
      at = next
      yield
    }
    return blanks?.hasEndedNumber ? state?.without(IN_NUMBERS) : state
  } catch {
    return undefined
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

const BLANK = /[ \t\n\r]/

/**
 * Removes the blanks between the tokens of a JSON text, which comes in pieces. A backend may write more of them than our
 * grammars allow, and in other places.
 */
class JsonBlanks {
  #isInString = false
  #isEscaped = false
  /** Whether a number outside strings is the last thing before the blanks. */
  #isAfterDigit = false
  #hasBlank = false

  /** Returns a piece without its blanks. */
  remove(piece: string): string {
    let kept = ''
    let from = 0
    for (let at = 0; at < piece.length; at++) {
      const char = piece[at] as string
      const isBlank = !this.#isInString && BLANK.test(char)
      if (isBlank) {
        kept += piece.slice(from, at)
        from = at + 1
      } else this.#read(char)
      this.#hasBlank = isBlank
    }
    return kept + piece.slice(from)
  }

  /** Whether a blank ended the number before it, so that no digit may follow. */
  get hasEndedNumber(): boolean {
    return this.#hasBlank && this.#isAfterDigit
  }

  #read(char: string): void {
    this.#isAfterDigit = !this.#isInString && char >= '0' && char <= '9'
    if (this.#isEscaped) this.#isEscaped = false
    else if (char === '"') this.#isInString = !this.#isInString
    else if (char === '\\') this.#isEscaped = this.#isInString
  }
}
