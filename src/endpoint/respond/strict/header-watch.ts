import { MESSAGE_BORDERS, STOP_TOKENS } from '../../../core/harmony/stop-tokens.js'
import { FIRST_SPECIAL, SPECIAL } from '../../../core/harmony/vocabulary.js'
import { lastBorder } from '../open-message.js'
import type { Strictness } from './strictness.js'

/** In tokens: more than the parser accepts for a header. */
const MAX_HEADER_LENGTH = 256

/** The tokens that the host writes in the model's place. */
const MESSAGE: readonly number[] = [SPECIAL.message]

/**
 * Detects a missing `<|message|>` before a constrained body. Generation pauses only at that token, so otherwise the
 * model would write the body unconstrained.
 *
 *     <|channel|>final The number is 42.<|return|>     <|channel|>final{"n":42}<|return|>     <|channel|>final<|return|>
 *                      ^                                               ^                                      ^
 */
export class HeaderWatch {
  readonly #strict: Strictness
  /** The open header. */
  #header: readonly number[] | undefined
  /** Whether ending the header here would begin a constrained body that is still empty. */
  #isWhole: boolean

  /** @param turn - the tokens after the turn's `<|start|>assistant` */
  constructor(turn: readonly number[], strict: Strictness) {
    this.#strict = strict
    const header = turn.slice(Math.max(lastBorder(turn), 0))
    this.#header = header.includes(SPECIAL.message) ? undefined : header
    this.#isWhole = this.#endOf(this.#header) === 'enforced'
  }

  /** @returns the tokens that the host writes in place of this one and all after it; undefined if nothing is wrong */
  push(id: number): readonly number[] | undefined {
    if (STOP_TOKENS.includes(id) && this.beginning !== undefined) return this.beginning
    const before = this.#header
    if (MESSAGE_BORDERS.includes(id) || (id === SPECIAL.channel && before === undefined)) this.#header = [id]
    else if (id === SPECIAL.message || (before?.length ?? 0) > MAX_HEADER_LENGTH) this.#header = undefined
    else this.#header = before && [...before, id]
    const wasWhole = this.#isWhole
    const end = this.#endOf(this.#header)
    this.#isWhole = end === 'enforced'
    if (this.#header === undefined || id >= FIRST_SPECIAL) return undefined
    const isBegun = (wasWhole && end === 'lost') || this.#strict.openBody(this.#header) !== undefined
    return isBegun ? MESSAGE : undefined
  }

  /**
   * The tokens that begin the body of the header in which the model stops; undefined without a channel or a constraint.
   */
  get beginning(): readonly number[] | undefined {
    return this.#isWhole && this.#header?.includes(SPECIAL.channel) ? MESSAGE : undefined
  }

  /**
   * Returns whether the body would be constrained (`enforced`) or already violates its constraint (`lost`) if the header
   * ended here; undefined for a body without a constraint.
   */
  #endOf(header: readonly number[] | undefined): 'enforced' | 'lost' | undefined {
    const body = header && this.#strict.openBody([...header, SPECIAL.message])
    return body && (body.constraint === undefined ? 'lost' : 'enforced')
  }
}
