import { describe } from '../../../shared/errors.js'
import { statusOf } from './curl.js'
import type { BrokenReason } from './json-scanner.js'
import type { LineCount } from './line-count.js'
import { type FramedEvent, SseFrames } from './sse-frames.js'
import type { FramingRead } from './stream-read.js'

/** Receives the content of server-sent events. */
export interface SseSink {
  /** The parsed data of a frame. Returns the event's type, if it is an event. */
  value(json: unknown, line: number): string | undefined
  framing(read: FramingRead): void
  broken(head: string, line: number, why: BrokenReason): void
}

/** What a frame without data has in place of JSON. */
export const NO_DATA = 'nothing'

const FIELD = /^(data|event|id|retry):/
/** A field after blanks, or not in lower case: clients do not recognize it. */
const ALMOST_FIELD = /^([\ufeff\0\s]*)(data|event|id|retry): ?/i
const JSON_LINE = /^[\ufeff\0\s]*[{[]/

/** Returns the value of a field: the text after its colon and one space. */
function fieldValue(line: string, colon: number): string {
  if (colon < 0) return ''
  return line.slice(line.startsWith(' ', colon + 1) ? colon + 2 : colon + 1)
}

/** Whether a line shows that the capture is server-sent events. */
export function isSseStart(line: string): boolean {
  return FIELD.test(line) || line.startsWith(':') || ALMOST_FIELD.test(line)
}

/** Reads server-sent events line by line, including lines that clients skip, and reports framing violations. */
export class SseReader {
  readonly #sink: SseSink
  readonly #lines: LineCount
  readonly #frames: SseFrames
  /** The last line was the blank line after an event. */
  #isLastFrame = false
  /** The type of the last event; undefined if its data was not an event. */
  #lastType: string | undefined
  /** A data line that clients do not recognize, until its event is complete. */
  #misplaced: { readonly rule: string; readonly line: number; readonly got: string } | undefined
  #isDone = false
  /** These are reported once per stream, per capture, and between two events. */
  #hasReportedNameless = false
  #hasReportedCr = false
  #hasReportedStrayLine = false

  constructor(sink: SseSink, lines: LineCount, maxLength: number) {
    this.#sink = sink
    this.#lines = lines
    this.#frames = new SseFrames(
      {
        event: (framed) => this.#takeEvent(framed),
        invalidJson: (head, line, why, name) => {
          if (why !== 'cut') sink.broken(head, line, why)
          else this.#reportFraming('data-is-json', line, 'valid JSON', head === '' ? NO_DATA : describe(head), { name })
        },
        nameWithoutData: (name, line) =>
          this.#reportFraming(
            'frame-has-data',
            line,
            'data in a frame with an event name',
            `event: ${name.slice(0, 40)} alone`,
            { name },
          ),
        done: ({ text, line, name, isSecond }) => {
          if (isSecond) this.#reportFraming('frames-apart', line, 'a blank line before it', 'data: [DONE]')
          if (text !== '[DONE]') this.#reportFraming('done-alone', line, '[DONE] without blanks', describe(text))
          if (name !== undefined)
            this.#reportFraming('done-nameless', line, 'no name', `event: ${name.slice(0, 60)}`, { name })
          this.#isDone = true
        },
        cut: (head, line) => sink.broken(head, line, 'cut'),
      },
      maxLength,
    )
  }

  /** Whether the current stream has had a `[DONE]`. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** The next event belongs to another stream. */
  beginStream(): void {
    this.#isDone = false
    this.#hasReportedNameless = false
  }

  /**
   * Reads a line. `isCut`: the text ended within the line. Returns false at a status line, which begins the head of
   * another response.
   */
  take(line: string, number: number, isCut = false): boolean {
    this.#isLastFrame = false
    if (!this.#hasReportedCr && this.#lines.hasLoneCr) {
      this.#hasReportedCr = true
      this.#reportFraming('cr-line-ends', number, 'lines that end with LF or CR LF', 'a lone CR')
    }
    if (line === '') {
      this.#isLastFrame = this.#frames.blank()
      return true
    }
    const colon = line.indexOf(':')
    if (colon === 4 && line.startsWith('data')) {
      this.#frames.data(fieldValue(line, colon), number, isCut)
      return true
    }
    const name = colon < 0 ? line : line.slice(0, colon)
    if (name === 'event') this.#frames.name(fieldValue(line, colon), number)
    else if (name === 'data') this.#frames.data('', number, isCut)
    else if (name !== '' && name !== 'id' && name !== 'retry') {
      if (this.#frames.isEmpty && statusOf(line) !== undefined) return false
      this.#takeOther(line, number)
    }
    return true
  }

  /** Ends the text. `isCut`: its last line had no line end. */
  end(isCut: boolean): void {
    const { line, isAfterCr } = this.#lines
    if (this.#frames.end()) {
      const got = isCut ? 'the end of the text, within its last line' : 'the end of the text'
      this.#reportFraming('last-frame-ends', line, 'a blank line after the last event', got, this.#lastEvent())
    } else if (this.#isLastFrame && isAfterCr) {
      this.#reportFraming('no-cr-at-end', line, 'LF after the last CR', 'the end of the text', this.#lastEvent())
    }
  }

  /** Reads a line that clients skip. It may have been meant as part of an event. */
  #takeOther(line: string, number: number): void {
    const [prefix = '', blanks, name = ''] = ALMOST_FIELD.exec(line) ?? []
    const value = line.slice(prefix.length)
    const isJson = name === '' && (this.#frames.isOpen || JSON_LINE.test(line))
    if (/^event$/i.test(name)) this.#frames.name(value, number)
    else if (/^data$/i.test(name) || isJson) {
      const rule = blanks === '\ufeff' ? 'no-mark-within' : 'data-field'
      this.#misplaced ??= { rule, line: number, got: describe(line) }
      this.#frames.data(value.replace(/^[\ufeff\0]+/, ''), number)
      // JSON lines have no blank lines between them, so each complete value ends its frame.
      if (isJson && this.#frames.isCompleteEvent) this.#frames.blank()
    } else if (!this.#hasReportedStrayLine) {
      this.#hasReportedStrayLine = true
      this.#reportFraming('line-is-field', number, 'a field, a comment or a blank line', describe(line))
    }
  }

  #takeEvent({ text, json, line, name, isSecond }: FramedEvent): void {
    const misplaced = this.#misplaced
    const before = this.#lastType
    const wasDone = this.#isDone
    this.#misplaced = undefined
    this.#hasReportedStrayLine = false
    this.#lastType = undefined
    if (json === undefined) {
      this.#reportFraming('data-is-json', line, 'valid JSON', describe(text), { name })
      return
    }
    const type = this.#sink.value(json.value, line)
    this.#lastType = type
    if (type === undefined) return

    if (misplaced !== undefined)
      this.#reportEvent(type, misplaced.rule, misplaced.line, 'a line that begins with data:', misplaced.got)
    if (isSecond) {
      const both = before === undefined ? [type] : [before, type]
      this.#reportEvent(type, 'frames-apart', line, 'a blank line before it', 'a second event in the frame', both)
    }
    // If the event begins a stream, the sink has said so, and nothing is done.
    if (wasDone && this.#isDone && type !== 'response.created')
      this.#reportEvent(type, 'done-is-last', line, 'nothing after [DONE]', 'an event')
    if (name === undefined) {
      if (!this.#hasReportedNameless && type !== 'ping') {
        this.#reportEvent(type, 'event-named', line, `event: ${type}`, 'no name')
        this.#hasReportedNameless = true
      }
    } else if (name !== type) {
      const isMisleading = (name === 'error' && type !== 'error') || name.startsWith('thread.')
      const rule = isMisleading ? 'event-name-misleads' : 'event-name-is-type'
      this.#reportEvent(type, rule, line, `event: ${type}`, `event: ${name.slice(0, 60)}`, [type], name)
    }
  }

  #reportEvent(
    type: string,
    rule: string,
    line: number,
    expected: string,
    got: string,
    lost: readonly string[] = [type],
    name?: string,
  ): void {
    const named = name === undefined ? {} : { name }
    this.#sink.framing({ kind: 'framing', rule, line, expected, got, type, lost, ...named })
  }

  /** What a fault at the end of the text loses. */
  #lastEvent(): { readonly lost?: readonly string[] } {
    return this.#lastType === undefined ? {} : { lost: [this.#lastType] }
  }

  #reportFraming(
    rule: string,
    line: number,
    expected: string,
    got: string,
    { name, ...lost }: { readonly name?: string | undefined; readonly lost?: readonly string[] } = {},
  ): void {
    this.#sink.framing({ kind: 'framing', rule, line, expected, got, ...lost, ...(name !== undefined && { name }) })
  }
}
