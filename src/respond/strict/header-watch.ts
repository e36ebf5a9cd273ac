import { STOP_TOKENS } from '../../engine/stop-tokens.js'
import { FIRST_SPECIAL, SPECIAL } from '../../harmony/vocabulary.js'
import { lastBorder, MESSAGE_BORDERS } from '../open-message.js'
import type { Strictness } from './strictness.js'

/** In tokens: more than the parser takes for one. */
const LONGEST_HEADER = 256

/** What the host writes for the model. */
const MESSAGE: readonly number[] = [SPECIAL.message]

/**
 * Finds where the model leaves out the `<|message|>` of a body that is held to something: it has not paused, and what it
 * writes would be the body, or all of it.
 *
 *     <|channel|>final The number is 42.<|return|>     <|channel|>final{"n":42}<|return|>     <|channel|>final<|return|>
 *                      ^                                               ^                                      ^
 */
export class HeaderWatch {
  readonly #strict: Strictness
  /** The header that is being written. */
  #header: readonly number[] | undefined
  /** Whether a body that is held, and of which nothing is written, begins if the header ends here. */
  #isWhole: boolean

  /** @param turn - what follows the `<|start|>assistant` of the turn */
  constructor(turn: readonly number[], strict: Strictness) {
    this.#strict = strict
    const header = turn.slice(Math.max(lastBorder(turn), 0))
    this.#header = header.includes(SPECIAL.message) ? undefined : header
    this.#isWhole = this.#endOf(this.#header) === 'held'
  }

  /** @returns what the host writes in the place of the token, and of all behind it; undefined where nothing is wrong */
  push(id: number): readonly number[] | undefined {
    if (STOP_TOKENS.includes(id) && this.beginning !== undefined) return this.beginning
    const before = this.#header
    if (MESSAGE_BORDERS.includes(id) || (id === SPECIAL.channel && before === undefined)) this.#header = [id]
    else if (id === SPECIAL.message || (before?.length ?? 0) > LONGEST_HEADER) this.#header = undefined
    else this.#header = before && [...before, id]
    const wasWhole = this.#isWhole
    const end = this.#endOf(this.#header)
    this.#isWhole = end === 'held'
    if (this.#header === undefined || id >= FIRST_SPECIAL) return undefined
    const isBegun = (wasWhole && end === 'lost') || this.#strict.openBody(this.#header) !== undefined
    return isBegun ? MESSAGE : undefined
  }

  /** What begins the body of the header that the model stops in; undefined if that names no channel, or nothing is held. */
  get beginning(): readonly number[] | undefined {
    return this.#isWhole && this.#header?.includes(SPECIAL.channel) ? MESSAGE : undefined
  }

  /** What becomes of the body if the header ends here: it is held, or is not what it has to be any more; undefined for others. */
  #endOf(header: readonly number[] | undefined): 'held' | 'lost' | undefined {
    const body = header && this.#strict.openBody([...header, SPECIAL.message])
    return body && (body.constraint === undefined ? 'lost' : 'held')
  }
}
