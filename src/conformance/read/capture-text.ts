import { type Broken, JsonScanner } from './json-scanner.js'
import { LineCount } from './line-count.js'

/** What text is cut into. */
export interface CaptureTextSink {
  /** Whether JSON may begin here. Else it is part of a line, as in server-sent events. */
  mayBeJson(): boolean
  /** A line without its end. `isCut`: the text is over, and it had none. */
  line(line: string, number: number, isCut: boolean): void
  /** An object or array whose brackets match, or an element of the outermost array. */
  value(text: string, line: number): void
  /** Something that is no value, or too long. */
  broken(head: string, line: number, why: Broken): void
}

const CR = 0x0d
const LF = 0x0a

/** Cuts text into JSON values, which may be of many lines or of a part of one, and into the lines that are none. */
export class CaptureText {
  readonly lines: LineCount = new LineCount()
  readonly #sink: CaptureTextSink
  readonly #maxLength: number
  readonly #scanner: JsonScanner
  #isInJson = false
  /** The line so far, where it is cut between pieces. */
  #pieces: string[] = []
  #length = 0
  /** Nothing but blanks came on the line. */
  #isBlank = true

  constructor(sink: CaptureTextSink, maxLength: number) {
    this.#sink = sink
    this.#maxLength = maxLength
    this.#scanner = new JsonScanner(this.lines, sink, { maxLength, flattens: true })
  }

  push(text: string): void {
    for (let at = 0; at < text.length; ) at = this.#isInJson ? this.#pushJson(text, at) : this.#pushLine(text, at)
  }

  /** The text is over. Returns whether its last line had no end. */
  end(): boolean {
    const isCut = this.#length > 0
    if (isCut) this.#endLine('', this.lines.line, true)
    this.#scanner.end()
    return isCut
  }

  /** Reads a line that was taken for none as JSON. */
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
      if (text[at] === '{' || text[at] === '[' || this.#scanner.isInArray) {
        this.#isInJson = true
        this.#forget()
        return at
      }
      // The line may be cut within its indent.
      this.#isBlank = at === text.length
    } else this.#isBlank = false
    let end = start
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end)
      if (code === LF || code === CR) break
    }
    if (end > start) this.lines.goOn()
    if (end === text.length) {
      this.#keep(text.slice(start))
      return end
    }
    const { line } = this.lines
    const isEmpty = this.#length === 0 && end === start
    // LF after CR ends no second line.
    const isEnd = this.lines.take(text.charCodeAt(end))
    if (isEnd || !isEmpty) this.#endLine(text.slice(start, end), line)
    this.#isBlank = true
    return end + 1
  }

  #keep(piece: string): void {
    const wasTooLong = this.#length > this.#maxLength
    this.#length += piece.length
    if (this.#length <= this.#maxLength) this.#pieces.push(piece)
    else if (!wasTooLong) {
      this.#sink.broken(this.#pieces.join('').slice(0, 80) || piece.slice(0, 80), this.lines.line, 'long')
      this.#pieces = []
    }
  }

  #endLine(rest: string, number: number, isCut = false): void {
    if (this.#length === 0 && rest.length <= this.#maxLength) {
      this.#sink.line(rest, number, isCut)
      return
    }
    this.#keep(rest)
    const isTooLong = this.#length > this.#maxLength
    const line = this.#pieces.join('')
    this.#forget()
    if (!isTooLong) this.#sink.line(line, number, isCut)
  }

  #forget(): void {
    this.#pieces = []
    this.#length = 0
    this.#isBlank = true
  }
}
