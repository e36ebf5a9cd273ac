import { describe } from '../../errors.js'
import { statusOf } from './curl.js'
import type { Broken } from './json-scanner.js'
import type { LineCount } from './line-count.js'
import type { FramingRead } from './reads.js'
import { type FramedEvent, SseFrames } from './sse-frames.js'

/** What lines of server-sent events bring. */
export interface SseSink {
  /** A frame's data, which is JSON. Returns the event's type, where it is an event. */
  value(json: unknown, line: number): string | undefined
  framing(read: FramingRead): void
  broken(head: string, line: number, why: Broken): void
}

const FIELD = /^(data|event|id|retry):/
const FIELD_OR_NAME = /^(data|event|id|retry|)(?::|$) ?/
/** A field that is not at the beginning of its line, or not in small letters: no client takes it for one. */
const ALMOST_FIELD = /^([\ufeff\0\s]*)(data|event|id|retry): ?/i
const JSON_LINE = /^[\ufeff\0\s]*[{[]/

/** Whether a line says that server-sent events begin. */
export function beginsSse(line: string): boolean {
  return FIELD.test(line) || line.startsWith(':') || ALMOST_FIELD.test(line)
}

/** Reads server-sent events line by line, also such as clients do not take, and tells what is wrong with their framing. */
export class SseReader {
  readonly #sink: SseSink
  readonly #lines: LineCount
  readonly #frames: SseFrames
  /** The last line was the blank one that ended an event's frame. */
  #isLastFrame = false
  /** The type of the last event; absent where its data was none. */
  #lastType: string | undefined
  /** Data that no client takes for data, of the event that comes of it. */
  #misplaced: { readonly rule: string; readonly line: number; readonly got: string } | undefined
  #isDone = false
  /** What is told once: of a stream, of a capture, and of what stands between two events. */
  #isNamelessTold = false
  #isCrTold = false
  #isStrayTold = false

  constructor(sink: SseSink, lines: LineCount, maxLength: number) {
    this.#sink = sink
    this.#lines = lines
    this.#frames = new SseFrames(
      {
        event: (framed) => this.#takeEvent(framed),
        notJson: (head, line, why) => {
          if (why !== 'cut') sink.broken(head, line, why)
          else this.#tell('data-is-json', line, 'JSON', head === '' ? 'nothing' : describe(head))
        },
        nameAlone: (name, line) =>
          this.#tell('frame-has-data', line, 'data after the event’s name', `event: ${name.slice(0, 40)} alone`),
        done: (line, isSecond) => {
          if (isSecond) this.#tell('frames-apart', line, 'a blank line before it', 'data: [DONE]')
          this.#isDone = true
        },
        cut: (head, line) => sink.broken(head, line, 'cut'),
      },
      maxLength,
    )
  }

  /** Whether `[DONE]` came since the stream began. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** The next event is of another stream. */
  beginStream(): void {
    this.#isDone = false
    this.#isNamelessTold = false
  }

  /** Takes a line, which the end of the text may have cut off. Returns false where it is none of server-sent events: the head of another answer. */
  take(line: string, number: number, isCut = false): boolean {
    this.#isLastFrame = false
    if (!this.#isCrTold && this.#lines.hasLoneCr) {
      this.#isCrTold = true
      this.#tell('cr-line-ends', number, 'lines that end with LF or CR LF', 'CR alone')
    }
    if (line === '') {
      this.#isLastFrame = this.#frames.blank()
      return true
    }
    const [prefix, name] = FIELD_OR_NAME.exec(line) ?? []
    if (name === 'data') this.#frames.data(line.slice(prefix?.length), number, isCut)
    else if (name === 'event') this.#frames.name(line.slice(prefix?.length), number)
    else if (name === undefined) {
      if (this.#frames.isEmpty && statusOf(line) !== undefined) return false
      this.#takeOther(line, number)
    }
    return true
  }

  /** The text is over. `isCut`: its last line had no end. */
  end(isCut: boolean): void {
    const { line, isAfterCr } = this.#lines
    if (this.#frames.end()) {
      const got = isCut ? 'the end, within its last line' : 'the end'
      this.#tell('last-frame-ends', line, 'a blank line after the last event', got, this.#lastType)
    } else if (this.#isLastFrame && isAfterCr) {
      this.#tell('no-cr-at-end', line, 'LF after the last CR', 'the end', this.#lastType)
    }
  }

  /** What clients pass over: an event may have been meant by it. */
  #takeOther(line: string, number: number): void {
    const [prefix = '', blanks, name = ''] = ALMOST_FIELD.exec(line) ?? []
    const value = line.slice(prefix.length)
    const isJson = name === '' && (this.#frames.isOpen || JSON_LINE.test(line))
    if (/^event$/i.test(name)) this.#frames.name(value, number)
    else if (/^data$/i.test(name) || isJson) {
      const rule = blanks === '\ufeff' ? 'no-mark-within' : 'data-field'
      this.#misplaced ??= { rule, line: number, got: describe(line) }
      this.#frames.data(value.replace(/^[\ufeff\0]+/, ''), number)
      // Events as JSON lines have no blank lines: none is waited for.
      if (isJson && this.#frames.isAlone) this.#frames.blank()
    } else if (!this.#isStrayTold) {
      this.#isStrayTold = true
      this.#tell('line-is-field', number, 'a field', describe(line))
    }
  }

  #takeEvent({ text, line, name, isSecond }: FramedEvent): void {
    const misplaced = this.#misplaced
    const before = this.#lastType
    const wasDone = this.#isDone
    this.#misplaced = undefined
    this.#isStrayTold = false
    this.#lastType = undefined
    const json = parsed(text)
    if (json === undefined) {
      this.#tell('data-is-json', line, 'JSON', describe(text))
      return
    }
    const type = this.#sink.value(json.value, line)
    this.#lastType = type
    if (type === undefined) return

    const tell = (rule: string, at: number, expected: string, got: string, lost: readonly string[] = [type]): void => {
      this.#sink.framing({ kind: 'framing', rule, line: at, expected, got, type, lost })
    }
    if (misplaced !== undefined) tell(misplaced.rule, misplaced.line, 'a line that begins with data:', misplaced.got)
    if (isSecond) {
      const both = before === undefined ? [type] : [before, type]
      tell('frames-apart', line, 'a blank line before it', 'a second event in the frame', both)
    }
    if (wasDone && type !== 'response.created') tell('done-is-last', line, 'nothing after [DONE]', 'an event')
    if (name === undefined) {
      if (!this.#isNamelessTold) tell('event-named', line, `event: ${type}`, 'no name')
      this.#isNamelessTold = true
    } else if (name !== type) {
      const isMisleading = (name === 'error' && type !== 'error') || name.startsWith('thread.')
      const rule = isMisleading ? 'event-name-misleads' : 'event-name-is-type'
      tell(rule, line, `event: ${type}`, `event: ${name.slice(0, 60)}`)
    }
  }

  #tell(rule: string, line: number, expected: string, got: string, lost?: string): void {
    const about = lost === undefined ? {} : { lost: [lost] }
    this.#sink.framing({ kind: 'framing', rule, line, expected, got, ...about })
  }
}

/** JSON, where it is some. */
export function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
