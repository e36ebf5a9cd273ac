import type { LineCount } from './line-count.js'

/** Why a text is no value: it cannot go on as it does, or it is longer or deeper than anything that is read. */
export type Broken = 'cut' | 'long' | 'deep'

/** What a scanner finds. */
export interface JsonSink {
  /** A value is whole: its text, and the line where it begins. It may be no JSON yet: only its brackets are known to match. */
  value(text: string, line: number): void
  /** A value cannot be one. `head` is how it begins. */
  broken(head: string, line: number, why: Broken): void
}

export interface JsonScannerOptions {
  /** The longest value, in UTF-16 code units. */
  readonly maxLength: number
  /** Whether the elements of an array are values of their own, so that nobody has to hold it as a whole. */
  readonly flattens: boolean
}

/** No event is nested as deep as this by far; what remembers the brackets has to end somewhere. */
const DEEPEST = 100_000

/** How much of a broken value is shown. */
const HEAD = 80

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

/** Any other token: a string, a number, a word, or what was closed. */
const VALUE = 0

/**
 * Splits text into JSON values, whatever stands between their lines, in one pass: each character is looked at once,
 * however the text is cut into pieces. It parses nothing. A value that cannot go on as it does is given up, and the
 * scanner begins anew at the line where that shows: one cut event does not swallow those after it.
 */
export class JsonScanner {
  readonly #lines: LineCount
  readonly #sink: JsonSink
  readonly #maxLength: number
  readonly #flattens: boolean
  /** The brackets that are open in the value, as character codes. */
  #open: number[] = []
  /** How many are, where the value is too big to be kept. */
  #depth = 0
  /** The pieces of the value so far. */
  #pieces: string[] = []
  #length = 0
  #line = 0
  #state: 'idle' | 'value' | 'scalar' | 'too big' = 'idle'
  #isInString = false
  #isEscaped = false
  /** The token before. */
  #previous = VALUE
  /** Nothing but blanks came on this line. */
  #isLineStart = true
  /** The rest of the line is of a value that was given up. */
  #isSkipping = false
  #isInArray = false

  constructor(lines: LineCount, sink: JsonSink, { maxLength, flattens }: JsonScannerOptions) {
    this.#lines = lines
    this.#sink = sink
    this.#maxLength = maxLength
    this.#flattens = flattens
  }

  /** Whether it is between two values. */
  get isIdle(): boolean {
    return this.#state === 'idle' && !this.#isSkipping
  }

  /** Whether an array is open whose elements are the values. */
  get isInArray(): boolean {
    return this.#isInArray
  }

  /** Reads on, and returns where it stopped: at the end of the text, or at what begins no object and no array. */
  scan(text: string, start: number): number {
    let at = start
    /** Where the part of the value begins that is in this text. */
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
        this.#lines.take(code)
        this.#isLineStart = true
        this.#isSkipping = false
        at++
        continue
      }
      this.#lines.goOn()
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
          if (!this.#goesOn(code)) {
            this.#giveUp(text.slice(from, at), 'cut')
            this.#isSkipping = !this.#isLineStart
            continue
          }
          if (this.#open.length > DEEPEST) this.#passOver(text.slice(from, at), 'deep')
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
    if ((this.#state === 'value' || this.#state === 'scalar') && from < text.length) this.#keep(text.slice(from))
    return at
  }

  /** The text is over: what is open stays so. */
  end(): void {
    if (this.#state === 'scalar' && !this.#isInString) this.#finish('')
    else if (this.#state === 'value' || this.#state === 'scalar') this.#giveUp('', 'cut')
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
        // No string goes on in the next line: this one was cut off.
        if (this.#state !== 'too big') this.#giveUp(text.slice(from, at), 'cut')
        this.#state = 'idle'
        this.#isInString = false
        return at
      }
    }
    return at
  }

  /** Whether the value can go on with this character, which is taken in. */
  #goesOn(code: number): boolean {
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

  #keep(piece: string): void {
    this.#length += piece.length
    if (this.#length <= this.#maxLength) {
      this.#pieces.push(piece)
      return
    }
    this.#passOver(piece, 'long')
  }

  /** Goes on to the end of a value that is too big to be kept. */
  #passOver(last: string, why: Broken): void {
    const depth = this.#open.length
    this.#giveUp(last, why)
    this.#state = depth === 0 ? 'idle' : 'too big'
    this.#depth = depth
  }

  #finish(last: string): void {
    const isTooLong = this.#length + last.length > this.#maxLength
    if (isTooLong) this.#giveUp(last, 'long')
    else {
      this.#pieces.push(last)
      const text = this.#pieces.length === 1 ? last : this.#pieces.join('')
      this.#forget()
      this.#sink.value(text, this.#line)
    }
  }

  #giveUp(last: string, why: Broken): void {
    let head = ''
    for (const piece of [...this.#pieces.slice(0, HEAD), last]) {
      if (head.length < HEAD) head += piece.slice(0, HEAD)
    }
    this.#forget()
    this.#sink.broken(head.slice(0, HEAD).trimEnd(), this.#line, why)
  }

  #forget(): void {
    this.#state = 'idle'
    this.#pieces = []
    this.#length = 0
    this.#open = []
  }
}

function isLineEnd(code: number): boolean {
  return code === LF || code === CR
}
