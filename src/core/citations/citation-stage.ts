import type { Citation, Logprob } from '../responses/items.js'
import type { CitablePages } from './pages.js'

/**
 * A token's log-probability and the position of its text. Tokens that together spell one character share its position.
 */
export interface ScoredText {
  readonly logprob: Logprob
  readonly start: number
  readonly end: number
}

/** The state of a citation stage for one message. Plain JSON. */
export interface CitationState {
  /** Text that may be the beginning of a mark. */
  held: string
  /** The tokens of that text. */
  tokens: ScoredText[]
  /** Length of the text emitted so far, in the unit of the indexes. */
  length: number
}

/** New text of a message. */
export interface SaidText {
  readonly text: string
  readonly tokens: readonly ScoredText[]
  /** Whether this is the end of the message: held text is then not a mark. */
  readonly isLast: boolean
}

/** Text to emit, and the annotation that it completes. */
export interface CitedText {
  readonly text: string
  readonly logprobs: readonly Logprob[]
  readonly annotation?: Citation
}

/** Replaces citation marks in a message's text. Created by `urlCitations`. */
export type CitationStage = (state: CitationState, chunk: SaidText, pages: CitablePages) => CitedText[]
