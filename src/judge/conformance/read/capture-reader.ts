import { check } from '../../../shared/errors.js'
import type { Api } from '../api.js'
import type { DetectedFormat } from './capture-format.js'
import { CaptureReports, LONG_LINE } from './capture-reports.js'
import { CaptureText, isLogTime } from './capture-text.js'
import { HttpHead, isVerboseNoise, isVerboseStart, statusOf } from './curl.js'
import { Dechunker } from './dechunk.js'
import { bodiesOf } from './har.js'
import type { BrokenReason } from './json-scanner.js'
import { parseJson } from './parse-json.js'
import { isSseStart, SseReader } from './sse-reader.js'
import type { StreamRead } from './stream-read.js'
import { CaptureDecoder, type DecodedText } from './text-decoder.js'
import { type Surroundings, ValueReader } from './value-reader.js'
import { messageIn } from './web-socket-log.js'

/**
 * How many bytes to decode at a time. Longer texts are slow to collect: with the lines that are parts of them, they take
 * more time and memory.
 */
const DECODED_LENGTH = 32 * 1024

const PAGE = /^\s*<(?:!doctype|html|head|body|\?xml)/i

/** Reads a capture, and passes on each finding. */
export interface ReaderInto {
  push(piece: string | Uint8Array): void
  end(): void
}

/** Reads the text of a capture: recognizes its format, and takes the values out of it. */
export class CaptureReader implements ReaderInto, Surroundings {
  readonly #maxLength: number
  readonly #take: (read: StreamRead) => void
  readonly #decoder = new CaptureDecoder()
  readonly #text: CaptureText
  readonly #sse: SseReader
  readonly #chunks: Dechunker
  readonly #reports: CaptureReports
  readonly #values: ValueReader
  #isAtStart = true
  /** The capture starts with a byte order mark. */
  #hasMark = false
  #hasBytes = false
  /** Whether the rest is ignored: it is binary, or an HTML page. */
  #isStopped = false
  isSse = false
  /** The capture is the output of `curl -v`, with curl's own lines in between. */
  #isVerbose = false
  /** The HTTP head that is being read. */
  #head: HttpHead | undefined
  readonly #api: Api

  constructor(maxLength: number, api: Api, take: (read: StreamRead) => void) {
    this.#maxLength = maxLength
    this.#take = take
    this.#api = api
    this.#reports = new CaptureReports(maxLength, take)
    this.#values = new ValueReader(api, take, this.#reports, this)
    const broken = (head: string, line: number, why: BrokenReason): void => this.#reportBroken(head, line, why)
    this.#text = new CaptureText(
      {
        mayBeJson: () => !this.isSse && !this.#isVerbose && this.#head === undefined,
        line: (line, number, isCut) => this.#takeLine(line, number, isCut),
        value: (text, line) => this.#takeJson(text, line),
        broken,
      },
      maxLength,
    )
    this.#chunks = new Dechunker({
      text: (text) => this.#takeText(text),
      bytes: (bytes) => this.#takeDecoded(this.#decoder.decode(bytes)),
      skipLine: () => {
        this.#text.lines.line++
      },
    })
    this.#sse = new SseReader(
      {
        value: (json, line) => this.#values.value(json, line),
        framing: take,
        broken,
      },
      this.#text.lines,
      maxLength,
    )
  }

  push(piece: string | Uint8Array): void {
    // Not `instanceof Uint8Array`, which fails for bytes from another realm, such as a test runner's.
    const isBytes = ArrayBuffer.isView(piece)
    check(isBytes || typeof piece === 'string', 'createStreamReader.push', 'text or bytes', piece, 'bad_stream')
    if (!isBytes) {
      this.#chunks.push(piece)
      return
    }
    this.#hasBytes = true
    const { buffer, byteOffset: from, byteLength: length } = piece
    for (let at = 0; at < length; at += DECODED_LENGTH) {
      this.#chunks.push(new Uint8Array(buffer, from + at, Math.min(DECODED_LENGTH, length - at)))
    }
  }

  end(): void {
    this.#chunks.end()
    if (this.#hasBytes) this.#takeDecoded(this.#decoder.end())
    if (!this.#isStopped) {
      const isCut = this.#text.end()
      if (this.isSse) this.#sse.end(isCut)
      this.#values.endStream()
    }
  }

  // ---------------------------------------------------------------------------------------------------------- text

  #takeDecoded({ text, format, invalidAt }: DecodedText): void {
    if (format !== undefined) this.#reports.format(format, 1)
    if (format !== undefined && format.format !== 'utf-16') this.#isStopped = true
    this.#takeText(text.slice(0, invalidAt))
    if (invalidAt === undefined) return
    const { line } = this.#text.lines
    this.#takeText(text.slice(invalidAt))
    if (!this.isSse) return
    this.#take({ kind: 'framing', rule: 'text-encoding', line, expected: 'UTF-8', got: 'other bytes' })
  }

  #takeText(piece: string): void {
    if (piece === '' || this.#isStopped) return
    if (!this.#isAtStart) {
      this.#text.push(piece)
      return
    }
    this.#isAtStart = false
    this.#hasMark = piece.startsWith('\ufeff')
    // Gzip that was decoded as text before it came here.
    if (piece.startsWith('\u001f\ufffd') || piece.startsWith('\u001f\u008b'))
      this.#stop({ format: 'gzip', description: 'gzip' }, 1)
    else this.#text.push(this.#hasMark ? piece.slice(1) : piece)
  }

  #takeLine(line: string, number: number, isCut: boolean): void {
    if (this.#isStopped) return
    if (this.#head !== undefined) this.#takeHeader(this.#head, line, number)
    else if (this.#isVerbose && isVerboseNoise(line))
      this.#beginHttpHead(line.startsWith('< ') ? statusOf(line.slice(2)) : undefined)
    else if (this.isSse) {
      if (!this.#sse.take(line, number, isCut)) this.#beginHttpHead(statusOf(line))
    } else if (line.trim() !== '') this.#takeFirst(line, number, isCut)
  }

  /** Recognizes the format by a line. */
  #takeFirst(line: string, number: number, isCut: boolean): void {
    const status = statusOf(line)
    if (status !== undefined) this.#beginHttpHead(status)
    else if (!this.#isVerbose && isVerboseStart(line)) this.#isVerbose = true
    else if (isSseStart(line)) {
      this.isSse = true
      if (this.#hasMark) {
        const rule = 'no-mark-at-start'
        this.#take({ kind: 'framing', rule, line: number, expected: 'no byte order mark', got: 'U+FEFF' })
      }
      this.#sse.take(line, number, isCut)
    } else if (/^[ \t]*[{[]/.test(line) && !isLogTime(line)) this.#text.scan(line, number)
    else if (PAGE.test(line)) {
      const title = /<title[^>]*>([^<]*)/i.exec(line)?.[1]?.trim() ?? ''
      this.#stop(
        { format: 'html', description: `an HTML page${title === '' ? '' : `: ${title.slice(0, 100)}`}` },
        number,
      )
    } else this.#takeOther(line, number, isCut)
  }

  /** Reads a line of a log, or an unknown one. */
  #takeOther(line: string, number: number, isCut: boolean): void {
    const message = messageIn(line)
    if (message === undefined) {
      const isEndless = isCut && line.length >= LONG_LINE
      this.#reportBroken(line.slice(0, 80), number, isEndless ? 'endless' : 'cut', line.length)
      return
    }
    this.#reports.format({ format: 'web-socket', description: 'a log of a WebSocket' }, number)
    if (message.event !== undefined) this.#values.value(message.event, number)
  }

  /** Begins to read an HTTP head. */
  #beginHttpHead(status: number | undefined): void {
    if (status === undefined) return
    if (this.isSse) this.#sse.take('', this.#text.lines.line)
    this.#values.endStream()
    this.isSse = false
    this.#head = new HttpHead(status)
  }

  #takeHeader(head: HttpHead, given: string, number: number): void {
    const line = given.replace(/^< ?/, '')
    if (line !== '') {
      // Includes curl's own lines within the head, such as `* Mark bundle as not supporting multiuse`.
      head.header(line)
      return
    }
    this.#head = undefined
    // The head of the final response follows an interim one such as `100 Continue`.
    if (head.status < 200) return
    this.#reports.format(
      { format: 'curl', description: `curl ${this.#isVerbose ? '-v' : '-i'} output, ${head.description}` },
      number,
    )
    const { encoding } = head
    if (encoding === undefined) return
    this.#stop({ format: 'binary', description: `a body in ${encoding}, which curl --compressed unpacks` }, number)
  }

  // -------------------------------------------------------------------------------------------------------- values

  #takeJson(text: string, line: number): void {
    if (this.#isStopped) return
    const json = parseJson(text)
    if (json === undefined) this.#reportBroken(text.slice(0, 80), line, 'cut')
    else this.#values.value(json.value, line)
  }

  // ------------------------------------------------------------------------------------------- around the values

  get isDone(): boolean {
    return this.#sse.isDone
  }

  get line(): number {
    return this.#text.lines.line
  }

  beginStream(): void {
    this.#sse.beginStream()
  }

  har(har: unknown, line: number): void {
    const bodies = bodiesOf(har)
    this.#reports.format(
      { format: 'har', description: `a HAR file${bodies.length === 0 ? ' without the body of a stream' : ''}` },
      line,
    )
    for (const { source, body } of bodies) {
      this.#values.endStream()
      this.#reports.format({ format: 'har', description: source }, line)
      const reader = new CaptureReader(this.#maxLength, this.#api, this.#take)
      reader.push(body)
      reader.end()
    }
  }

  // ------------------------------------------------------------------------------------------------------- reports

  #stop(given: DetectedFormat, line: number): void {
    this.#reports.format(given, line)
    this.#isStopped = true
  }

  #reportBroken(head: string, line: number, why: BrokenReason, length?: number): void {
    if (!this.#isStopped) this.#reports.broken(head, line, why, length)
  }
}
