import { type Broken, JsonScanner } from './json-scanner.js'
import { LineCount } from './line-count.js'

/** An event as its frame brought it. */
export interface FramedEvent {
  /** JSON, or what should be. */
  readonly text: string
  /** Where its data begins. */
  readonly line: number
  /** What the `event:` field says. */
  readonly name: string | undefined
  /** The event before it stands in the same frame. */
  readonly isSecond: boolean
}

/** What frames bring. */
export interface FrameSink {
  event(framed: FramedEvent): void
  /** Data that is no JSON; empty where there is none. */
  notJson(head: string, line: number, why: Broken): void
  /** A frame that has a name and no data. */
  nameAlone(name: string, line: number): void
  /** `[DONE]`. `isSecond`: in the frame of an event. */
  done(line: number, isSecond: boolean): void
  /** The text ended within the data of a frame. */
  cut(head: string, line: number): void
}

const SCALAR = /^(?:null|true|false|-?\d[\d.eE+-]*|"[^"\\]*")$/

/**
 * Puts the fields of server-sent events together: data over several lines, and also several events in one frame, whose
 * blank lines are missing. No line of data is read twice.
 */
export class SseFrames {
  readonly #sink: FrameSink
  readonly #lines = new LineCount()
  readonly #scanner: JsonScanner
  #name: string | undefined
  /** A name that came after data which is whole: of that data, or of what comes next. */
  #nextName: string | undefined
  #nameLine = 0
  /** Data that is whole; the frame may go on. */
  #whole: { readonly text: string; readonly line: number } | undefined
  #isSecond = false
  #hasData = false
  #dataLine = 0
  #isDone = false
  #isTold = false
  #isOver = false

  constructor(sink: FrameSink, maxLength: number) {
    this.#sink = sink
    this.#scanner = new JsonScanner(
      this.#lines,
      {
        value: (text, line) => this.#take(text, line),
        broken: (head, line, why) => {
          if (this.#isOver && why === 'cut') this.#sink.cut(head, line)
          else this.#tell(head, line, why)
        },
      },
      { maxLength, flattens: false },
    )
  }

  /** Whether nothing of a frame has come. */
  get isEmpty(): boolean {
    return !this.#hasData && this.#name === undefined
  }

  /** Whether the frame holds one whole event, and nothing that came before it. */
  get isAlone(): boolean {
    return this.#whole !== undefined && !this.#isSecond && this.#scanner.isIdle
  }

  /** Whether data goes on: its JSON is not whole. */
  get isOpen(): boolean {
    return !this.#scanner.isIdle
  }

  name(name: string, line: number): void {
    if (this.#whole !== undefined && this.#name !== undefined) this.#nextName = name
    else this.#name = name
    this.#nameLine = line
  }

  /** Takes a line of data. `isCut`: the text is over within it. */
  data(value: string, line: number, isCut = false): void {
    const isWord = this.#scanner.isIdle && value.length < 100 && value.trim() === '[DONE]'
    if (!this.#hasData) this.#dataLine = line
    this.#hasData = true
    if (isWord) {
      this.#flush()
      this.#isDone = true
      this.#sink.done(line, this.#isSecond)
      return
    }
    this.#lines.line = line
    const text = isCut ? value : `${value}\n`
    const at = this.#scanner.scan(text, 0)
    if (at === text.length) return
    const rest = text.slice(at).trim()
    if (rest.length < 100 && SCALAR.test(rest)) this.#take(rest, line)
    else this.#tell(rest, line, 'cut')
  }

  /** A blank line ends the frame. Returns whether an event stood in it. */
  blank(): boolean {
    this.#scanner.end()
    if (!this.#hasData && this.#name !== undefined) this.#sink.nameAlone(this.#name, this.#nameLine)
    const isEvent = this.#whole !== undefined
    if (isEvent) this.#flush()
    else if (this.#hasData && !this.#isDone && !this.#isSecond) this.#tell('', this.#dataLine, 'cut')
    this.#name = undefined
    this.#nextName = undefined
    this.#isSecond = false
    this.#hasData = false
    this.#isDone = false
    this.#isTold = false
    return isEvent
  }

  /** The text is over. Returns whether an event stood in a frame that no blank line ended. */
  end(): boolean {
    this.#isOver = true
    const wasOpen = this.isOpen
    this.#scanner.end()
    // What was cut off is told; that it has no data would be told beside it.
    if (wasOpen) this.#isTold = true
    return this.blank()
  }

  #take(text: string, line: number): void {
    this.#flush()
    this.#whole = { text, line }
  }

  /** Passes on what is whole. What comes after it in the frame is a second event. */
  #flush(): void {
    if (this.#whole === undefined) return
    const { text, line } = this.#whole
    const isSecond = this.#isSecond
    const name = this.#name
    this.#whole = undefined
    this.#isSecond = true
    this.#name = this.#nextName
    this.#nextName = undefined
    this.#sink.event({ text, line, name, isSecond })
  }

  #tell(head: string, line: number, why: Broken): void {
    if (!this.#isTold) this.#sink.notJson(head, line, why)
    this.#isTold = true
  }
}
