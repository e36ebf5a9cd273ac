import type { Citation, Logprob } from '../responses/items.js'
import type { CitablePages } from './pages.js'

/**
 * A token's log-probability and the position of its text. Tokens that together spell one character share its position.
 */
export interface ScoredText {
  /** The token's log-probability, as the event of its text has it. */
  readonly logprob: Logprob
  /** Where its text begins in the text beside it, in UTF-16 units. */
  readonly start: number
  /** Where its text ends, in UTF-16 units: after its last character. */
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
export interface CitableText {
  /** The text since the last call; empty at the end of a message that added none. */
  readonly text: string
  /** The tokens of the text that have log-probabilities; empty unless the request includes these. */
  readonly tokens: readonly ScoredText[]
  /** Whether this is the end of the message: held text is then not a mark. */
  readonly isLast: boolean
}

/** Text to emit, and the annotation that it completes. */
export interface CitedText {
  /** The text that clients see, without marks. Empty if only an annotation is added. */
  readonly text: string
  /** The log-probabilities of the text's tokens. */
  readonly logprobs: readonly Logprob[]
  /** The annotation that ends with this text; absent if no mark was completed. */
  readonly annotation?: Citation
}

/** Replaces citation marks in a message's text. Created by `urlCitations`. */
export type CitationStage = (state: CitationState, chunk: CitableText, pages: CitablePages) => CitedText[]
