import type { LineCount } from './line-count.js'

/**
 * Why a value was abandoned: its syntax is wrong or it ends early (`cut`), it is too long or too deeply nested, or its
 * line has no end (`endless`).
 */
export type BrokenReason = 'cut' | 'long' | 'deep' | 'endless'

/** Receives the values that a scanner finds. */
export interface JsonSink {
  /**
   * A complete value: its text, and the line on which it begins. Its brackets match, but it may still be invalid JSON.
   */
  value(text: string, line: number): void
  /** A value that was given up. `head` is its beginning. */
  broken(head: string, line: number, why: BrokenReason): void
}

export interface JsonScannerOptions {
  /** The longest value, in UTF-16 code units. */
  readonly maxLength: number
  /** Whether to report the elements of an array one by one, so that a large array does not fill the memory. */
  readonly flattens: boolean
}

/** The limit for open brackets, far above what any event has: the scanner remembers each of them. */
export const MAX_NESTING = 100_000

/** How many characters of a broken value to report. */
const HEAD_LENGTH = 80

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a
const COMMA = 0x2c
const CR = 0x0d
const LF = 0x0a

/** Any other token: a string, a number, a literal, or a closing bracket. */
const VALUE = 0

/**
 * Splits text into JSON values in one pass, however the text is split into pieces. It only matches brackets and
 * strings, and leaves parsing to the sink. At a syntax error it gives the value up and starts again on that line, so
 * that one truncated event does not swallow the events after it.
 */
export class JsonScanner {
  readonly #lines: LineCount
  readonly #sink: JsonSink
  readonly #maxLength: number
  readonly #flattens: boolean
  /** The open brackets of the value, as character codes. */
  #open: number[] = []
  /** The number of open brackets of a value that is too large to keep. */
  #depth = 0
  /** The text of the value so far, in pieces. */
  #pieces: string[] = []
  #length = 0
  #line = 0
  #state: 'idle' | 'value' | 'scalar' | 'too big' = 'idle'
  #isInString = false
  #isEscaped = false
  /** The previous token. */
  #previous = VALUE
  /** The line has only blanks so far. */
  #isLineStart = true
  /** The rest of the line belongs to a value that was given up. */
  #isSkipping = false
  #isInArray = false

  constructor(lines: LineCount, sink: JsonSink, { maxLength, flattens }: JsonScannerOptions) {
    this.#lines = lines
    this.#sink = sink
    this.#maxLength = maxLength
    this.#flattens = flattens
  }

  /** Whether the scanner is between two values. */
  get isIdle(): boolean {
    return this.#state === 'idle' && !this.#isSkipping
  }

  /** Whether an array is open whose elements are reported one by one. */
  get isInArray(): boolean {
    return this.#isInArray
  }

  /** Scans from `start`. Returns the end of the text, or the position of a character that starts no object or array. */
  scan(text: string, start: number): number {
    let at = start
    /** Where the part of the value in this text begins. */
    let from = start
    while (at < text.length) {
      if (this.#isInString) {
        at = this.#scanString(text, at, from)
        if (!this.#isInString && this.#state === 'scalar') {
          this.#finish(text.slice(from, at))
          from = at
        }
        continue
      }
      const code = text.charCodeAt(at)
      if (code === LF || code === CR) {
        if (this.#state === 'scalar') this.#finish(text.slice(from, at))
        this.#lines.takeLineEnd(code)
        this.#isLineStart = true
        this.#isSkipping = false
        at++
        continue
      }
      this.#lines.takeCharacter()
      if (this.#isSkipping || code === 0x20 || code === 0x09) {
        if (this.#state === 'scalar') this.#finish(text.slice(from, at))
        at++
        continue
      }
      switch (this.#state) {
        case 'idle':
          if (code === OPEN_BRACKET && this.#flattens && !this.#isInArray) this.#isInArray = true
          else if (this.#isInArray && code === CLOSE_BRACKET) this.#isInArray = false
          else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
            this.#begin('value')
            this.#open.push(code)
            this.#previous = code
            from = at
          } else if (!this.#isInArray) return at
          else if (code !== COMMA) {
            this.#begin('scalar')
            this.#isInString = code === QUOTE
            from = at
          }
          break
        case 'scalar':
          if (code === COMMA || code === CLOSE_BRACKET) {
            this.#finish(text.slice(from, at))
            continue
          }
          break
        case 'value': {
          if (!this.#accepts(code)) {
            this.#abandon(text.slice(from, at), 'cut')
            this.#isSkipping = !this.#isLineStart
            continue
          }
          if (this.#open.length > MAX_NESTING) this.#skipOversized(text.slice(from, at), 'deep')
          else if (this.#open.length === 0) {
            this.#finish(text.slice(from, at + 1))
            from = at + 1
          }
          break
        }
        case 'too big':
          if (code === QUOTE) this.#isInString = true
          else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#depth++
          else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --this.#depth <= 0) this.#state = 'idle'
      }
      this.#isLineStart = false
      at++
    }
    if ((this.#state === 'value' || this.#state === 'scalar') && from < text.length) this.#append(text.slice(from))
    return at
  }

  /** Ends the text, and gives up an open value. */
  end(): void {
    if (this.#state === 'scalar' && !this.#isInString) this.#finish('')
    else if (this.#state === 'value' || this.#state === 'scalar') this.#abandon('', 'cut')
    this.#state = 'idle'
    this.#isInString = false
    this.#isSkipping = false
    this.#isInArray = false
  }

  #scanString(text: string, start: number, from: number): number {
    let at = start
    if (this.#isEscaped) {
      this.#isEscaped = false
      if (!isLineEnd(text.charCodeAt(at))) at++
    }
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) {
        this.#isInString = false
        this.#previous = VALUE
        return at + 1
      }
      if (code === BACKSLASH) {
        if (at + 1 === text.length) this.#isEscaped = true
        else if (!isLineEnd(text.charCodeAt(at + 1))) at++
      } else if (isLineEnd(code)) {
        // A JSON string cannot contain a line end, so this one was truncated.
        if (this.#state !== 'too big') this.#abandon(text.slice(from, at), 'cut')
        this.#state = 'idle'
        this.#isInString = false
        return at
      }
    }
    return at
  }

  /** Whether this character may come next in the value. If so, it is added. */
  #accepts(code: number): boolean {
    const open = this.#open
    const around = open[open.length - 1]
    const before = this.#previous
    switch (code) {
      case QUOTE:
        this.#isInString = true
        return true
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (before !== COLON && before !== OPEN_BRACKET && (before !== COMMA || around !== OPEN_BRACKET)) return false
        open.push(code)
        this.#previous = code
        return true
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (around !== (code === CLOSE_BRACE ? OPEN_BRACE : OPEN_BRACKET)) return false
        open.pop()
        this.#previous = VALUE
        return true
      default:
        this.#previous = code === COLON || code === COMMA ? code : VALUE
        return true
    }
  }

  #begin(state: 'value' | 'scalar'): void {
    this.#state = state
    this.#line = this.#lines.line
  }

  #append(piece: string): void {
    this.#length += piece.length
    if (this.#length <= this.#maxLength) {
      this.#pieces.push(piece)
      return
    }
    this.#skipOversized(piece, 'long')
  }

  /** Gives up a value that is too large, and skips to its end. */
  #skipOversized(last: string, why: BrokenReason): void {
    const depth = this.#open.length
    this.#abandon(last, why)
    this.#state = depth === 0 ? 'idle' : 'too big'
    this.#depth = depth
  }

  #finish(last: string): void {
    const isTooLong = this.#length + last.length > this.#maxLength
    if (isTooLong) this.#abandon(last, 'long')
    else {
      this.#pieces.push(last)
      const text = this.#pieces.length === 1 ? last : this.#pieces.join('')
      this.#reset()
      this.#sink.value(text, this.#line)
    }
  }

  #abandon(last: string, why: BrokenReason): void {
    let head = ''
    for (const piece of [...this.#pieces.slice(0, HEAD_LENGTH), last]) {
      if (head.length < HEAD_LENGTH) head += piece.slice(0, HEAD_LENGTH)
    }
    this.#reset()
    this.#sink.broken(head.slice(0, HEAD_LENGTH).trimEnd(), this.#line, why)
  }

  #reset(): void {
    this.#state = 'idle'
    this.#pieces = []
    this.#length = 0
    this.#open = []
  }
}

function isLineEnd(code: number): boolean {
  return code === LF || code === CR
}
