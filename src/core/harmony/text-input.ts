import { MAX_MARKER_LENGTH, markerId } from './vocabulary.js'

/**
 * Finds special tokens in text that spells them as literal `<|markers|>`, for engines that return no token ids. The
 * result does not depend on where the text was cut.
 */
export interface MarkerLexer {
  /**
   * Takes text cut anywhere, even inside a marker or a surrogate pair, and calls the sink in order with all certain
   * content; a run of text is one call, never an empty one. Takes time linear in the text, whatever the cuts.
   */
  push(text: string): void
  /** Emits held text as it is, because the rest of a marker can no longer follow. */
  flush(): void
  /** Returns the held text: less than one marker, or one high surrogate. It is the complete state, for snapshots. */
  held(): string
}

/** Receives the lexemes. */
export interface MarkerSink {
  /** Ordinary text, never empty. */
  text(text: string): void
  /** The id of a special token. */
  marker(id: number): void
}

// Read by matchAll, which works on a copy, so that no position is kept here.
const MARKER = /<\|[a-z0-9_]+\|>/g

// At the end of a text: a marker's beginning, or the first half of a surrogate pair.
const UNFINISHED = /(?:<(?:\|(?:[a-z0-9_]+\|?)?)?|[\uD800-\uDBFF])$/

/**
 * Creates a lexer for one stream. It starts empty, or with the result of another one's `held()`. A marker whose name
 * belongs to no token is text, and so is one that never ends.
 *
 * @example
 * ```ts
 * import { createMarkerLexer } from 'harmony-responses/harmony'
 *
 * const lexer = createMarkerLexer({
 *   text: (text) => console.log('text', text), // text Hi!
 *   marker: (id) => console.log('marker', id), // marker 200007
 * })
 * lexer.push('Hi!<|e')
 * lexer.push('nd|>')
 * lexer.flush()
 * ```
 */
export function createMarkerLexer(sink: MarkerSink, held = ''): MarkerLexer {
  return new Lexer(sink, held)
}

class Lexer implements MarkerLexer {
  readonly #sink: MarkerSink
  #held: string

  constructor(sink: MarkerSink, held: string) {
    this.#sink = sink
    this.#held = held
  }

  push(text: string): void {
    const input = this.#held + text
    // A marker contains no second `<`, so only the last one can begin it; a tail longer than the longest marker cannot
    // begin one.
    this.#held = UNFINISHED.exec(input.slice(1 - MAX_MARKER_LENGTH))?.[0] ?? ''
    let start = 0
    for (const { 0: spelling, index } of input.matchAll(MARKER)) {
      const id = markerId(spelling.slice(2, -2))
      if (id === undefined) continue
      this.#emitText(input.slice(start, index))
      this.#sink.marker(id)
      start = index + spelling.length
    }
    this.#emitText(input.slice(start, input.length - this.#held.length))
  }

  flush(): void {
    const rest = this.#held
    this.#held = ''
    this.#emitText(rest)
  }

  held(): string {
    return this.#held
  }

  #emitText(text: string): void {
    if (text !== '') this.#sink.text(text)
  }
}
