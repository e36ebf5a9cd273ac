import { type BrokenReason, JsonScanner, MAX_NESTING } from './json-scanner.js'
import { LineCount } from './line-count.js'
import { parseJson } from './parse-json.js'

/** An event in a frame. */
export interface FramedEvent {
  /** Its data. */
  readonly text: string
  /** The parsed data; undefined if it is not valid JSON. */
  readonly json: { readonly value: unknown } | undefined
  /** The line on which its data begins. */
  readonly line: number
  /** The value of the `event:` field. */
  readonly name: string | undefined
  /** Whether the previous event is in the same frame. */
  readonly isSecond: boolean
}

/** The `[DONE]` of a stream. */
export interface DoneMarker extends Pick<FramedEvent, 'text' | 'line' | 'name' | 'isSecond'> {}

/** Receives the content of frames. */
export interface FrameSink {
  event(framed: FramedEvent): void
  /** Data that is invalid JSON; empty if there is no data. `name`: that of the frame. */
  invalidJson(head: string, line: number, why: BrokenReason, name: string | undefined): void
  /** A frame with an event name but no data. */
  nameWithoutData(name: string, line: number): void
  /** `[DONE]`, possibly between blanks. */
  done(marker: DoneMarker): void
  /** The text ended within a frame's data. */
  cut(head: string, line: number): void
}

const SCALAR = /^(?:null|true|false|-?\d[\d.eE+-]*|"[^"\\]*")$/

/**
 * Assembles the fields of server-sent events: data that spans lines, and several events in one frame because of missing
 * blank lines. It reads each line of data once.
 */
export class SseFrames {
  readonly #sink: FrameSink
  readonly #lines = new LineCount()
  readonly #scanner: JsonScanner
  readonly #maxLength: number
  #name: string | undefined
  /** A name that came after complete data. It may belong to that data or to the next event. */
  #nextName: string | undefined
  #nameLine = 0
  /** Complete data, while the frame may continue. */
  #complete: Pick<FramedEvent, 'text' | 'json' | 'line'> | undefined
  #isSecond = false
  #hasData = false
  #dataLine = 0
  #isDone = false
  #isReported = false
  #isOver = false

  constructor(sink: FrameSink, maxLength: number) {
    this.#sink = sink
    this.#maxLength = maxLength
    this.#scanner = new JsonScanner(
      this.#lines,
      {
        value: (text, line) => this.#take(text, line),
        broken: (head, line, why) => {
          if (this.#isOver && why === 'cut') this.#sink.cut(head, line)
          else this.#reportInvalid(head, line, why)
        },
      },
      { maxLength, flattens: false },
    )
  }

  /** Whether the frame has no field yet. */
  get isEmpty(): boolean {
    return !this.#hasData && this.#name === undefined
  }

  /** Whether the frame has exactly one complete event. */
  get isCompleteEvent(): boolean {
    return this.#complete !== undefined && !this.#isSecond && this.#scanner.isIdle
  }

  /** Whether the JSON of the data is still incomplete. */
  get isOpen(): boolean {
    return !this.#scanner.isIdle
  }

  name(name: string, line: number): void {
    if (this.#complete !== undefined && this.#name !== undefined) this.#nextName = name
    else this.#name = name
    this.#nameLine = line
  }

  /** Reads a line of data. `isCut`: the text ended within the line. */
  data(value: string, line: number, isCut = false): void {
    const isDoneMarker = this.#scanner.isIdle && value.length < 100 && value.trim() === '[DONE]'
    if (!this.#hasData) this.#dataLine = line
    this.#hasData = true
    if (isDoneMarker) {
      this.#flush()
      this.#isDone = true
      this.#sink.done({ text: value, line, name: this.#name, isSecond: this.#isSecond })
      return
    }
    this.#lines.line = line
    // Almost every event is one line. To scan it as well takes as long as to parse it.
    const json = this.#isWhole(value) ? parseJson(value) : undefined
    if (json !== undefined) {
      this.#take(value, line, json)
      return
    }
    const text = isCut ? value : `${value}\n`
    const at = this.#scanner.scan(text, 0)
    if (at === text.length) return
    const rest = text.slice(at).trim()
    if (rest.length < 100 && SCALAR.test(rest)) this.#take(rest, line)
    else this.#reportInvalid(rest, line, 'cut')
  }

  /** Ends the frame at a blank line. Returns whether it had an event. */
  blank(): boolean {
    this.#scanner.end()
    if (!this.#hasData && this.#name !== undefined) this.#sink.nameWithoutData(this.#name, this.#nameLine)
    const isEvent = this.#complete !== undefined
    if (isEvent) this.#flush()
    else if (this.#hasData && !this.#isDone && !this.#isSecond) this.#reportInvalid('', this.#dataLine, 'cut')
    this.#name = undefined
    this.#nextName = undefined
    this.#isSecond = false
    this.#hasData = false
    this.#isDone = false
    this.#isReported = false
    return isEvent
  }

  /** Ends the text. Returns whether an event was in a frame that no blank line ended. */
  end(): boolean {
    this.#isOver = true
    const wasOpen = this.isOpen
    this.#scanner.end()
    // The truncated data is reported already: reporting missing data as well would repeat it.
    if (wasOpen) this.#isReported = true
    return this.blank()
  }

  /** Whether a line is to be parsed as it is: the scanner alone joins lines, and limits the nesting. */
  #isWhole(value: string): boolean {
    if (!value.startsWith('{') || !value.endsWith('}') || !this.#scanner.isIdle) return false
    return value.length <= this.#maxLength && (value.length <= MAX_NESTING || hasFewBrackets(value))
  }

  #take(text: string, line: number, json = parseJson(text)): void {
    this.#flush()
    this.#complete = { text, json, line }
  }

  /** Passes on complete data. Anything after it in the same frame is a second event. */
  #flush(): void {
    if (this.#complete === undefined) return
    const { text, json, line } = this.#complete
    const isSecond = this.#isSecond
    const name = this.#name
    this.#complete = undefined
    this.#isSecond = true
    this.#name = this.#nextName
    this.#nextName = undefined
    this.#sink.event({ text, json, line, name, isSecond })
  }

  #reportInvalid(head: string, line: number, why: BrokenReason): void {
    if (!this.#isReported) this.#sink.invalidJson(head, line, why, this.#name)
    this.#isReported = true
  }
}

/** Whether a text has too few opening brackets to be nested too deeply. */
function hasFewBrackets(text: string): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count++
      if (count > MAX_NESTING) return false
    }
  }
  return true
}
