import type { ScoredText } from '../citations/citation-stage.js'
import { MAX_HEADER_LENGTH } from '../harmony/header.js'
import type { Logprob } from '../responses/items.js'
import { BREAK, type HeaderToken, tokensOfLead } from '../text/header-tokens.js'

/** The state of a {@link PendingText} between pushes. Plain JSON. */
export interface PendingTextSnapshot {
  /** Log-probabilities of tokens whose text has not been emitted yet. */
  readonly logprobs: Logprob[]
  /** The tokens of the current header since its last marker. */
  readonly header: HeaderToken[]
  /** The tokens of a message that has ended and is undecided. */
  readonly kept: HeaderToken[]
}

/** More than the longest header needs, at a token for each byte and a marker after each character. */
const MAX_TOKENS = 8 * MAX_HEADER_LENGTH

/**
 * The text of the current item that no delta contains yet, with the log-probabilities of its tokens. A push emits one
 * delta per part, however many tokens it had.
 */
export class PendingText {
  #text: string | undefined
  /** The tokens of the text, if the request includes log-probabilities. */
  #tokens: ScoredText[] = []
  /** Log-probabilities of tokens without text so far: parts of a character. */
  #unplaced: Logprob[]
  /** The tokens of the open header since its last marker. If they turn out to be text, they are the message's first. */
  #header: HeaderToken[]
  /** Those of a message that has ended, and may be reasoning or the answer. */
  #kept: HeaderToken[]

  constructor({ logprobs = [], header = [], kept = [] }: Partial<PendingTextSnapshot> = {}) {
    this.#unplaced = logprobs
    this.#header = header
    this.#kept = kept
  }

  /** Undefined if there is none: comparing it with '' would read it, see {@link appendText}. */
  get text(): string | undefined {
    return this.#text
  }

  get tokens(): readonly ScoredText[] {
    return this.#tokens
  }

  /** @param isLead - whether the text came before the message was known to begin */
  append(text: string, isLead: boolean): void {
    const before = this.#text
    this.#text = before === undefined ? text : before + text
    if (this.#kept.length > 0) {
      if (isLead) this.#tokens = tokensOfLead(this.#kept, text)
      this.#kept = []
    } else if (this.#header.length > 0) {
      if (isLead) this.#tokens = tokensOfLead(this.#header, text)
      this.#header = []
    }
    if (this.#unplaced.length === 0) return
    const start = before?.length ?? 0
    for (const logprob of this.#unplaced) this.#tokens.push({ logprob, start, end: this.#text.length })
    this.#unplaced = []
  }

  /** Clears the text after it has been emitted. */
  clear(): void {
    this.#text = undefined
    if (this.#tokens.length > 0) this.#tokens = []
  }

  /** Drops tokens without text when the item ends. */
  drop(): void {
    this.#unplaced = []
    this.#kept = []
  }

  /** Adds a token of the item's text, before its text is known. */
  score(logprob: Logprob): void {
    this.#unplaced.push(logprob)
  }

  /** Adds a token of a header. */
  addToHeader(token: HeaderToken): void {
    // The native parser limits headers to this length; another parser may not.
    if (this.#header.length >= MAX_TOKENS) this.#header = []
    this.#header.push(token)
  }

  /** Drops the header tokens so far, because they will not become text. */
  forgetHeader(): void {
    if (this.#header.length > 0) this.#header = []
  }

  /** Keeps the tokens of a message that has ended until it is decided, apart from those of the next header. */
  keepHeader(): void {
    if (this.#kept.length === 0) this.#kept = this.#header
    this.#header = []
  }

  /** Records a marker that belongs to no header: the header continues after it. */
  breakHeader(): void {
    if ((this.#header.at(-1)?.bytes.length ?? 0) > 0) this.addToHeader(BREAK)
  }

  snapshot(): PendingTextSnapshot {
    return { logprobs: this.#unplaced, header: this.#header, kept: this.#kept }
  }
}
