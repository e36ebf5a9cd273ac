import { LONGEST_HEADER } from '../harmony/header.js'
import type { Logprob } from '../responses/items.js'
import type { ScoredText } from './citation-stage.js'
import { BREAK, type HeaderToken, tokensOfLead } from './header-tokens.js'

/** The state of a {@link PendingText} between pushes. Plain JSON. */
export interface PendingTextSnapshot {
  /** Probabilities of tokens whose text is not sent yet. */
  readonly logprobs: Logprob[]
  /** The tokens of the header that is being read, since its last marker. */
  readonly header: HeaderToken[]
}

/** More than the longest header has, with a token for each byte and a marker after each character. */
const MOST_TOKENS = 8 * LONGEST_HEADER

/**
 * Text of the current item that is in no delta yet, with the probabilities of its tokens: a push gives one delta per
 * part, however many tokens it had.
 */
export class PendingText {
  #text = ''
  /** The tokens of the text, if their probabilities are asked for. */
  #tokens: ScoredText[] = []
  /** Of tokens that have given no text yet: half characters. */
  #unplaced: Logprob[]
  /** The tokens of the open header since its last marker: if it turns out to be a message, they are its first. */
  #header: HeaderToken[]

  constructor({ logprobs = [], header = [] }: Partial<PendingTextSnapshot> = {}) {
    this.#unplaced = logprobs
    this.#header = header
  }

  get text(): string {
    return this.#text
  }

  get tokens(): readonly ScoredText[] {
    return this.#tokens
  }

  /** @param isLead - whether the text came before the message was known to begin */
  append(text: string, isLead: boolean): void {
    const start = this.#text.length
    this.#text = start === 0 ? text : this.#text + text
    if (this.#header.length > 0) {
      if (isLead) this.#tokens = tokensOfLead(this.#header, text)
      this.#header = []
    }
    if (this.#unplaced.length === 0) return
    for (const logprob of this.#unplaced) this.#tokens.push({ logprob, start, end: this.#text.length })
    this.#unplaced = []
  }

  /** The text has been sent. */
  clear(): void {
    this.#text = ''
    if (this.#tokens.length > 0) this.#tokens = []
  }

  /** The item has ended: what gave no text never will. */
  drop(): void {
    this.#unplaced = []
    this.#header = []
  }

  /** A token of the item's text came, before its text. */
  score(logprob: Logprob): void {
    this.#unplaced.push(logprob)
  }

  /** A token of a header came. */
  addToHeader(token: HeaderToken): void {
    // The native parser's headers are never as long; those of another parser may never end.
    if (this.#header.length >= MOST_TOKENS) this.#header = []
    this.#header.push(token)
  }

  /** The header so far will not become text. */
  forgetHeader(): void {
    if (this.#header.length > 0) this.#header = []
  }

  /** A marker came that belongs to no header: the header goes on after it. */
  breakHeader(): void {
    if ((this.#header.at(-1)?.bytes.length ?? 0) > 0) this.addToHeader(BREAK)
  }

  snapshot(): PendingTextSnapshot {
    return { logprobs: this.#unplaced, header: this.#header }
  }
}
