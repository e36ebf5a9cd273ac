import { type BrokenReason, JsonScanner } from './json-scanner.js'
import { LineCount } from './line-count.js'

/** Receives the pieces of a capture's text. */
export interface CaptureTextSink {
  /** Whether a JSON value may begin here. Otherwise it is part of a line, as in server-sent events. */
  mayBeJson(): boolean
  /** A line without its line end. `isCut`: the text ended without a line end. */
  line(line: string, number: number, isCut: boolean): void
  /** The text of an object or array with matching brackets, or of an element of the outermost array. */
  value(text: string, line: number): void
  /** An invalid or oversized value. */
  broken(head: string, line: number, why: BrokenReason): void
}

/** Whether a line begins with the time of a log, such as `[10:00:01]`, which is no list. */
export const isLogTime = (line: string): boolean => /^\[\d+[:/-]/.test(line)

const beginsList = (text: string, at: number): boolean => text[at] === '[' && !isLogTime(text.slice(at, at + 16))

/** Splits text into JSON values, which may span lines or share one, and the remaining lines. */
export class CaptureText {
  readonly lines: LineCount = new LineCount()
  readonly #sink: CaptureTextSink
  readonly #maxLength: number
  readonly #scanner: JsonScanner
  #isInJson = false
  /** The beginning of a line that continues in the next piece. */
  #pieces: string[] = []
  #length = 0
  /** The line has only blanks so far. */
  #isBlank = true
  /** Where the next CR and the next LF of the piece stand; its length if there is none. */
  #nextCr = -1
  #nextLf = -1

  constructor(sink: CaptureTextSink, maxLength: number) {
    this.#sink = sink
    this.#maxLength = maxLength
    this.#scanner = new JsonScanner(this.lines, sink, { maxLength, flattens: true })
  }

  push(text: string): void {
    this.#nextCr = -1
    this.#nextLf = -1
    for (let at = 0; at < text.length; ) at = this.#isInJson ? this.#pushJson(text, at) : this.#pushLine(text, at)
  }

  /** Ends the text. Returns whether the last line had no line end. */
  end(): boolean {
    const isCut = this.#length > 0
    if (isCut) this.#endLine('', this.lines.line, true)
    this.#scanner.end()
    return isCut
  }

  /** Reads a line, which was passed to the sink before, as JSON. */
  scan(line: string, number: number): void {
    const { line: now } = this.lines
    const text = `${line}\n`
    this.lines.line = number
    const stopped = this.#scanner.scan(text, 0)
    this.lines.line = now
    this.#isInJson = !this.#scanner.isIdle || this.#scanner.isInArray
    if (stopped < text.length) this.#sink.line(line.slice(stopped), number, false)
  }

  #pushJson(text: string, at: number): number {
    const stopped = this.#scanner.scan(text, at)
    if (stopped < text.length) this.#isInJson = false
    return stopped
  }

  #pushLine(text: string, start: number): number {
    if (this.#isBlank && this.#sink.mayBeJson()) {
      let at = start
      while (text[at] === ' ' || text[at] === '\t') at++
      if (text[at] === '{' || beginsList(text, at) || this.#scanner.isInArray) {
        this.#isInJson = true
        this.#reset()
        return at
      }
      // The piece may end within the indent of the line.
      this.#isBlank = at === text.length
    } else this.#isBlank = false
    const end = this.#lineEnd(text, start)
    if (end > start) this.lines.takeCharacter()
    if (end === text.length) {
      this.#append(text.slice(start))
      return end
    }
    const { line } = this.lines
    const isEmpty = this.#length === 0 && end === start
    // An LF after CR belongs to the same line end.
    const isEnd = this.lines.takeLineEnd(text.charCodeAt(end))
    if (isEnd || !isEmpty) this.#endLine(text.slice(start, end), line)
    this.#isBlank = true
    return end + 1
  }

  /**
   * Returns where the line that continues at `start` ends. Each character is searched once, however short the lines
   * are.
   */
  #lineEnd(text: string, start: number): number {
    if (this.#nextCr < start) this.#nextCr = indexOrEnd(text, '\r', start)
    if (this.#nextLf < start) this.#nextLf = indexOrEnd(text, '\n', start)
    return Math.min(this.#nextCr, this.#nextLf)
  }

  #append(piece: string): void {
    const wasTooLong = this.#length > this.#maxLength
    this.#length += piece.length
    if (this.#length <= this.#maxLength) this.#pieces.push(piece)
    else if (!wasTooLong) {
      this.#sink.broken(this.#pieces.join('').slice(0, 80) || piece.slice(0, 80), this.lines.line, 'endless')
      this.#pieces = []
    }
  }

  #endLine(rest: string, number: number, isCut = false): void {
    if (this.#length === 0 && rest.length <= this.#maxLength) {
      this.#sink.line(rest, number, isCut)
      return
    }
    this.#append(rest)
    const isTooLong = this.#length > this.#maxLength
    const line = this.#pieces.join('')
    this.#reset()
    if (!isTooLong) this.#sink.line(line, number, isCut)
  }

  #reset(): void {
    this.#pieces = []
    this.#length = 0
    this.#isBlank = true
  }
}

function indexOrEnd(text: string, character: string, start: number): number {
  const at = text.indexOf(character, start)
  return at < 0 ? text.length : at
}
