import type { Logprob, UrlCitation } from '../responses/items.js'
import type { Pages } from './pages.js'

/**
 * A token's probability, and where in a text its own is. Tokens that only together spell a character share its place.
 */
export interface ScoredText {
  readonly logprob: Logprob
  readonly start: number
  readonly end: number
}

/** How far a message's text is read for citations. Plain JSON. */
export interface CitationState {
  /** What may be the beginning of a mark. */
  held: string
  /** The tokens of what is held. */
  tokens: ScoredText[]
  /** How long the text is that is out, in the units of the indexes. */
  length: number
}

/** More of what the model said in a message. */
export interface SaidText {
  readonly text: string
  readonly tokens: readonly ScoredText[]
  /** Whether nothing comes behind it: what is held is no mark then. */
  readonly isLast: boolean
}

/** A stretch of text that is to be shown, and the annotation that it completes. */
export interface CitedText {
  readonly text: string
  readonly logprobs: readonly Logprob[]
  readonly annotation?: UrlCitation
}

/** Reads a message's text for marks, and says what is shown instead. Made by `urlCitations`. */
export type CitationStage = (state: CitationState, said: SaidText, pages: Pages) => CitedText[]
